import type { AnyEvent, ContentBlock, HookCompleted, JsonObject, JsonValue } from '@rondo/protocol';
import { ask, continueWith, type HookDecision, reject, retry, skip } from '../hook/hook-decision.ts';
import { type HookContext, type HookPoint, hookPoints, type LoopHook } from '../hook/loop-hook.ts';
import { firstDifference } from './compare-events.ts';
import type { RecordedCall, RecordedCalls } from './recorded-calls.ts';
import { eventOfHook } from './recorded-event-hooks.ts';
import type { RecordedEvents } from './recorded-events.ts';
import type { ReplayGates } from './replay-gates.ts';

export interface RecordedHooksOptions {
  readonly recorded: RecordedEvents;
  readonly calls: RecordedCalls;
  readonly gates: ReplayGates;
  /** The names of the binding's hooks, in their order. */
  readonly names: readonly string[];
  readonly isStopped: () => boolean;
}

/**
 * Hooks that decide as they decided. Where what followed is of another decision than the log has, they decide that one:
 * so it shows at the decision.
 */
export function recordedHooks(options: RecordedHooksOptions): LoopHook[] {
  const names = options.names.filter((name) => eventOfHook(name) === undefined);
  const points = new Map<string, Set<string>>(names.map((name) => [name, new Set()]));
  const waits = new Map<string, number>();
  for (const event of options.recorded.all) {
    if (event.type !== 'hook.started' && event.type !== 'hook.completed') continue;
    if (eventOfHook(event.name) === event.event) continue;
    const known = points.get(event.name) ?? new Set();
    points.set(event.name, known.add(event.event));
    const late = /^had not decided after (\d+) ms$/.exec(
      event.type === 'hook.completed' ? wordsOf(event, 'message') : '',
    );
    if (late?.[1] !== undefined) waits.set(event.name, Number(late[1]));
  }
  return [...points].map(([name, at]) => {
    const hook: LoopHook = { name, timeoutMs: waits.get(name) ?? 60_000 };
    // Where a turn was stopped, a hook that the log does not tell of would have been next, and was not run.
    for (const point of hookPoints) {
      const run = runOf(name, point, options);
      Object.defineProperty(hook, point, { get: () => (at.has(point) || options.isStopped() ? run : undefined) });
    }
    return hook;
  });
}

function runOf(name: string, point: HookPoint, { recorded, calls, gates }: RecordedHooksOptions) {
  return async (context: HookContext): Promise<unknown> => {
    const next = (): HookCompleted | undefined => {
      const event = recorded.next();
      return event?.type === 'hook.completed' && event.name === name && event.event === point ? event : undefined;
    };
    await gates.until(() => context.signal.aborted || next() !== undefined);
    const completed = next();
    if (completed === undefined || completed.outcome['type'] === 'interrupted') {
      await gates.until(() => context.signal.aborted);
      throw context.signal.reason;
    }
    useAsThen(context, completed);
    const after = recorded.all.slice(recorded.all.indexOf(completed) + 1);
    return await decisionOf(completed, { after, call: calls.all.get(completed.callId ?? ''), context, gates });
  };
}

/** What the hook was given of time and chance, and what it kept. */
function useAsThen(context: HookContext, { outcome, state }: HookCompleted): void {
  const { now, uuids, randoms } = outcome;
  if (now !== undefined) context.now();
  for (let count = lengthOf(uuids); count > 0; count -= 1) context.uuid();
  for (let count = lengthOf(randoms); count > 0; count -= 1) context.random();
  if (state !== undefined) context.keep(state ?? undefined);
}

interface Followed {
  /** The events behind it. */
  readonly after: readonly AnyEvent[];
  readonly call: RecordedCall | undefined;
  readonly context: HookContext;
  readonly gates: ReplayGates;
}

async function decisionOf(completed: HookCompleted, followed: Followed): Promise<unknown> {
  const { outcome } = completed;
  const evident = evidentDecision(completed, followed);
  if (evident !== undefined) return evident;
  switch (outcome['type']) {
    case 'skip':
      return skip(refusalOf(completed, followed) ?? wordsOf(completed, 'reason'));
    case 'reject':
      return reject(wordsOf(completed, 'reason'));
    case 'retry':
      return retry(feedbackOf(followed.after) ?? wordsOf(completed, 'reason'));
    case 'ask':
      return ask(wordsOf(completed, 'reason'));
    case 'failed':
      return await failed(completed, followed);
    default:
      return continueWith(changeOf(completed, followed));
  }
}

/** Fails as it failed, as far as that can be done again. */
async function failed(completed: HookCompleted, { context, gates }: Followed): Promise<unknown> {
  const message = wordsOf(completed, 'message');
  if (completed.outcome['failure'] === 'timeout') {
    await gates.until(() => context.signal.aborted);
    throw context.signal.reason;
  }
  const kind = /^returned (.+), which is no decision$/.exec(message)?.[1];
  const samples: Record<string, unknown> = {
    null: null,
    'a list': [],
    'an object': {},
    'a string': '',
    'a number': 1,
    'a boolean': true,
  };
  if (kind !== undefined && kind in samples) return samples[kind];
  throw new Error(message.replace(/^threw: /, ''));
}

