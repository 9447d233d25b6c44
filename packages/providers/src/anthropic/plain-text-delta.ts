const beforeIndex = 'event: content_block_delta\ndata: {"type":"content_block_delta","index":';
const beforeText = ',"delta":{"type":"text_delta","text":"';
const afterText = '"}}\n\n';
/** Behind the quote that ends a text: what JSON writes with a backslash, or may not hold at all. */
const unusual = /["\\\p{Cc}]/u;

/** Begins every event that {@link readPlainDeltas} knows of a block. */
export function plainDeltaStart(index: number): string {
  return beforeIndex + index + beforeText;
}

export interface PlainDeltas {
  readonly texts: readonly string[];
  /** Where the first event begins that is none of them. */
  readonly next: number;
}

/**
 * The texts of the events at that place that are nothing but a whole piece of text of one block, spelled as the API spells
 * it and without escapes, as nearly all of a reply is. Whatever comes behind them is for `JSON.parse` to read. The work is
 * done by searches over all that has come, not event by event: a loop that ran so often would be compiled twice, in
 * threads beside it, which costs more than the reply.
 * @param start of {@link plainDeltaStart}.
 */
export function readPlainDeltas(stream: string, at: number, start: string): PlainDeltas {
  const last = stream.startsWith(start, at) ? stream.lastIndexOf(afterText) : -1;
  const from = at + start.length;
  if (last < from) return { texts: [], next: at };
  // An event ends at a blank line and nowhere else, so what stands between two of these is the rest of one event.
  const texts = stream.slice(from, last).split(afterText + start);
  if (unusual.test(texts.join(''))) {
    const odd = texts.findIndex((text) => unusual.test(text));
    // Another event behind a plain one.
    const [text = '', ...behind] = texts[odd]?.split(afterText, 2) ?? [];
    texts.splice(odd, Number.POSITIVE_INFINITY, ...(behind.length > 0 && !unusual.test(text) ? [text] : []));
  }
  const around = start.length + afterText.length;
  return { texts, next: texts.reduce((sum, text) => sum + text.length + around, at) };
}
