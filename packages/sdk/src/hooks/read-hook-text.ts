import type { HookAnswer, HookEvent } from '@rondo/runtime';
import { hookEventFacts } from './hook-event-facts.ts';
import { readHookAnswer, type ReadAnswer } from './read-hook-answer.ts';

/** Lines that an answer may begin on; of output with more, nothing can be told. */
const mostBeginnings = 100;
/** What a text holds that was meant as an answer, whatever else is wrong with it. */
const answerWords =
  /["'](decision|permissionDecision|permission_decision|continue|hookSpecificOutput|hook_specific_output|behavior|block)["']/;

/**
 * Reads what a command hook wrote to its standard output and exited with 0. Nothing, or text, is no opinion; at the events
 * that say so the text is context. An object is the answer. An object among other text refuses as if it stood alone and
 * grants nothing: the other text may quote what the model wrote.
 * @throws Error when it holds what was meant as an answer and cannot be read: such a hook has failed.
 */
export async function readHookText(event: HookEvent, text: string): Promise<ReadAnswer> {
  const trimmed = text.replace(/^\uFEFF/, '').trim();
  if (trimmed === '') return { answer: {}, notices: [] };
  const whole = parseObject(trimmed);
  if (whole !== undefined) return await readHookAnswer(event, whole);
  const refusal = await refusalBehindText(event, trimmed);
  const objects = objectsIn(trimmed);
  if (objects.length > 0) {
    const read = await readAmongText(event, objects);
    return refusal !== undefined && levelOf(refusal) > levelOf(read) ? refusal : read;
  }
  if (refusal !== undefined) return refusal;
  if (trimmed.startsWith('{')) throw new TypeError('its standard output begins like JSON and is not valid JSON');
  if (/^\s*\{/m.test(trimmed) && answerWords.test(trimmed))
    throw new TypeError('its standard output holds text and then what looks like an answer, but is not valid JSON');
  return { answer: hookEventFacts[event].plainText === true ? { additionalContext: trimmed } : {}, notices: [] };
}

const strictness: Readonly<Record<NonNullable<HookAnswer['decision']>, number>> = {
  allow: 0,
  ask: 1,
  defer: 2,
  block: 3,
  deny: 3,
};

/** Of several answers the strictest counts, else the last. One that is not understood is a failure, unless another refuses. */
async function readAmongText(event: HookEvent, objects: readonly object[]): Promise<ReadAnswer> {
  const answers: ReadAnswer[] = [];
  const failures: unknown[] = [];
  for (const object of objects) {
    try {
      answers.push(await readHookAnswer(event, object, { mayGrant: false }));
    } catch (error) {
      failures.push(error);
    }
  }
  const deciding = answers
    .filter(({ answer }) => answer.decision !== undefined)
    .toSorted((one, other) => levelOf(other) - levelOf(one))[0];
  if (failures.length > 0 && levelOf(deciding) < strictness.deny) throw failures[0];
  const stopping = answers.find(({ answer }) => answer.continue === false);
  const { answer, notices } = deciding ?? stopping ?? answers.at(-1) ?? { answer: {}, notices: [] };
  const { stopReason } = stopping?.answer ?? {};
  const stop = stopping === undefined ? {} : { continue: false, ...(stopReason === undefined ? {} : { stopReason }) };
  const hint = 'write the JSON alone to standard output: what it grants does not count';
  return { answer: { ...answer, ...stop }, notices: [hint, ...notices] };
}

function levelOf(read: ReadAnswer | undefined): number {
  const { decision } = read?.answer ?? {};
  return decision === undefined ? -1 : strictness[decision];
}

/** What refuses behind other text in its line, such as a prompt without a line's end. */
async function refusalBehindText(event: HookEvent, text: string): Promise<ReadAnswer | undefined> {
  if (!answerWords.test(text)) return undefined;
  const objects = objectsIn(text, { behindText: true });
  const read = objects.length === 0 ? undefined : await readAmongText(event, objects).catch(() => undefined);
  return read !== undefined && (levelOf(read) > 0 || read.answer.continue === false) ? read : undefined;
}

/** The objects that begin at the beginning of a line; or those that stand behind other text and end its line. */
export function objectsIn(text: string, { behindText = false } = {}): readonly object[] {
  const objects: object[] = [];
  const beginning = behindText ? /(?<=\S[^\S\n]*)\{(?=\s*")/g : /^[ \t]*\{/gm;
  for (let attempts = 0; beginning.exec(text) !== null; attempts += 1) {
    if (attempts === mostBeginnings) {
      if (behindText) return objects;
      throw new TypeError('its standard output has more objects than an answer is looked for in');
    }
    const start = beginning.lastIndex - 1;
    const end = endOfObject(text, start);
    const object = end === undefined ? undefined : parseObject(text.slice(start, end));
    if (end === undefined || object === undefined) continue;
    if (!behindText || /^[^\S\n]*\]?[^\S\n]*(\n|$)/.test(text.slice(end))) objects.push(object);
    beginning.lastIndex = end;
  }
  return objects;
}

/** Behind the brace that closes the one at `start`. */
function endOfObject(text: string, start: number): number | undefined {
  let depth = 0;
  let isQuoted = false;
  for (let index = start; index < text.length; index += 1) {
    const character = text[index];
    if (isQuoted) {
      if (character === '\\') index += 1;
      else if (character === '"') isQuoted = false;
    } else if (character === '"') isQuoted = true;
    else if (character === '{') depth += 1;
    else if (character === '}' && (depth -= 1) === 0) return index + 1;
  }
  return undefined;
}

function parseObject(text: string): object | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
