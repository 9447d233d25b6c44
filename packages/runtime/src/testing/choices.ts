import { seededRandom } from './random-world.ts';

/** What something generated is made by: each choice that it takes. */
export interface Choices {
  /** A whole number from 0 to below that. */
  below(limit: number): number;
  /** One of a list that is not empty. */
  pick<Item>(items: readonly Item[]): Item;
}

/** The same choices for the same seed. */
export function seededChoices(seed: number): Choices {
  const random = seededRandom(seed);
  const below = (limit: number): number => Math.floor(random() * limit);
  return {
    below,
    pick<Item>(items: readonly Item[]): Item {
      const item = items[below(items.length)];
      if (item === undefined) throw new TypeError('there is nothing to pick from');
      return item;
    },
  };
}
