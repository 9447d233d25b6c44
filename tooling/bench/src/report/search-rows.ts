import type { SearchCost, SearchName } from '../search/search-cost.ts';
import { type Row, rowOfPairs } from './row.ts';

const rowNames: readonly (readonly [SearchName, string])[] = [
  ['rareFiles', 'Grep, files with a rare word'],
  ['rareLines', 'Grep, lines with a rare word'],
  ['commonLines', 'Grep, first page of the lines with a common word'],
  ['counts', 'Grep, counts of a common word'],
  ['someFiles', 'Glob, the newest of a fifth of the files'],
  ['allFiles', 'Glob, the newest of all files'],
];

/** The rows of searches, each against ripgrep doing the same work by itself. */
export function searchRows(rounds: readonly SearchCost[], files: number): Row[] {
  const tree = `in ${files.toLocaleString('en')} files`;
  return [
    ...rowNames.map(([name, title]) =>
      rowOfPairs(
        `${title}, ${tree}: wall`,
        'ms',
        rounds.map((round) => round[name]),
        { of: 'ratio', atMost: 1.3 },
      ),
    ),
    {
      name: 'a search is cancelled: the slowest until it is gone',
      unit: 'ms',
      ours: Math.max(...rounds.map(({ cancelledMs }) => cancelledMs)),
      budget: { of: 'figure', atMost: 100 },
    },
  ];
}
