const head = 'event: response.output_text.delta\ndata: {"type":"response.output_text.delta"';
const sequence = ',"sequence_number":';
/** What may stand behind the text without saying anything: nothing to weigh, and noise against listeners. */
const weights = ',"logprobs":[]';
const noise = ',"obfuscation":"';
const end = '}\n\n';
/** What JSON writes with a backslash, or may not hold at all. */
const unusual = /[\\\p{Cc}]/u;

/** One order in which the API writes the fields of a delta: what stands before its text, around the noise, and behind. */
interface Spelling {
  readonly before: string;
  readonly after: string;
  readonly last: string;
}

/** How an event names the part of the output that its text belongs to. */
export interface PlainPlace {
  readonly newer: Spelling;
  readonly older: Spelling;
}

export interface PlainDelta {
  readonly text: string;
  /** Where the event ends. */
  readonly end: number;
}

/** Undefined for an ID that is spelled in more than one way. */
export function plainPlace(itemId: string, outputIndex: number, contentIndex: number): PlainPlace | undefined {
  if (!/^[\w-]+$/.test(itemId)) return undefined;
  return {
    newer: {
      before: `,"content_index":${contentIndex},"delta":"`,
      after: `","item_id":"${itemId}"`,
      last: `,"output_index":${outputIndex}`,
    },
    older: {
      before: `,"item_id":"${itemId}","output_index":${outputIndex},"content_index":${contentIndex},"delta":"`,
      after: '"',
      last: '',
    },
  };
}

/**
 * The text of the event that begins there, if it is nothing but a whole piece of text of one part, spelled as the API
 * spells it and without escapes, as nearly all of a reply is. Undefined for anything else, which is then for
 * `JSON.parse` to read.
 */
export function plainDelta(stream: string, at: number, place: PlainPlace): PlainDelta | undefined {
  if (!stream.startsWith(head, at)) return undefined;
  const from = afterSequence(stream, at + head.length);
  const spelling = stream.startsWith(place.newer.before, from) ? place.newer : place.older;
  if (!stream.startsWith(spelling.before, from)) return undefined;
  const start = from + spelling.before.length;
  const close = stream.indexOf('"', start);
  const next = close === -1 ? -1 : eventEnd(stream, close, spelling);
  if (next === -1) return undefined;
  const text = stream.slice(start, close);
  return unusual.test(text) ? undefined : { text, end: next };
}

/** Where the event ends whose text ends there, or -1 if anything else stands in it. */
function eventEnd(stream: string, close: number, { after, last }: Spelling): number {
  if (!stream.startsWith(after, close)) return -1;
  let at = close + after.length;
  if (stream.startsWith(weights, at)) at += weights.length;
  if (stream.startsWith(noise, at)) {
    const quote = stream.indexOf('"', at + noise.length);
    if (quote === -1) return -1;
    at = quote + 1;
  }
  if (!stream.startsWith(last, at)) return -1;
  at = afterSequence(stream, at + last.length);
  return stream.startsWith(end, at) ? at + end.length : -1;
}

function afterSequence(stream: string, from: number): number {
  if (!stream.startsWith(sequence, from)) return from;
  let at = from + sequence.length;
  while (stream.charCodeAt(at) >= 0x30 && stream.charCodeAt(at) <= 0x39) at += 1;
  return at;
}
