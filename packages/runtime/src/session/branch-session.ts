import type { AnyEvent, SessionBranched } from '@rondo/protocol';
import { RondoError } from '@rondo/protocol/values';
import { isPlace } from '../event/apply-event.ts';
import { branch } from '../event/branch.ts';
import type { EventDraft } from '../event/event-draft.ts';
import type { SessionState } from '../event/session-state.ts';

/**
 * What is said when a session goes on from an earlier place; nothing where that is its end.
 * @throws RondoError `session.busy` while a turn is at work, `cursor.invalid` where the conversation has no such place.
 */
export function branchDrafts(state: SessionState, from: SessionBranched['from']): EventDraft[] {
  const { sessionId, conversation, leftBehind, active } = state;
  if (active !== undefined) {
    const message = `session ${sessionId} is at work: it goes on from an earlier place once turn ${active.turnId} has ended`;
    throw new RondoError('session.busy', message, { details: { sessionId, turnId: active.turnId } });
  }
  const isLast = isPlace(from);
  if (conversation.findLastIndex(isLast) === conversation.length - 1 && conversation.length > 0) return [];
  if (!branch([...conversation], [...leftBehind], isLast))
    throw noPlace(sessionId, 'was taken back, or was never said');
  return [{ type: 'session.branched', required: true, from }];
}

/**
 * The place that an event stands for.
 * @throws RondoError `cursor.invalid` for an event that says nothing to go on from.
 */
export function placeOfEvent(sessionId: string, event: AnyEvent | undefined): SessionBranched['from'] {
  if (event?.sessionId === sessionId && event.type === 'tool.completed') return { callId: event.callId };
  if (event?.sessionId === sessionId && event.type === 'entry.completed' && event.entry.type !== 'unknown')
    return { entryId: event.entry.id };
  throw noPlace(sessionId, `is ${event?.type ?? 'nothing'}; name an entry, or the result of a call`);
}

function noPlace(sessionId: string, why: string): RondoError {
  const message = `session ${sessionId} cannot go on from there: what the cursor names ${why}`;
  return new RondoError('cursor.invalid', message, { details: { sessionId } });
}
