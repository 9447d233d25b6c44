import type { AssistantEntry } from '@rondo/protocol';
import { onlyReads, planCalls, type PlannedCall } from './planned-call.ts';
import { completeWithout, notStartedText } from './complete-call.ts';
import { runCall } from './run-call.ts';
import type { DeferredCall } from './tool-hooks.ts';
import type { TurnParts } from './turn-parts.ts';

/** What the calls of one step decided about the turn: whether an answer asked to stop it. */
export interface StepEnd {
  readonly interrupted: boolean;
  /** The first call that waits for a later turn. Those behind it have not begun, and wait with it. */
  readonly deferred?: DeferredCall;
}

/**
 * Runs the calls of one assistant message, so that afterwards each has exactly one result. Calls that only read, or whose
 * tools say that they may, run at once where they stand next to each other, and so do calls that delegate; the others run in
 * the model's order. After an interrupt what has not begun does not begin.
 */
export async function runToolStep(
  turn: TurnParts,
  entry: AssistantEntry,
  answered?: ReadonlySet<string>,
): Promise<StepEnd> {
  const calls = planCalls(turn, entry, answered);
  turn.hold(calls.filter((call) => call.resumed === undefined).map((call) => call.requested));
  let interrupted = false;
  let deferred: DeferredCall | undefined;
  for (const group of groupCalls(calls)) {
    if (interrupted || turn.signal.aborted) {
      for (const call of group) completeWithout(turn, call, 'not_started', notStartedText);
      continue;
    }
    if (turn.state.active?.hookEnding !== undefined) {
      for (const call of group)
        completeWithout(turn, call, 'not_started', 'A hook stopped the turn before this call ran.');
      continue;
    }
    if (deferred !== undefined) break;
    // Every call is waited for, also when one fails: nothing of a turn comes after its end.
    const ends = await Promise.allSettled(group.map((call) => runCall(turn, call)));
    for (const end of ends) {
      if (end.status === 'rejected') throw end.reason;
      interrupted ||= end.value.interrupt;
      deferred ??= end.value.deferred;
    }
  }
  return { interrupted, ...(deferred === undefined ? {} : { deferred }) };
}

function groupCalls(calls: readonly PlannedCall[]): PlannedCall[][] {
  const groups: PlannedCall[][] = [];
  let kind: string | undefined;
  for (const call of calls) {
    const isBesideOthers = call.tool?.concurrent === true || onlyReads(call);
    const own = isBesideOthers ? 'reads' : call.tool?.delegates === true ? 'delegates' : undefined;
    const last = groups.at(-1);
    if (own === undefined || own !== kind || last === undefined) groups.push([call]);
    else last.push(call);
    kind = own;
  }
  return groups;
}
