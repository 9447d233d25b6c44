import type { Manifest } from '../manifest.ts';
import type { Test } from '../read-tests.ts';
import { rowNames } from '../row-names.ts';
import { mutate } from './mutation.ts';

const leastRows = 40;
const leastOfArea = 2;

/** What is wrong with the mutations without running them: what they change, who is to notice, how many there are. */
export function checkMutations(
  { rows, mutations }: Manifest,
  tests: readonly Test[],
  readSource: (path: string) => string,
): string[] {
  const areas = new Set(rows.map(({ area }) => area));
  const problems: string[] = [];
  for (const mutation of mutations) {
    const { row, test, piece, becomes } = mutation;
    if (piece === becomes) problems.push(`the mutation of ${row} changes nothing`);
    try {
      mutate(readSource(mutation.file), mutation);
    } catch (error) {
      problems.push(error instanceof Error ? error.message : String(error));
    }
    const isShown = tests.some(
      ({ path, titles }) => path === test && titles.some((title) => rowNames(title, areas).includes(row)),
    );
    if (!isShown) problems.push(`${test}: no test names ${row}, whose mutation it is to notice`);
  }
  const mutated = mutatedRows(mutations);
  if (mutated.size < leastRows) problems.push(`${mutated.size} rows have a mutation, ${leastRows} are to`);
  for (const area of areas) {
    const count = rows.filter((row) => row.area === area && mutated.has(row.id)).length;
    if (count < leastOfArea) problems.push(`${count} rows of ${area} have a mutation, ${leastOfArea} are to`);
  }
  return problems;
}

export const mutatedRows = (mutations: Manifest['mutations']): ReadonlySet<string> =>
  new Set(mutations.map(({ row }) => row));
