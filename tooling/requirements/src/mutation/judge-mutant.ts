import { rowNames } from '../row-names.ts';
import type { TestOutcome } from './mutation-run.ts';

export type Verdict =
  | { readonly type: 'noticed'; readonly failed: number; readonly othersPassed: number }
  /** `why` says what the test, or the mutation, lacks. */
  | { readonly type: 'survived' | 'invalid'; readonly why: string };

export interface MutantRuns {
  readonly row: string;
  readonly areas: ReadonlySet<string>;
  readonly before: readonly TestOutcome[];
  readonly after: readonly TestOutcome[];
}

/**
 * Whether a row's tests notice its mutation: they pass without it and one fails with it, while another test of the file
 * passes, without which the mutant may be one that does not load.
 */
export function judgeMutant({ row, areas, before, after }: MutantRuns): Verdict {
  const isOfRow = ({ titles }: TestOutcome): boolean => titles.some((title) => rowNames(title, areas).includes(row));
  const own = before.filter(isOfRow);
  if (own.length === 0) return { type: 'invalid', why: 'no test of the file that ran names the row' };
  if (!own.every(({ hasPassed }) => hasPassed))
    return { type: 'invalid', why: 'the row’s test fails without the mutation too' };
  const othersPassed = after.filter((outcome) => !isOfRow(outcome) && outcome.hasPassed).length;
  if (othersPassed === 0) return { type: 'invalid', why: 'no other test of the file passes: it may not have loaded' };
  const failed = after.filter((outcome) => isOfRow(outcome) && !outcome.hasPassed).length;
  if (failed === 0) return { type: 'survived', why: 'the row’s test passes all the same' };
  return { type: 'noticed', failed, othersPassed };
}
