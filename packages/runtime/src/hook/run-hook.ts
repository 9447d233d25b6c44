import type { JsonObject } from '@rondo/protocol';
import type { EventDraft } from '../event/event-draft.ts';
import type { SessionState } from '../event/session-state.ts';
import { readInputs } from '../tool/read-inputs.ts';
import { createHookContext, type OpenHookContext } from './hook-context.ts';
import { isClosing } from './hook-facts.ts';
import { type HookOutcome, outcomeOf, outcomeRecord, recordedOutcome } from './hook-outcome.ts';
import type { HookTurn } from './hook-turn.ts';
import type { HookContext, HookPoint, LoopHook } from './loop-hook.ts';

export const HOOK_TIMEOUT_MS = 60_000;

export interface HookPlace {
  readonly point: HookPoint;
  /** Names what is judged, the same over restarts. */
  readonly id: string;
  readonly callId?: string;
  /** What is judged may be another one than before a crash, under the same name: what was decided then does not count. */
  readonly anew?: boolean;
  readonly call: (hook: LoopHook, context: HookContext) => unknown;
  /** Whether the turn is over by such an outcome. */
  readonly ends?: (outcome: HookOutcome) => boolean;
  /** What follows from it, stored in one batch with it. Not asked again where the log has it already. */
  readonly follow?: (outcome: HookOutcome) => readonly EventDraft[];
}

/** What may come before a decision: the stop of the turn, or the end of the hook's time. */
type Before = 'stopped' | 'late';

/**
 * Runs one hook at one place of a turn, unless the log says what it decided there, and stores what it decides. Never
 * throws for what the hook does. Undefined when the turn was stopped meanwhile: then nothing was decided, and what the
 * hook still returns is dropped.
 */
export async function runHook(turn: HookTurn, hook: LoopHook, place: HookPlace): Promise<HookOutcome | undefined> {
  const { point, id, callId } = place;
  const hookId = `${point}/${id}/${hook.name}`;
  const recorded = turn.state.active?.hookRuns.get(hookId)?.outcome;
  if (recorded !== undefined && recorded['type'] !== 'interrupted' && place.anew !== true)
    return recordedOutcome(recorded);
  return await oneAtATime(turn, hook, async () => {
    if (turn.signal.aborted) return undefined;
    const { turnId } = turn;
    const fields = { turnId, hookId, name: hook.name, event: point, ...(callId === undefined ? {} : { callId }) };
    if (turn.state.active?.hookRuns.has(hookId) !== true) turn.emit([{ type: 'hook.started', ...fields }]);
    const began = turn.clock.now();
    const startedAt = turn.state.active?.hookRuns.get(hookId)?.startedAt ?? began;
    const decided = await decide(turn, hook, place, { hookId, startedAt });
    const durationMs = turn.clock.now() - began;
    if (decided === undefined) {
      // Whose host closes is gone on with by another, which runs the hook again.
      if (!isClosing(turn.signal))
        turn.emit([{ type: 'hook.completed', ...fields, outcome: { type: 'interrupted' }, durationMs }]);
      return undefined;
    }
    const { outcome, context } = decided;
    const record: JsonObject = {
      ...outcomeRecord(outcome),
      ...(place.ends?.(outcome) === true ? { ends: true } : {}),
      ...context?.used(),
    };
    const kept = outcome.type === 'failed' ? undefined : context?.kept();
    const state = kept === undefined ? {} : { state: kept.state === undefined ? null : { ...kept.state } };
    const following = place.follow?.(outcome) ?? [];
    turn.emit([{ type: 'hook.completed', ...fields, outcome: record, ...state, durationMs }, ...following]);
    return outcome;
  });
}

interface Decided {
  readonly outcome: HookOutcome;
  readonly context?: OpenHookContext;
}

async function decide(
  turn: HookTurn,
  hook: LoopHook,
  { point, call }: HookPlace,
  run: { readonly hookId: string; readonly startedAt: number },
): Promise<Decided | undefined> {
  const over = new AbortController();
  const stop = Promise.withResolvers<Before>();
  const onAbort = (): void => stop.resolve('stopped');
  turn.signal.addEventListener('abort', onAbort, { once: true });
  const time = turn.clock.sleep(hook.timeoutMs ?? HOOK_TIMEOUT_MS, { signal: over.signal }).then(
    (): Before => 'late',
    (): Before => 'stopped',
  );
  const opened: { context?: OpenHookContext } = {};
  const work = async (): Promise<HookOutcome> => {
    const inputs = await readInputs(hook.inputs, turn.state.inputs);
    if (!inputs.ok) return { type: 'failed', failure: 'input', message: inputs.message };
    const signal = AbortSignal.any([turn.signal, over.signal]);
    opened.context = createHookContext(turn, { ...run, point, signal, inputs: inputs.values, hook: hook.name });
    return outcomeOf(point, await call(hook, opened.context.context));
  };
  try {
    const first = await Promise.race([work().catch(thrown), stop.promise, time]);
    // A decision that comes together with the stop of its turn is none.
    if (turn.signal.aborted || first === 'stopped') return undefined;
    if (first === 'late') {
      const message = `had not decided after ${hook.timeoutMs ?? HOOK_TIMEOUT_MS} ms`;
      return { outcome: { type: 'failed', failure: 'timeout', message }, ...opened };
    }
    return { outcome: first, ...opened };
  } finally {
    turn.signal.removeEventListener('abort', onAbort);
    opened.context?.close();
    over.abort(new Error(`the run of hook "${hook.name}" is over`));
  }
}

function thrown(error: unknown): HookOutcome {
  const message = error instanceof Error ? error.message : String(error);
  return { type: 'failed', failure: 'threw', message: `threw: ${message}` };
}

const queues = new WeakMap<SessionState, Map<string, Promise<unknown>>>();

/** Calls of one step run at once, and what one run keeps is what the next one finds. */
async function oneAtATime<Value>(turn: HookTurn, { name }: LoopHook, work: () => Promise<Value>): Promise<Value> {
  let running = queues.get(turn.state);
  if (running === undefined) queues.set(turn.state, (running = new Map()));
  const before = running.get(name);
  const now = before === undefined ? work() : before.then(work);
  const settled = now.then(
    () => undefined,
    () => undefined,
  );
  running.set(name, settled);
  try {
    return await now;
  } finally {
    if (running.get(name) === settled) running.delete(name);
  }
}
