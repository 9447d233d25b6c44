import type { AnyEvent } from '@rondo/protocol';

/** Lines below this are read whole: leaving something out of them would save next to nothing. */
const BRIEF_FROM_BYTES = 4096;
/** Longer strings are left out. */
const KEPT_BYTES = 256;
const QUOTE = 34;
const BACKSLASH = 92;

/** Only simple members before its type. A line that begins otherwise is read whole. */
const resultLine = /^\{(?:"[A-Za-z]+":(?:"[^"\\]*"|\d+),)*?"type":"tool\.completed",/;
const decoder = new TextDecoder();

const briefEvents = new WeakSet<AnyEvent>();

/** The event is a result whose long texts were left out while its log was read. */
export function isBrief(event: AnyEvent): boolean {
  return briefEvents.has(event);
}

export function markBrief(event: AnyEvent): void {
  briefEvents.add(event);
}

/**
 * The JSON text of a long result with its long strings empty, or undefined for any other line. Results are most of a
 * long log: making strings of them that nobody looks at takes most of the time and memory of reading it.
 */
export function briefText(json: Uint8Array): string | undefined {
  if (json.length < BRIEF_FROM_BYTES || !resultLine.test(decoder.decode(json.subarray(0, 256)))) return undefined;
  const kept: string[] = [];
  let from = 0;
  for (let open = json.indexOf(QUOTE); open !== -1; ) {
    const close = closingQuote(json, open + 1);
    if (close === -1) return undefined;
    if (close - open > KEPT_BYTES) {
      kept.push(decoder.decode(json.subarray(from, open + 1)));
      from = close;
    }
    open = json.indexOf(QUOTE, close + 1);
  }
  kept.push(decoder.decode(json.subarray(from)));
  return kept.join('');
}

/** A quote behind an odd number of backslashes is one of the string's own. */
function closingQuote(json: Uint8Array, from: number): number {
  for (let quote = json.indexOf(QUOTE, from); quote !== -1; quote = json.indexOf(QUOTE, quote + 1)) {
    let before = quote;
    while (before > from && json[before - 1] === BACKSLASH) before -= 1;
    if ((quote - before) % 2 === 0) return quote;
  }
  return -1;
}
