import { comparePairs, type Pair } from './statistics.ts';

export type Unit = 'ms' | 'µs' | 'MB' | 'KB' | '/s';

/** The most that a row's ratio or its own figure may be. */
export type Budget = { readonly of: 'ratio' | 'figure'; readonly atMost: number };

/** One line of the report. What has no floor is judged by its own figure. */
export interface Row {
  readonly name: string;
  readonly unit: Unit;
  readonly floor?: number;
  readonly ours: number;
  readonly ratio?: number;
  /** The middle half of the ratios of the pairs. */
  readonly spread?: readonly [number, number];
  readonly budget?: Budget;
}

export function rowOfPairs(name: string, unit: Unit, pairs: readonly Pair[], budget?: Budget): Row {
  return { name, unit, ...comparePairs(pairs), ...(budget && { budget }) };
}

export function isWithinBudget({ budget, ratio, ours }: Row): boolean | undefined {
  if (budget === undefined) return undefined;
  const judged = budget.of === 'ratio' ? ratio : ours;
  return judged === undefined ? undefined : judged <= budget.atMost;
}
