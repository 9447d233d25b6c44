const beforeIndex = '{"type":"content_block_delta","index":';
const beforeText = ',"delta":{"type":"text_delta","text":"';
const afterText = '"}}';
/** What JSON writes with a backslash, or may not hold at all: the end of a text among them. */
const unusual = /["\\\p{Cc}]/u;

/** Begins every line that {@link plainTextDelta} reads of a block. */
export function plainDeltaStart(index: number): string {
  return beforeIndex + index + beforeText;
}

/**
 * The text of an event that is nothing but a piece of text of one block, spelled as the API spells it and without
 * escapes, as nearly all of a reply is. Undefined for anything else, which is then for `JSON.parse` to read.
 * @param start of {@link plainDeltaStart}.
 */
export function plainTextDelta(data: string, start: string): string | undefined {
  if (data.length < start.length + afterText.length) return undefined;
  if (!data.endsWith(afterText) || !data.startsWith(start)) return undefined;
  const text = data.slice(start.length, -afterText.length);
  return unusual.test(text) ? undefined : text;
}
