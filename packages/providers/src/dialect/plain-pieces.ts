/** What JSON writes with a backslash, or may not hold at all. */
const unusual = /[\\\p{Cc}]/u;

/** Pieces that come at once in greater number are joined: a reader cannot have them one by one any more. */
const piecesApart = 16;
const longestJoined = 16 * 1024;

/** What stands around the text in an event's data that is nothing but a piece of it. */
export interface PieceFrame {
  /** To the first character of the text. */
  readonly before: string;
  /** From the quote behind the text. */
  readonly after: string;
}

/** The text in the frame, if the data is that and the text has no escapes, as nearly all of a reply is. */
export function plainPiece(data: string, { before, after }: PieceFrame): string | undefined {
  if (!data.startsWith(before) || !data.endsWith(after)) return undefined;
  const text = data.slice(before.length, Math.max(before.length, data.length - after.length));
  return text.includes('"') || unusual.test(text) ? undefined : text;
}

/**
 * Reads the events that stand one behind the other from that place on, as long as each is the frame around a text
 * without escapes, and says where they end. The frame is that of whole events, to the end of the blank line. Anything
 * else is for `JSON.parse` to read.
 */
export function readPlainPieces(
  stream: string,
  from: number,
  { before, after }: PieceFrame,
  take: (text: string) => void,
): { readonly end: number; readonly pieces: number } {
  let at = from;
  let joined = '';
  let pieces = 0;
  while (stream.startsWith(before, at)) {
    const start = at + before.length;
    const end = stream.indexOf('"', start);
    if (end === -1 || !stream.startsWith(after, end)) break;
    const text = stream.slice(start, end);
    if (unusual.test(text)) break;
    joined += text;
    at = end + after.length;
    pieces += 1;
    if (pieces > piecesApart && joined.length <= longestJoined) continue;
    take(joined);
    joined = '';
  }
  if (joined !== '') take(joined);
  return { end: at, pieces };
}
