import type { TurnLimits } from '@rondo/protocol';
import type { Options } from '../options/options.ts';

/** What the next turn may use, where that is limited: the turns of any turn, and what the query's budget has left. */
export function remainingLimits({ maxTurns, maxBudgetUsd }: Options, spentUsd: number): { limits?: TurnLimits } {
  if (maxTurns === undefined && maxBudgetUsd === undefined) return {};
  return {
    limits: {
      ...(maxTurns === undefined ? {} : { maxTurns }),
      // A budget that is used up is no budget of nothing: the next turn ends at its first cost.
      ...(maxBudgetUsd === undefined ? {} : { maxBudgetUsd: Math.max(maxBudgetUsd - spentUsd, Number.EPSILON) }),
    },
  };
}