/** The decision that what followed is of, where the log has another. */
function evidentDecision(completed: HookCompleted, followed: Followed): HookDecision | undefined {
  switch (completed.event) {
    case 'preToolCall':
      return evidentOfCall(completed, followed);
    case 'postLlmCall':
    case 'preAgentTurn':
    case 'preLlmCall':
      return evidentOfTurn(completed, followed);
    default:
      return undefined;
  }
}

function evidentOfCall({ outcome, name }: HookCompleted, { call, after }: Followed): HookDecision | undefined {
  const { decided, opened, started, completed } = call ?? {};
  const type = outcome['type'];
  const isLast = !after.some(
    (event) => event.type === 'hook.completed' && event.event === 'preToolCall' && event.callId === call?.callId,
  );
  const hasDenied = decided?.reasonType === 'hook' && decided.source === name && isLast;
  const reason = decided?.reason ?? '';
  if (hasDenied && (type === 'continue' || type === 'ask') && !reason.includes('put arguments in place'))
    return skip(reason);
  const goesOn = decided !== undefined && decided.reasonType !== 'hook' && completed?.outcome !== 'not_started';
  if ((type === 'skip' || type === 'failed') && goesOn) return continueWith();
  const request = opened?.callback.type === 'approval' ? opened.callback.request : undefined;
  if (type === 'continue' && request?.source === 'hook' && isLast) return ask(request.reason ?? '');
  if (type === 'ask' && opened === undefined && started !== undefined) return continueWith();
  const { arguments: args } = outcome;
  const input = decided?.input;
  if (!isLast || !isObject(args) || !isObject(input)) return undefined;
  const isOther = Object.keys(args).some((key) => firstDifference(args[key], input[key]) !== undefined);
  return isOther ? continueWith({ arguments: input }) : undefined;
}

function evidentOfTurn({ outcome, event: point, name }: HookCompleted, { after }: Followed): HookDecision | undefined {
  const [next] = after;
  const type = outcome['type'];
  const end = after.find((event) => event.type === 'turn.ended');
  const { stopReason, by } = end?.type === 'turn.ended' ? endingOf(end.record) : {};
  const isLast = !after.some((event) => event.type === 'hook.started');
  const hasEnded = isLast && by?.['hook'] === name && by['point'] === point;
  const dropped = next?.type === 'entry.discarded' ? next.reason : undefined;
  if (type === 'continue') {
    if (dropped === 'hook_retried') return retry(feedbackOf(after) ?? '');
    if (!hasEnded || stopReason === undefined) return undefined;
    const reason = textOf(by['reason']);
    return stopReason === 'hook_rejected' ? reject(reason) : skip(reason);
  }
  const isJudgedReply = point === 'postLlmCall';
  const goesOn = isJudgedReply
    ? next !== undefined && dropped === undefined
    : after.some((event) => event.type === 'model.requested' || event.type === 'hook.started');
  return goesOn && type !== 'failed' ? continueWith() : undefined;
}

function endingOf(record: object): { readonly stopReason?: string; readonly by?: JsonObject } {
  const { stopReason, stopDetails, error } = record as {
    readonly stopReason?: string;
    readonly stopDetails?: JsonObject;
    readonly error?: { readonly data?: JsonValue };
  };
  const by = stopDetails ?? (isObject(error?.data) ? error.data : undefined);
  return { ...(stopReason === undefined ? {} : { stopReason }), ...(by === undefined ? {} : { by }) };
}

/** What it put in place; the log has it where it counts. */
export function changeOf(
  { outcome, event: point, callId }: HookCompleted,
  { after, call }: Pick<Followed, 'after' | 'call'>,
) {
  const { arguments: args, replaced } = outcome;
  if (isObject(args)) return { arguments: args };
  if (replaced !== true) return {};
  if (point === 'postToolCall') {
    const { content = [], structured, isError } = call?.completed ?? {};
    return { result: { content, ...(structured === undefined ? {} : { structured }), isError: isError === true } };
  }
  const entry = after.find((event) => event.type === 'entry.completed' && callId === undefined);
  const content = entry?.type === 'entry.completed' && 'content' in entry.entry ? entry.entry.content : [];
  if (point === 'preAgentTurn') return { userContent: content as readonly ContentBlock[] };
  const [block] = content as readonly ContentBlock[];
  return { text: block?.type === 'text' ? block.text : '' };
}

/** What the model reads in place of a result. */
function refusalOf({ event: point }: HookCompleted, { call }: Followed): readonly ContentBlock[] | undefined {
  return point === 'preToolCall' && call?.completed?.outcome === 'denied' ? call.completed.content : undefined;
}

function feedbackOf(after: readonly AnyEvent[]): readonly ContentBlock[] | undefined {
  for (const event of after.slice(0, 4)) {
    if (event.type !== 'entry.completed' || event.entry.type !== 'message') continue;
    return event.entry.kind === 'hook_feedback' ? event.entry.content : undefined;
  }
  return undefined;
}

function wordsOf({ outcome }: HookCompleted, name: string): string {
  return textOf(outcome[name]);
}

const textOf = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '');

const lengthOf = (value: JsonValue | undefined): number => (Array.isArray(value) ? value.length : 0);

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
