import { withLineFeeds } from '../file/line-break.ts';

/** Says what in the text is nearest to a text that is not there, so that the next attempt can be right. */
export function describeMismatch(text: string, wanted: string): string {
  const wantedLines = withLineFeeds(wanted).split('\n');
  if (wantedLines.every((line) => line === '' || /^\s*\d+\t/.test(line))) {
    return 'It begins its lines with numbers and tabs as Read shows them; those are not part of the file.';
  }
  const first = wantedLines.findIndex((line) => line.trim() !== '');
  if (first === -1) return 'It has blanks only, and the file has no such blanks.';
  const lines = withLineFeeds(text).split('\n');
  const best = nearest(lines, wantedLines, first);
  if (best === undefined) return `No line of the file has its first line, ${quote(wantedLines[first] ?? '')}.`;
  const { line, matching } = best;
  const at = first + matching;
  if (at >= wantedLines.length)
    return `Line ${line + 1} begins a place that differs only in blanks: there it reads ${quote(lines[line] ?? '')}.`;
  const found = lines[line + matching];
  return found === undefined
    ? `The nearest place begins in line ${line + 1}, but the file ends before ${quote(wantedLines[at] ?? '')}.`
    : `The nearest place begins in line ${line + 1}; line ${line + matching + 1} reads ${quote(found)}, old_string has ${quote(wantedLines[at] ?? '')}.`;
}

/** The line from which the most lines agree, blanks at their ends aside. */
function nearest(lines: readonly string[], wanted: readonly string[], first: number) {
  const head = wanted[first]?.trim() ?? '';
  const agrees = (line: number, index: number) => lines[line]?.trim() === wanted[index]?.trim();
  let best: { line: number; matching: number } | undefined;
  for (const [line, text] of lines.entries()) {
    if (!text.includes(head)) continue;
    let matching = 0;
    while (
      first + matching < wanted.length &&
      (matching === 0 ? text.trim() === head : agrees(line + matching, first + matching))
    )
      matching += 1;
    if (best === undefined || matching > best.matching) best = { line, matching };
  }
  return best;
}

function quote(line: string): string {
  return JSON.stringify(line.length <= 120 ? line : `${line.slice(0, 119)}…`);
}
