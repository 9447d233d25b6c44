import type { JsonObject, JsonValue } from '@rondo/protocol';
import { canonicalJson } from '@rondo/protocol/values';
import type { RecordedRun } from './recorded-runs.ts';
import type { HookChange, HookVerdict } from './replay-report.ts';

/** A run of one of today's hooks. */
export interface TodaysRun {
  readonly hook: string;
  /** As the log would have it. */
  readonly outcome: JsonObject;
  readonly put?: JsonValue;
}

export interface ComparedRuns {
  /** At one place of a turn, in their order. */
  readonly recorded: readonly RecordedRun[];
  readonly today: readonly TodaysRun[];
  /** Whether there is a hook of the name today that has something to say there. */
  readonly isThere: (hook: string) => boolean;
}

/** With the event of the log, where it has the run or one before it there. */
export type ChangedRun = Pick<HookChange, 'hook' | 'recorded' | 'today' | 'reason'> & { readonly seq?: number };

/**
 * Runs at one place whose decisions differ. A hook that is new or gone counts where it decides something: one that lets
 * everything pass makes no difference. Where the turn was stopped in the middle of them, only what was decided by then
 * is compared.
 */
export function compareRuns({ recorded, today, isThere }: ComparedRuns): ChangedRun[] {
  const then = new Map(recorded.flatMap((run) => (run.completed === undefined ? [] : [[run.hook, run] as const])));
  const isWhole = then.size === recorded.length;
  const isStopped = [...then.values()].some((run) => stops(verdictThen(run)));
  const changes: ChangedRun[] = [];
  let at: { readonly seq?: number } = {};
  for (const { hook, outcome, put } of today) {
    const run = then.get(hook);
    const verdict = verdictOf(outcome, put);
    if (run?.completed === undefined) {
      const reason = isStopped ? 'unreached' : 'new';
      if (isWhole && decides(verdict)) changes.push({ hook, today: verdict, reason, ...at });
      continue;
    }
    at = { seq: run.completed.seq };
    const before = verdictThen(run);
    if (isOther(before, verdict)) changes.push({ hook, recorded: before, today: verdict, reason: 'differs', ...at });
  }
  for (const run of then.values()) {
    const before = verdictThen(run);
    if (isThere(run.hook) || !decides(before) || run.completed === undefined) continue;
    changes.push({ hook: run.hook, recorded: before, reason: 'gone', seq: run.completed.seq });
  }
  return changes;
}

function verdictThen({ completed, put }: RecordedRun): HookVerdict {
  return verdictOf(completed?.outcome ?? {}, put);
}

function verdictOf(outcome: JsonObject, put: JsonValue | undefined): HookVerdict {
  const { type, failure } = outcome;
  const reason = outcome['reason'] ?? outcome['message'];
  return {
    type: typeof type === 'string' ? type : JSON.stringify(type ?? null),
    ...(typeof reason === 'string' ? { reason } : {}),
    ...(typeof failure === 'string' ? { failure } : {}),
    ...(put !== undefined || outcome['replaced'] === true ? { replaced: true } : {}),
    ...(put === undefined ? {} : { put }),
  };
}

function decides({ type, replaced }: HookVerdict): boolean {
  return type !== 'continue' || replaced === true;
}

/** Whether hooks behind it are not told any more. */
function stops({ type }: HookVerdict): boolean {
  return type !== 'continue' && type !== 'ask';
}

function isOther(before: HookVerdict, today: HookVerdict): boolean {
  const { put: then, ...one } = before;
  const { put: now, ...other } = today;
  if (canonicalJson(one) !== canonicalJson(other)) return true;
  return then !== undefined && now !== undefined && canonicalJson(then) !== canonicalJson(now);
}
