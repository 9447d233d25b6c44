import { readFileSync } from 'node:fs';

const folder = new URL('../../fixtures/shell-lines/', import.meta.url);

/** The lines of one kind that `fixtures/shell-lines/` holds: one a row, with `⏎` for a line's end and `⇥` for a tab in it. */
export function shellLines(kind: string): readonly string[] {
  const rows = readFileSync(new URL(`${kind}.txt`, folder), 'utf8').split('\n');
  return rows
    .filter((row) => row !== '' && !row.startsWith('# '))
    .map((row) => row.replaceAll('⏎', '\n').replaceAll('⇥', '\t'));
}
