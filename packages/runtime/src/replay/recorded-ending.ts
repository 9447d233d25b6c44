import type { AnyEvent, SessionEvent } from '@rondo/protocol';
import { SPAWN_TOOL } from '../session/spawn-tool.ts';
import { unknownOutcomeText } from '../turn/complete-call.ts';
import { settledText } from '../turn/settle-turn.ts';
import type { TurnStop } from '../turn/turn-parts.ts';
import type { RecordedCalls } from './recorded-calls.ts';
import { isHeldBack, type RecordedEvents } from './recorded-events.ts';

type TurnEnded = Extract<SessionEvent, { type: 'turn.ended' }>;

export type StopCause = Exclude<TurnStop['cause'], 'closing'>;

/** How a person stopped the turn while it had this owner, if one did. An answer that stops it is in the log. */
export function stopCauseOf(section: readonly SessionEvent[], events: readonly AnyEvent[]): StopCause | undefined {
  const isAnswer = events.some(
    (event) => event.type === 'callback.resolved' && event.answer?.type === 'deny' && event.answer.interrupt === true,
  );
  if (isAnswer) return undefined;
  const end = section.find((event) => event.type === 'turn.ended');
  // Its owner may have died before the turn's end was stored.
  if (end?.type !== 'turn.ended') {
    const asked = section.findLastIndex(({ type }) => type === 'model.requested');
    return section.slice(asked + 1).some(isStopped) ? 'interrupted' : undefined;
  }
  // Hooks judge the end of a turn that found its time over, and none that was stopped for it.
  const isJudged = section.some((event) => event.type === 'hook.started' && event.event === 'postAgentTurn');
  if (terminalReasonOf(end) === 'max_duration')
    return isJudged && !section.some(isStopped) ? undefined : 'max_duration';
  const cause = end.record.type === 'interrupted' ? end.record.cause : undefined;
  return cause === 'interrupted' || cause === 'cancelled' ? cause : undefined;
}

/** With what cause a turn that was found unfinished was settled, if it was: nobody worked on it any more. */
export function settlementCauseOf(section: readonly SessionEvent[], isParked: boolean): string | undefined {
  const end = section.find((event) => event.type === 'turn.ended');
  const cause = end?.type === 'turn.ended' && end.record.type === 'interrupted' ? end.record.cause : undefined;
  if (cause === 'crashed' || cause === 'forked' || (isParked && cause !== undefined)) return cause;
  return section.some(isSettlement) || isStoppedAtRest(section) ? (cause ?? 'crashed') : undefined;
}

const limits: ReadonlySet<string> = new Set(['max_turns', 'budget_exhausted', 'max_duration']);

/** The limit that the turn has reached, where it says no more than that, and that hooks judge it. */
export function limitAhead(recorded: RecordedEvents): string | undefined {
  let isJudged = false;
  for (const event of recorded.ahead()) {
    if (isHeldBack(event)) continue;
    if (event.type === 'turn.ended') return limitOf(event);
    // What follows from a hook that has put another answer in place.
    if (isJudged && (event.type === 'entry.discarded' || event.type === 'entry.added')) continue;
    if (!isHook(event) || event.event !== 'postAgentTurn') return undefined;
    isJudged = true;
  }
  // Its owner died while hooks judged it; the next one found the same.
  const end = recorded.all.slice(recorded.place()).find((event) => event.type === 'turn.ended');
  return isJudged && end !== undefined ? limitOf(end) : undefined;
}

/** Whether the turn, where its time is limited, finds that it is over: it ends, or hooks judge that it does. */
export function isOutOfTime(recorded: RecordedEvents): boolean {
  const next = recorded.following();
  const isJudged = next?.type === 'hook.started' && next.event === 'postAgentTurn';
  return isJudged || limitAhead(recorded) === 'max_duration';
}

function limitOf(end: TurnEnded): string | undefined {
  const reason = terminalReasonOf(end);
  return limits.has(reason) ? reason : undefined;
}

function isHook(event: SessionEvent): event is Extract<SessionEvent, { type: 'hook.started' | 'hook.completed' }> {
  return event.type === 'hook.started' || event.type === 'hook.completed';
}

function terminalReasonOf({ record }: TurnEnded): string {
  return 'terminalReason' in record ? record.terminalReason : '';
}

