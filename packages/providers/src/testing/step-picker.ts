import { holds } from '../scripted/check-expectation.ts';
import { createScriptCursor } from '../scripted/script-cursor.ts';
import type { Script, ScriptedStep } from '../scripted/script.ts';
import type { HeldTexts } from '../scripted/script-form.ts';
import { writeAsked } from '../scripted/write-asked.ts';
import { isWire } from './request-guards.ts';
import type { RecordedRequest } from './recorded-request.ts';
import type { Step } from './script.ts';
import { serverDialects } from './server-dialects.ts';
import { serverStep } from './server-step.ts';

export type StepOrder = 'once' | 'cycle' | 'conversation';

export interface StepPicker {
  /** @throws Error where the step expects another request. */
  next(request: RecordedRequest): Step | undefined;
  /** How many steps have to be used and were not. */
  unused(): number;
}

/** What the server does next, from whatever it was given as its script. */
export function createStepPicker(
  script: readonly Step[] | Script | ((request: RecordedRequest) => Step | undefined),
  order?: StepOrder,
): StepPicker {
  if (typeof script === 'function') return { next: script, unused: () => 0 };
  if ('steps' in script) return pickFromFile(script, order ?? script.order);
  return pickFromList(script, order ?? 'once');
}

function pickFromList(script: readonly Step[], order: StepOrder): StepPicker {
  const cursor = createScriptCursor(
    script.map((step) => ({ answers: answers(step) })),
    order,
  );
  return {
    next(request) {
      const index = cursor.next({ replies: repliesIn(request), fits: () => true });
      return index === undefined ? undefined : script[index];
    },
    // Conversations may end where they like.
    unused: () => (order === 'conversation' ? 0 : cursor.unused().length),
  };
}

function answers(step: Step): boolean {
  if (!('type' in step)) return true;
  if (step.type === 'reply') return step.fault === undefined;
  return step.type !== 'status' && step.type !== 'reset' && step.type !== 'mute';
}

function pickFromFile({ steps, unused }: Script, order: StepOrder): StepPicker {
  const cursor = createScriptCursor(
    steps.map(({ said, answers: answered }) => ({ conversation: said.conversation, answers: answered })),
    order,
  );
  return {
    next(request) {
      const texts = textsIn(request.body);
      const index = cursor.next({
        replies: repliesIn(request),
        fits: (first) => problemOf(steps[first], texts) === undefined,
      });
      const step = index === undefined ? undefined : steps[index];
      const problem = problemOf(step, texts);
      if (step !== undefined && problem !== undefined) throw new Error(`${step.place} expects ${problem}`);
      if (step?.said.asked !== undefined) writeAsked(step.said.asked, request.body, step.place);
      return step && serverStep(step.said);
    },
    unused: () => (unused === 'error' ? cursor.unused().length : 0),
  };
}

/** What a step expects of a request, looked for anywhere in its body: every vendor has other places for it. */
function problemOf(step: ScriptedStep | undefined, texts: readonly string[]): string | undefined {
  const { system, user, results = [], tools = [] } = step?.said.expect ?? {};
  const held: HeldTexts[] = [
    ...(system === undefined ? [] : [system]),
    ...(user === undefined ? [] : [user]),
    ...tools,
    ...results.map((result): HeldTexts => {
      if (typeof result === 'string') return result;
      const { matches, holds: part } = result;
      return [...(part === undefined ? [] : [part]), ...(matches === undefined ? [] : [{ matches }])];
    }),
  ];
  const missing = held.flat().find((each) => !texts.some((text) => holds(each, text)));
  return missing === undefined ? undefined : `the request to hold ${JSON.stringify(missing)}`;
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return isWire(value) ? Object.values(value).flatMap(textsIn) : [];
}

function repliesIn({ body, dialect }: Pick<RecordedRequest, 'body' | 'dialect'>): number {
  return serverDialects.find(({ name }) => name === dialect)?.repliesIn(body) ?? 0;
}
