/** What came out of a Glob or Grep in a few words; undefined where the result says nothing of it. */
export function searchSummary(structured: unknown): string | undefined {
  if (typeof structured !== 'object' || structured === null) return undefined;
  const { mode, numFiles, totalFiles, numLines, numMatches, appliedLimit } = structured as Record<string, unknown>;
  if (typeof numFiles !== 'number') return undefined;
  const files =
    typeof totalFiles === 'number' ? `${numFiles} of ${counted(totalFiles, 'file')}` : counted(numFiles, 'file');
  if (mode === 'content' && typeof numLines === 'number') {
    const more = appliedLimit === undefined ? '' : ', more follow';
    return `${counted(numLines, 'line')} in ${counted(numFiles, 'file')}${more}`;
  }
  if (mode === 'count' && typeof numMatches === 'number') return `${counted(numMatches, 'matching line')} in ${files}`;
  return files;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
