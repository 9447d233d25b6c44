import type { Effort } from '@rondo/runtime';

const order: readonly Effort[] = ['low', 'medium', 'high', 'xhigh', 'max'];

/** The level asked for, or the next lower one that the model takes, or its lowest; undefined where it takes none. */
export function supportedEffort(asked: Effort | undefined, supported: readonly Effort[]): Effort | undefined {
  if (asked === undefined) return undefined;
  return supported.findLast((level) => order.indexOf(level) <= order.indexOf(asked)) ?? supported[0];
}
