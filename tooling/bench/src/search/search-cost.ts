import type { Pair } from '../report/statistics.ts';

export type SearchName = 'rareFiles' | 'rareLines' | 'commonLines' | 'counts' | 'someFiles' | 'allFiles';

/** Milliseconds that one round of searches took, by ripgrep alone and by the tools. */
export type SearchCost = Readonly<Record<SearchName, Pair>> & {
  /** From an abort until the call has ended. */
  readonly cancelledMs: number;
};
