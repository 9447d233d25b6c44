import type { JsonObject } from '@rondo/protocol';
import type { EventHook, HookOutput, HookRest, HookUsage } from './event-hook.ts';
import type { EventHookTurn } from './event-hook-turn.ts';
import { answerOf, boundedOutput, type EventOutcome } from './event-outcome.ts';
import type { EventPlace } from './event-place.ts';

export interface HookDecided {
  readonly outcome: EventOutcome;
  readonly output?: HookOutput;
  readonly notices?: readonly string[];
  readonly later?: HookRest;
}

export interface HookToDecide {
  readonly hook: EventHook;
  readonly name: string;
  readonly hookId: string;
  readonly place: EventPlace;
  readonly input: JsonObject;
  /** Told what the run is paid for, also where it comes to nothing. */
  readonly onUsage?: (usage: HookUsage) => void;
}

/** One run of a hook, within its time. Undefined when the turn was stopped before it had decided. */
export async function decideEventHook(
  turn: EventHookTurn,
  { hook, name, hookId, place, input, onUsage }: HookToDecide,
): Promise<HookDecided | undefined> {
  const { signal } = turn;
  if (signal.aborted) return undefined;
  const timeoutMs = Math.min(hook.timeoutMs, place.mostMs ?? hook.timeoutMs);
  const over = new AbortController();
  const stop = Promise.withResolvers<'stopped'>();
  const onAbort = (): void => stop.resolve('stopped');
  signal.addEventListener('abort', onAbort, { once: true });
  const time = turn.clock.sleep(timeoutMs, { signal: over.signal }).then(
    () => 'late' as const,
    () => 'stopped' as const,
  );
  let isOver = false;
  const run = async (): Promise<HookDecided> => {
    const { toolUseId, event, subject } = place;
    const ran = await hook.run(structuredClone(input), {
      signal: AbortSignal.any([signal, over.signal]),
      hookId,
      ...(toolUseId === undefined ? {} : { toolUseId }),
      used(usage) {
        if (!isOver) onUsage?.(usage);
      },
      progress(output) {
        if (isOver) return;
        turn.show(() => {
          const { stdout, stderr } = boundedOutput(output);
          const { sessionId, turnId, state } = turn;
          const place = { sessionId, turnId, after: state.cursor, hookId, name, event };
          return { type: 'hook.progress', ...place, ...(subject === undefined ? {} : { subject }), stdout, stderr };
        });
      },
    });
    const outcome = answerOf(ran);
    const output = outputOf(ran);
    const { notices, later } = ran;
    return {
      outcome: openly(outcome, hook),
      ...(output === undefined ? {} : { output }),
      ...(Array.isArray(notices) ? { notices: notices.filter((notice) => typeof notice === 'string') } : {}),
      ...(later === undefined ? {} : { later }),
    };
  };
  try {
    const first = await Promise.race([run().catch((error: unknown) => failed(hook, error)), stop.promise, time]);
    // A decision that comes together with the stop of its turn is none.
    if (signal.aborted || first === 'stopped') return undefined;
    if (first !== 'late') return first;
    const message = `had not answered after ${timeoutMs} ms`;
    return { outcome: openly({ type: 'failed', failure: 'timeout', message, failOpen: false }, hook) };
  } finally {
    isOver = true;
    signal.removeEventListener('abort', onAbort);
    over.abort(new Error(`the run of hook "${name}" is over`));
  }
}

function failed(hook: EventHook, error: unknown): HookDecided {
  const message = `failed: ${error instanceof Error ? error.message : String(error)}`;
  const output = outputOf(error);
  return {
    outcome: openly({ type: 'failed', failure: 'threw', message, failOpen: false }, hook),
    ...(output === undefined ? {} : { output }),
  };
}

/** What a command wrote goes with its answer, or with its error. */
function outputOf(end: unknown): HookOutput | undefined {
  if (typeof end !== 'object' || end === null || !('output' in end)) return undefined;
  const { output } = end;
  if (typeof output !== 'object' || output === null || !('stdout' in output) || !('stderr' in output)) return undefined;
  const { stdout, stderr } = output;
  if (typeof stdout !== 'string' || typeof stderr !== 'string') return undefined;
  const exitCode = 'exitCode' in output && typeof output.exitCode === 'number' ? { exitCode: output.exitCode } : {};
  return { stdout, stderr, ...exitCode };
}

function openly(outcome: EventOutcome, { failOpen }: EventHook): EventOutcome {
  return outcome.type === 'failed' && failOpen === true ? { ...outcome, failOpen: true } : outcome;
}
