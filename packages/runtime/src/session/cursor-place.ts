import { parseCursor, RondoError } from '@rondo/protocol/values';

/**
 * The place a cursor names in a session, 0 for its start.
 * @throws RondoError `cursor.invalid` when it is no cursor, another session's, or past the last event.
 */
export function cursorPlace(sessionId: string, after: string | undefined, lastSeq: number): number {
  if (after === undefined) return 0;
  const position = parseCursor(after);
  if (position === undefined)
    throw new RondoError('cursor.invalid', `"${after}" is not a cursor`, { details: { cursor: after } });
  if (position.sessionId !== sessionId) {
    throw new RondoError('cursor.invalid', `the cursor is of session ${position.sessionId}, not of ${sessionId}`, {
      details: { cursor: after, sessionId },
    });
  }
  if (position.seq > lastSeq) {
    throw new RondoError(
      'cursor.invalid',
      `session ${sessionId} has no event ${position.seq}; its last is ${lastSeq}`,
      {
        details: { cursor: after, lastSeq },
      },
    );
  }
  return position.seq;
}
