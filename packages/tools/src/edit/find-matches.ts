import { withLineFeeds } from '../file/line-break.ts';

/** A place in a text, `end` excluded. */
export interface TextSpan {
  readonly start: number;
  readonly end: number;
}

export interface Matches {
  readonly spans: readonly TextSpan[];
  /** True when line breaks were compared as written, not as equal to each other. */
  readonly exactBreaks: boolean;
}

/**
 * Every place where a text is found, overlapping ones too. Line breaks of all kinds are equal, and a match takes in the
 * whole of a CR LF; only a wanted text that writes CR itself is first looked for exactly.
 */
export function findMatches(text: string, wanted: string): Matches {
  if (wanted.includes('\r')) {
    const spans = occurrences(text, wanted);
    if (spans.length > 0) return { spans, exactBreaks: true };
  }
  const normal = withLineFeeds(text);
  const spans = occurrences(normal, withLineFeeds(wanted));
  if (normal.length === text.length) return { spans, exactBreaks: false };
  const shift = shiftOf(text);
  const place = (index: number) => index + shift(index);
  return { spans: spans.map(({ start, end }) => ({ start: place(start), end: place(end) })), exactBreaks: false };
}

/** Those matches that a replacement from left to right reaches: without the ones that overlap an earlier one. */
export function withoutOverlaps(spans: readonly TextSpan[]): TextSpan[] {
  let end = 0;
  return spans.filter((span) => {
    if (span.start < end) return false;
    end = span.end;
    return true;
  });
}

function occurrences(text: string, wanted: string): TextSpan[] {
  const spans: TextSpan[] = [];
  if (wanted === '') return spans;
  for (let start = text.indexOf(wanted); start !== -1; start = text.indexOf(wanted, start + 1)) {
    spans.push({ start, end: start + wanted.length });
  }
  return spans;
}

/** How many characters more the text has before an index of its form with `\n` alone: its CR LFs before that. */
function shiftOf(text: string): (index: number) => number {
  const pairs: number[] = [];
  for (let at = text.indexOf('\r\n'); at !== -1; at = text.indexOf('\r\n', at + 2)) pairs.push(at - pairs.length);
  return (index) => {
    let low = 0;
    let high = pairs.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((pairs[middle] ?? 0) < index) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}
