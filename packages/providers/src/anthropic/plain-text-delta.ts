const beforeIndex = 'event: content_block_delta\ndata: {"type":"content_block_delta","index":';
const beforeText = ',"delta":{"type":"text_delta","text":"';
const afterText = '"}}\n\n';
/** What JSON writes with a backslash, or may not hold at all. */
const unusual = /[\\\p{Cc}]/u;

/** Begins every event that {@link plainDeltaEnd} knows of a block. */
export function plainDeltaStart(index: number): string {
  return beforeIndex + index + beforeText;
}

/**
 * Where the text of a delta ends, if the event at that place is nothing but a whole piece of text of one block, spelled
 * as the API spells it and without escapes, as nearly all of a reply is. Undefined for anything else, which is then for
 * `JSON.parse` to read.
 * @param start of {@link plainDeltaStart}: the text of the delta begins behind it.
 */
export function plainDeltaEnd(stream: string, at: number, start: string): number | undefined {
  if (!stream.startsWith(start, at)) return undefined;
  const from = at + start.length;
  const end = stream.indexOf('"', from);
  if (end === -1 || !stream.startsWith(afterText, end)) return undefined;
  return unusual.test(stream.slice(from, end)) ? undefined : end;
}

/** Where the event ends whose text ends there. */
export function plainDeltaNext(end: number): number {
  return end + afterText.length;
}
