import { lineBreaksOf, withLineBreaks, type LineBreak } from '../file/line-break.ts';
import { withoutOverlaps, type Matches, type TextSpan } from './find-matches.ts';

/** A place of the text and what comes there. */
export interface Replacement extends TextSpan {
  readonly text: string;
}

/**
 * What to put where, so that no more of the file changes than must: what a match and the new text have in common at
 * their ends stays as it is. New line breaks are those of the place: of the lines that go, else of the line it is in.
 * A new text that writes CR itself, or replaces one, is put in as written.
 */
export function replacementsFor(text: string, { spans, exactBreaks }: Matches, next: string): Replacement[] {
  const asWritten = exactBreaks || next.includes('\r');
  return withoutOverlaps(spans).map((span) => (asWritten ? { ...span, text: next } : narrow(text, span, next)));
}

function narrow(text: string, { start, end }: TextSpan, next: string): Replacement {
  const units = unitsOf(text.slice(start, end));
  const most = Math.min(units.length, next.length);
  const same = (unit: string | undefined, at: number) =>
    unit === next[at] || (next[at] === '\n' && unit?.startsWith('\r') === true);
  let head = 0;
  while (head < most && same(units[head], head)) head += 1;
  if (head > 0 && isHighSurrogate(next.charCodeAt(head - 1))) head -= 1;
  let tail = 0;
  while (tail < most - head && same(units[units.length - 1 - tail], next.length - 1 - tail)) tail += 1;
  if (tail > 0 && isLowSurrogate(next.charCodeAt(next.length - tail))) tail -= 1;

  const length = (from: number, to: number) => units.slice(from, to).reduce((sum, unit) => sum + unit.length, 0);
  const span = { start: start + length(0, head), end: end - length(units.length - tail, units.length) };
  return { ...span, text: fitBreaks(next.slice(head, next.length - tail), text, span) };
}

/** A text as characters, a CR LF as one. */
function unitsOf(text: string): string[] {
  return text.includes('\r') ? (text.match(/\r\n|[\s\S]/g) ?? []) : text.split('');
}

/** Gives the breaks of a new text the form of those that it replaces, one by one. */
function fitBreaks(next: string, text: string, { start, end }: TextSpan): string {
  if (!next.includes('\n')) return next;
  const old = lineBreaksOf(text.slice(start, end));
  const last = old.at(-1) ?? breakOfLine(text, { start, end });
  if (old.every((each) => each === last)) return withLineBreaks(next, last);
  let at = 0;
  return next.replace(/\n/g, () => old[at++] ?? last);
}

function breakOfLine(text: string, { start, end }: TextSpan): LineBreak {
  const after = breakAt(text, text.slice(end).search(/[\r\n]/) + end, end);
  if (after !== undefined) return after;
  const before = Math.max(text.lastIndexOf('\n', start - 1), text.lastIndexOf('\r', start - 1));
  return start === 0 || before === -1
    ? '\n'
    : (breakAt(text, text[before - 1] === '\r' && text[before] === '\n' ? before - 1 : before, 0) ?? '\n');
}

function breakAt(text: string, at: number, from: number): LineBreak | undefined {
  if (at < from) return undefined;
  if (text[at] === '\n') return '\n';
  if (text[at] !== '\r') return undefined;
  return text[at + 1] === '\n' ? '\r\n' : '\r';
}

function isHighSurrogate(unit: number): boolean {
  return (unit & 0xfc00) === 0xd800;
}

function isLowSurrogate(unit: number): boolean {
  return (unit & 0xfc00) === 0xdc00;
}
