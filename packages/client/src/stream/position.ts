import type { TurnRecord } from '@rondo/protocol';
import { parseCursor, RondoError, type CursorPosition } from '@rondo/protocol/values';

/** A place in a session's events: a record, or the cursor of a record, or the ID of an event. */
export type After = TurnRecord | string;

/** The position with the text that the host takes for it. */
export interface Position extends CursorPosition {
  readonly cursor: string;
}

/** @throws RondoError `cursor.invalid` when it is no cursor, or another session's. */
export function positionIn(sessionId: string, after: After): Position {
  const cursor = typeof after === 'string' ? after : after.cursor;
  const position = parseCursor(cursor);
  if (position === undefined) {
    throw new RondoError(
      'cursor.invalid',
      `${JSON.stringify(cursor)} is no cursor; pass a record, its cursor, or an event's id`,
      {
        details: { cursor },
      },
    );
  }
  if (position.sessionId !== sessionId) {
    throw new RondoError(
      'cursor.invalid',
      `the cursor is of session ${position.sessionId}, and this is session ${sessionId}`,
      {
        details: { cursor, sessionId },
      },
    );
  }
  return { ...position, cursor };
}

/** How far a record has seen its session; 0 where its cursor cannot be read. */
export function seenBy(record: TurnRecord): number {
  return parseCursor(record.cursor)?.seq ?? 0;
}
