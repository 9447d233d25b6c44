import { RondoError } from '@rondo/protocol/values';
import type { Model, ModelPart, ModelRequest } from '@rondo/runtime';
import { checkExpectation, holds, textOf } from './check-expectation.ts';
import { compareRequest } from './compare-request.ts';
import { missingStep } from './missing-step.ts';
import { playStep } from './play-step.ts';
import { countReplies, lastText, saidByUser } from './said-request.ts';
import { createScriptCursor } from './script-cursor.ts';
import type { Script, ScriptedStep } from './script.ts';

export interface ScriptModel extends Model {
  /** Throws when a step was not used, or a request had none or another one than it should, also where a turn took it. */
  assertDone(): void;
  /** Nobody asks any more: rejects when a step was not used and the script says that this is an error. */
  close(): Promise<void>;
}

export interface ScriptModelOptions {
  /** `scripted/` and the file unless said. */
  readonly name?: string;
}

const defaultUsage = { inputTokens: 10, outputTokens: 5 };

/** A model that says what a script says, and refuses what the script was not written for. */
export function createScriptModel(script: Script, options: ScriptModelOptions = {}): ScriptModel {
  const { file, steps, usage = defaultUsage } = script;
  const { name = `scripted/${file}` } = options;
  const cursor = createScriptCursor(steps.map(cursorStep), script.order);
  const failures: string[] = [];

  async function* stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelPart, void> {
    const step = await nextStep(request).catch((error: unknown) => {
      failures.push(error instanceof Error ? error.message : String(error));
      throw error;
    });
    yield* playStep(step, { model: name, usage, request, signal });
  }

  async function nextStep(request: ModelRequest): Promise<ScriptedStep> {
    const index = cursor.next({
      session: request.sessionId,
      replies: countReplies(request),
      fits: (first) => isBeginning(steps[first], request),
    });
    const step = index === undefined ? undefined : steps[index];
    if (step === undefined) throw await noStep(script, request);
    if (step.said.expect !== undefined) await checkExpectation(step.said.expect, request, step.place);
    if (step.request !== undefined)
      await compareRequest(step.request, request, { place: step.place, match: script.match, ignore: script.ignore });
    return step;
  }

  function unusedProblem(): string | undefined {
    const unused = cursor.unused();
    if (unused.length === 0) return undefined;
    const first = steps[unused[0] ?? 0]?.place;
    return `${unused.length} ${unused.length === 1 ? 'step' : 'steps'} of ${file} ${unused.length === 1 ? 'was' : 'were'} not used, ${unused.length === 1 ? '' : 'the first is '}${first}`;
  }

  return {
    name,
    ...(script.limits && { limits: script.limits }),
    ...(script.price && { price: script.price }),
    ...(script.input && { input: script.input }),
    ...(steps.some(wasAskedToThink) && { thinksAdaptively: true }),
    stream: (request, { signal }) => stream(request, signal),
    assertDone() {
      const unused = unusedProblem();
      const problems = unused === undefined ? failures : [...failures, unused];
      if (problems.length > 0) throw new RondoError('model.request_invalid', problems.join('\n'));
    },
    async close() {
      const unused = script.unused === 'error' ? unusedProblem() : undefined;
      if (unused !== undefined) throw new RondoError('model.request_invalid', `${unused}.`);
    },
  };
}

function cursorStep({ said, answers, request }: ScriptedStep) {
  const before = request?.messages?.filter((message) => message['assistant'] !== undefined).length;
  return { answers, conversation: said.conversation, ...(before !== undefined && { repliesBefore: before }) };
}

/** Only a model that decides by itself how much to think is asked to when nobody says anything, and then it is again. */
function wasAskedToThink({ request }: ScriptedStep): boolean {
  const { thinking } = request?.settings ?? {};
  return typeof thinking === 'object' && thinking !== null && 'type' in thinking && thinking.type === 'adaptive';
}

/** Whether a conversation that begins like this one is the step's. A step that says nothing about it takes any. */
function isBeginning(step: ScriptedStep | undefined, request: ModelRequest): boolean {
  if (step === undefined) return false;
  const { expect } = step.said;
  if (expect?.system !== undefined && !holds(expect.system, request.system)) return false;
  if (expect?.user !== undefined && !holds(expect.user, textOf(request.messages[0]))) return false;
  if (step.request === undefined) return true;
  const { user, messages } = step.request;
  const recorded = messages?.[0]?.['user'] ?? user;
  return recorded === undefined || lastText(recorded) === lastText(saidByUser(request, 0));
}

function noStep({ file, steps }: Script, request: ModelRequest): Promise<RondoError> {
  const conversations = new Set(steps.map((step) => step.said.conversation)).size;
  const has = conversations === 1 ? `it has ${steps.length}` : `none of its ${conversations} conversations fits`;
  return missingStep(`${file} has no step for this request: ${has}`, request);
}
