import { printableText } from './printable-text.ts';
import type { Paint } from './painter.ts';

interface Hunk {
  readonly oldStart: number;
  readonly lines: readonly string[];
}

/** The changed lines of a tool's structured patch, `-` and `+` with what surrounds them; undefined when it has none. */
export function patchLines(structured: unknown, paint: Paint, limit: number): string[] | undefined {
  if (typeof structured !== 'object' || structured === null || !('structuredPatch' in structured)) return undefined;
  const { structuredPatch } = structured;
  if (!Array.isArray(structuredPatch) || structuredPatch.length === 0) return undefined;
  const lines = structuredPatch.filter(isHunk).flatMap((hunk) => [`@@ line ${hunk.oldStart}`, ...hunk.lines]);
  return paintDiff(lines, paint, limit);
}

/** One text in place of another, without the lines both begin and end with. */
export function replacementLines(before: string, after: string, paint: Paint, limit: number): string[] {
  const old = before === '' ? [] : before.split('\n');
  const fresh = after === '' ? [] : after.split('\n');
  let start = 0;
  while (start < old.length && start < fresh.length && old[start] === fresh[start]) start += 1;
  let end = 0;
  while (end < old.length - start && end < fresh.length - start && old.at(-1 - end) === fresh.at(-1 - end)) end += 1;
  const removed = old.slice(start, old.length - end).map((line) => `-${line}`);
  const added = fresh.slice(start, fresh.length - end).map((line) => `+${line}`);
  return paintDiff([...removed, ...added], paint, limit);
}

function paintDiff(lines: readonly string[], paint: Paint, limit: number): string[] {
  const painted = lines.slice(0, limit).map((line) => {
    const text = printableText(line).replaceAll('\n', '␍');
    if (line.startsWith('+')) return paint('green', text);
    if (line.startsWith('-')) return paint('red', text);
    return paint('dim', text);
  });
  return lines.length <= limit ? painted : [...painted, paint('dim', `… ${lines.length - limit} more lines`)];
}

function isHunk(value: unknown): value is Hunk {
  return (
    typeof value === 'object' &&
    value !== null &&
    'oldStart' in value &&
    typeof value.oldStart === 'number' &&
    'lines' in value &&
    Array.isArray(value.lines) &&
    value.lines.every((line) => typeof line === 'string')
  );
}
