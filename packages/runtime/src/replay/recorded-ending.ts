import type { AnyEvent, SessionEvent } from '@rondo/protocol';
import { settledText } from '../turn/settle-turn.ts';
import type { TurnStop } from '../turn/turn-parts.ts';
import type { RecordedCalls } from './recorded-calls.ts';
import { isHeldBack, type RecordedEvents } from './recorded-events.ts';

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
  if ('terminalReason' in end.record && end.record.terminalReason === 'max_duration') return 'max_duration';
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

/** Where nothing was at work, only what did not happen any more tells that the turn was stopped when these were said. */
export function isStoppedBehind(
  said: readonly SessionEvent[],
  next: SessionEvent | undefined,
  calls: RecordedCalls,
): boolean {
  const last = said.at(-1);
  const started = last?.type === 'tool.started' ? calls.all.get(last.callId) : undefined;
  const isNotRun = started?.completed?.outcome === 'not_started';
  const isJudged = said.some(({ type }) => type === 'hook.completed');
  const hasJoined = last?.type === 'entry.completed' && last.entry.type === 'message';
  const isOver = (last?.type === 'tool.completed' || isJudged || hasJoined) && next?.type === 'turn.ended';
  const isUnheard =
    last?.type === 'hook.completed' && next?.type === 'tool.completed' && next.outcome === 'interrupted';
  return isNotRun || isOver || isUnheard || (last?.type === 'tool.completed' && isUntouched(next, calls));
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
  if (end?.type !== 'turn.ended' || end.record.type !== 'interrupted') return false;
  return end.record.terminalReason === 'aborted_tools' && section.slice(0, last).every(isEnding);
}

function isEnding(event: SessionEvent): boolean {
  switch (event.type) {
    case 'entry.discarded':
      return event.reason === 'crashed';
    case 'callback.resolved':
      return event.resolution === 'closed';
    case 'tool.completed':
      return event.outcome === 'denied' || event.outcome === 'unknown' || isSettlement(event);
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
