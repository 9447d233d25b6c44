const head = 'event: response.output_text.delta\ndata: {"type":"response.output_text.delta"';
const sequence = ',"sequence_number":';
/** What may stand behind the text without saying anything: nothing to weigh, and noise against listeners. */
const noise = '(?:,"logprobs":\\[\\])?(?:,"obfuscation":"[\\w-]*")?';
/** What JSON writes with a backslash, or may not hold at all. */
const unusual = /[\\\p{Cc}]/u;

/** One order in which the API writes the fields of a delta: what stands before its text, and what behind. */
interface Spelling {
  readonly before: string;
  readonly behind: RegExp;
}

/** How an event names the part of the output that its text belongs to. */
export type PlainPlace = readonly Spelling[];

export interface PlainDelta {
  readonly text: string;
  /** Where the event ends. */
  readonly end: number;
}

/** Undefined for an ID that is spelled in more than one way. */
export function plainPlace(itemId: string, outputIndex: number, contentIndex: number): PlainPlace | undefined {
  if (!/^[\w-]+$/.test(itemId)) return undefined;
  return [
    {
      before: `,"content_index":${contentIndex},"delta":"`,
      behind: ending(`,"item_id":"${itemId}"${noise},"output_index":${outputIndex}`),
    },
    {
      before: `,"item_id":"${itemId}","output_index":${outputIndex},"content_index":${contentIndex},"delta":"`,
      behind: ending(noise),
    },
  ];
}

function ending(fields: string): RegExp {
  return new RegExp(`"${fields}(?:,"sequence_number":\\d+)?\\}\\n\\n`, 'y');
}

/**
 * The text of the event that begins there, if it is nothing but a whole piece of text of one part, spelled as the API
 * spells it and without escapes, as nearly all of a reply is. Undefined for anything else, which is then for
 * `JSON.parse` to read.
 */
export function plainDelta(stream: string, at: number, place: PlainPlace): PlainDelta | undefined {
  if (!stream.startsWith(head, at)) return undefined;
  let from = at + head.length;
  if (stream.startsWith(sequence, from)) from = afterDigits(stream, from + sequence.length);
  for (const { before, behind } of place) {
    if (!stream.startsWith(before, from)) continue;
    const start = from + before.length;
    const end = stream.indexOf('"', start);
    if (end === -1) return undefined;
    behind.lastIndex = end;
    if (!behind.test(stream)) return undefined;
    const text = stream.slice(start, end);
    return unusual.test(text) ? undefined : { text, end: behind.lastIndex };
  }
  return undefined;
}

function afterDigits(stream: string, from: number): number {
  let at = from;
  while (stream.charCodeAt(at) >= 0x30 && stream.charCodeAt(at) <= 0x39) at += 1;
  return at;
}
