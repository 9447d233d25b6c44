import type { AnyEvent, HookCompleted, JsonObject, JsonValue } from '@rondo/protocol';
import { hookPoints } from '../hook/loop-hook.ts';
import type { RecordedCalls } from './recorded-calls.ts';
import { changeOf } from './recorded-hooks.ts';

/** A run of a hook at one place of a turn, as the log tells it. */
export interface RecordedRun {
  readonly hookId: string;
  readonly hook: string;
  readonly point: string;
  readonly startedAt: number;
  /** What it decided; of runs that were repeated after a crash, the last. Absent where it was cut off. */
  readonly completed?: HookCompleted;
  /** What it put in place of something else, where the log has that. */
  readonly put?: JsonValue;
}

export interface RecordedRuns {
  /** Those of a place, such as `preToolCall/<call>`, in their order. */
  at(place: string): readonly RecordedRun[];
  /** Whether hooks that are none of the six points had a say in whether the call runs, and with what. */
  isDecidedElsewhere(callId: string): boolean;
}

export function recordedRuns(events: readonly AnyEvent[], calls: RecordedCalls): RecordedRuns {
  const runs = new Map<string, RecordedRun>();
  for (const [index, event] of events.entries()) {
    if (event.type !== 'hook.started' && event.type !== 'hook.completed') continue;
    const { hookId, name, event: point } = event;
    const run = runs.get(hookId) ?? { hookId, hook: name, point, startedAt: Date.parse(event.at) };
    runs.set(hookId, event.type === 'hook.completed' ? { ...run, ...decidedBy(event, index) } : run);
  }

  function decidedBy(completed: HookCompleted, index: number): Partial<RecordedRun> {
    const { outcome, callId = '' } = completed;
    if (outcome['type'] === 'interrupted') return {};
    // Of a result, the log has what the last of several hooks made of it.
    if (outcome['type'] !== 'continue' || completed.event === 'postToolCall') return { completed };
    const after = outcome['replaced'] === true ? events.slice(index + 1) : [];
    const [put] = Object.values(changeOf(completed, { after, call: calls.all.get(callId) })) as JsonValue[];
    return put === undefined ? { completed } : { completed, put };
  }

  const places = Map.groupBy(runs.values(), ({ hookId, hook }) => hookId.slice(0, -hook.length - 1));
  const others = [...runs.values()].filter(({ point }) => !hookPoints.some((known) => known === point));
  return {
    at: (place) => places.get(place) ?? [],
    isDecidedElsewhere: (callId) =>
      others.some(({ completed }) => completed?.callId === callId && hasDecided(completed.outcome)),
  };
}

const says = ['decision', 'updatedInput', 'updatedPermissions', 'continue'] as const;

function hasDecided(outcome: JsonObject): boolean {
  return outcome['type'] !== 'answer' || says.some((name) => outcome[name] !== undefined);
}
