import { RondoError } from '@rondo/protocol/values';

/** A session's place in a list: newest last event first. The ID decides between equal times, so that pages never overlap. */
export interface ListPlace {
  readonly updatedAt: string;
  readonly sessionId: string;
}

/** Negative when the first one stands before the other in the list. */
export function comparePlaces(one: ListPlace, other: ListPlace): number {
  if (one.updatedAt !== other.updatedAt) return one.updatedAt > other.updatedAt ? -1 : 1;
  if (one.sessionId === other.sessionId) return 0;
  return one.sessionId > other.sessionId ? -1 : 1;
}

/** The text of a place, for a page's `next`. */
export function formatPlace({ updatedAt, sessionId }: ListPlace): string {
  return `${updatedAt} ${sessionId}`;
}

/** @throws RondoError `cursor.invalid`. */
export function readPlace(text: string): ListPlace {
  const [updatedAt, sessionId, ...rest] = text.split(' ');
  if (updatedAt !== undefined && sessionId !== undefined && rest.length === 0) return { updatedAt, sessionId };
  throw new RondoError(
    'cursor.invalid',
    `"${text}" is no place in the list of sessions: pass the "next" of the page before.`,
    {
      details: { cursor: text },
    },
  );
}