/** Where nothing was at work, only what did not happen any more tells that the turn was stopped when these were said. */
export function isStoppedBehind(
  said: readonly SessionEvent[],
  recorded: RecordedEvents,
  calls: RecordedCalls,
): boolean {
  const last = said.at(-1);
  const next = recorded.next();
  const started = last?.type === 'tool.started' ? calls.all.get(last.callId) : undefined;
  if (started?.completed?.outcome === 'not_started') return true;
  const isJudged = said.some(({ type }) => type === 'hook.completed');
  if (isJudged && recorded.following()?.type === 'turn.ended') return true;
  const hasJoined = last?.type === 'entry.completed' && last.entry.type === 'message';
  if ((last?.type === 'tool.completed' || hasJoined) && next?.type === 'turn.ended') return true;
  if (last?.type === 'hook.completed') return next?.type === 'tool.completed' && next.outcome === 'interrupted';
  return last?.type === 'tool.completed' && isUntouched(next, calls);
}

/** Whether the turn was stopped before whoever took it up had done anything for the calls that were left. */
export function isStoppedAtOnce([first]: readonly SessionEvent[], calls: RecordedCalls): boolean {
  return isNotStarted(first) && calls.all.get(first.callId)?.started === undefined;
}

export function isNotStarted(
  event: SessionEvent | undefined,
): event is Extract<SessionEvent, { type: 'tool.completed' }> {
  return event?.type === 'tool.completed' && event.outcome === 'not_started';
}

/** Whether the reply that comes next, whole, was the last thing before the turn was stopped. */
export function isLastReply(recorded: RecordedEvents, calls: RecordedCalls): boolean {
  for (const event of recorded.ahead()) {
    if (isHeldBack(event)) continue;
    if (event.type === 'entry.discarded') return event.reason === 'interrupted';
    return event.type === 'turn.ended' || isUntouched(event, calls);
  }
  return false;
}

function isUntouched(event: SessionEvent | undefined, calls: RecordedCalls): boolean {
  if (event?.type !== 'tool.completed' || event.outcome !== 'not_started') return false;
  const call = calls.all.get(event.callId);
  return call !== undefined && call.decided === undefined && call.started === undefined;
}

/** What whoever settles a turn says of its calls; its owner may have died before the turn's end was stored. */
function isSettlement(event: SessionEvent): boolean {
  if (event.type !== 'tool.completed' || event.outcome === 'success') return false;
  const [first] = event.content;
  return first?.type === 'text' && first.text.startsWith(settledText);
}

/** A turn that nobody worked on was stopped: no more is said of it than how it ends. */
function isStoppedAtRest(section: readonly SessionEvent[]): boolean {
  const last = section.findIndex(({ type }) => type === 'turn.ended');
  const end = section[last];
  // Whoever settled its calls may have died before its end was stored.
  if (end === undefined) return section.every(isEnding) && section.some(({ type }) => type === 'tool.completed');
  if (end.type !== 'turn.ended' || end.record.type !== 'interrupted') return false;
  return end.record.terminalReason === 'aborted_tools' && section.slice(0, last).every(isEnding);
}

/** What is known of how a subagent ended, for the call that had started it. Nothing ran for it: it took no time. */
export function isSpawnResult(event: AnyEvent): boolean {
  return event.type === 'tool.completed' && event.name === SPAWN_TOOL && event.durationMs === undefined;
}

/** Nobody asked the tool either, what became of it. */
function isUnknown({ outcome, content: [first] }: Extract<SessionEvent, { type: 'tool.completed' }>): boolean {
  return outcome === 'unknown' && first?.type === 'text' && first.text === unknownOutcomeText;
}

function isEnding(event: SessionEvent): boolean {
  switch (event.type) {
    case 'entry.discarded':
      return event.reason === 'crashed';
    case 'callback.resolved':
      return event.resolution === 'closed';
    case 'tool.completed':
      return event.outcome === 'denied' || isSettlement(event) || isUnknown(event) || isSpawnResult(event);
    default:
      return false;
  }
}

function isStopped(event: SessionEvent): boolean {
  switch (event.type) {
    case 'tool.completed':
      return event.outcome === 'interrupted' || event.outcome === 'not_started';
    case 'callback.resolved':
      return event.resolution === 'closed';
    case 'entry.completed':
      return event.entry.type === 'assistant' && event.entry.aborted === true;
    case 'entry.discarded':
      return event.reason === 'interrupted';
    case 'hook.completed':
      return event.outcome['type'] === 'interrupted';
    default:
      return false;
  }
}
