import { errorCodes, nearestNames, type ErrorCode } from '@rondo/protocol/values';
import type { Path, Problem } from './find-problems.ts';
import type { ScriptBlock, ScriptError, ScriptStep } from './script-form.ts';

/** What a step of the right form still says that cannot be meant. */
export function checkStep(step: ScriptStep, path: Path): Problem[] {
  const problems: Problem[] = [];
  const say = (message: string, ...below: (string | number)[]): void => {
    problems.push({ path: [...path, ...below], message });
  };
  const says = [
    ...(step.reply === undefined ? [] : ['reply']),
    ...(isDirectReply(step) ? ['text, reasoning or call'] : []),
    ...(['error', 'reset', 'mute'] as const).filter((name) => step[name] !== undefined),
  ];
  if (says.length === 0 && step.interrupted === undefined)
    say('says nothing: give it a text, a call, reasoning, a reply, an error, reset or mute');
  if (says.length > 1) say(`says two things, ${says.join(' and ')}: make two steps of it`);
  if (step.reply?.length === 0) say('is empty', 'reply');
  step.reply?.forEach((block, index) => checkBlock(block, [...path, 'reply', index], problems));
  if (step.reply === undefined) checkCall(step, path, problems);
  if (step.error !== undefined) checkError(step.error, [...path, 'error'], problems);
  const hasReply = step.reply !== undefined || isDirectReply(step);
  if (step.hold !== undefined && !hasReply) say('holds a reply, but there is none', 'hold');
  if (step.fault !== undefined) {
    const faults = (['cut', 'silence', 'error', 'badJson'] as const).filter((name) => step.fault?.[name] !== undefined);
    if (faults.length !== 1) say('is one of cut, silence, error and badJson', 'fault');
    if (!hasReply) say('is a fault within a reply, but there is none', 'fault');
  }
  return problems;
}

/** Whether the reply is said by the step's own keys. */
export function isDirectReply(step: ScriptStep): boolean {
  return step.text !== undefined || step.reasoning !== undefined || step.call !== undefined;
}

function checkBlock(block: ScriptBlock, path: Path, problems: Problem[]): void {
  const kinds = (['text', 'reasoning', 'redacted', 'call', 'opaque'] as const).filter(
    (kind) => block[kind] !== undefined,
  );
  if (kinds.length !== 1) {
    const message =
      kinds.length === 0
        ? 'is no block: it has a text, reasoning, redacted, a call or opaque'
        : `is ${kinds.join(' and ')}: each is a block of its own`;
    problems.push({ path, message });
  }
  checkCall(block, path, problems);
}

function checkCall(
  said: Pick<ScriptBlock, 'call' | 'input' | 'json' | 'id' | 'reasoning' | 'signature'>,
  path: Path,
  problems: Problem[],
): void {
  for (const name of ['input', 'json', 'id'] as const) {
    if (said[name] !== undefined && said.call === undefined)
      problems.push({ path: [...path, name], message: 'belongs to a call, but there is none beside it' });
  }
  if (said.input !== undefined && said.json !== undefined)
    problems.push({ path: [...path, 'json'], message: 'stands in place of input: leave one of them out' });
  if (said.signature !== undefined && said.reasoning === undefined)
    problems.push({ path: [...path, 'signature'], message: 'belongs to reasoning, but there is none beside it' });
}

function checkError({ status, code }: ScriptError, path: Path, problems: Problem[]): void {
  if (status === undefined && code === undefined)
    problems.push({ path, message: 'has a status, such as 529, or a code, such as model.overloaded' });
  if (code !== undefined && !isErrorCode(code)) {
    const [nearest] = nearestNames(code, Object.keys(errorCodes));
    const way = nearest === undefined ? 'the codes of models begin with model.' : `did you mean ${nearest}?`;
    problems.push({ path: [...path, 'code'], message: `${code} is no code of an error; ${way}` });
  }
  if (status !== undefined && (status < 300 || status > 599))
    problems.push({ path: [...path, 'status'], message: `${status} is no status of an error` });
}

export function isErrorCode(code: string | undefined): code is ErrorCode {
  return code !== undefined && Object.hasOwn(errorCodes, code);
}
