import type { Effort, ModelPrice } from '@rondo/runtime';
import type { ModelFacts } from '../model-settings.ts';

/**
 * How a model takes `thinking`: `budget` with a number of tokens, `either` way, `adaptive` or off, `always` on, or with
 * `between_tools` as its word for off.
 */
export type ThinkingStyle = 'budget' | 'either' | 'adaptive' | 'always' | 'between_tools';

export interface CatalogModel extends ModelFacts {
  readonly thinking?: ThinkingStyle;
  /** The levels of effort it takes, lowest first; none means it refuses the field. */
  readonly efforts?: readonly Effort[];
  /** The vendor's word for the least reasoning below its lowest level, e.g. `none`, where the model takes one. */
  readonly noEffort?: string;
  /** The highest effort at which its thinking can be off; any where not given. */
  readonly offUpTo?: Effort;
  /** Its thinking is taken back only where nothing that stood before it has changed. */
  readonly boundThinking?: true;
  /** Counts down a task's tokens by itself, where it is told how many there are. */
  readonly taskBudget?: true;
  /** What it costs from a day on, UTC, where the vendor has said so. */
  readonly laterPrice?: { readonly from: string; readonly price: ModelPrice };
}
