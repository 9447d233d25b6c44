/** A place in a session's view of its log: just behind the event with this `seq`; 0 is the start. */
export interface CursorPosition {
  readonly sessionId: string;
  readonly seq: number;
}

/** The opaque text of a cursor. It names its session, so that another session's cursor is refused before any read. */
export function formatCursor(position: CursorPosition): string {
  return `${position.sessionId}:${position.seq}`;
}

/** The place that a cursor names, or undefined when the text was never a cursor. */
export function parseCursor(cursor: string): CursorPosition | undefined {
  const separator = cursor.lastIndexOf(':');
  if (separator <= 0) return undefined;
  const digits = cursor.slice(separator + 1);
  if (!/^(0|[1-9]\d{0,15})$/.test(digits)) return undefined;
  const seq = Number(digits);
  return Number.isSafeInteger(seq) ? { sessionId: cursor.slice(0, separator), seq } : undefined;
}
