import { expect, test } from 'vitest';
import { searchSummary } from './search-summary.ts';

test.each<[unknown, string | undefined]>([
  [{ durationMs: 1, numFiles: 3, filenames: [], truncated: false }, '3 files'],
  [{ durationMs: 1, numFiles: 100, filenames: [], truncated: true, totalFiles: 2500 }, '100 of 2500 files'],
  [{ mode: 'files_with_matches', numFiles: 1, filenames: ['a'] }, '1 file'],
  [{ mode: 'files_with_matches', numFiles: 0, filenames: [] }, '0 files'],
  [{ mode: 'content', numFiles: 2, filenames: [], content: '', numLines: 5, totalFiles: 9 }, '5 lines in 2 files'],
  [
    { mode: 'content', numFiles: 1, filenames: [], numLines: 250, appliedLimit: 250 },
    '250 lines in 1 file, more follow',
  ],
  [{ mode: 'count', numFiles: 2, filenames: [], numMatches: 7, totalFiles: 3 }, '7 matching lines in 2 of 3 files'],
  [undefined, undefined],
  ['Error: no', undefined],
])('%j', (structured, summary) => {
  expect(searchSummary(structured)).toBe(summary);
});
