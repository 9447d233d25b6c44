/** Keeps the first so many of what is added, in bounded memory. */
export interface FirstInOrder<Item> {
  add(item: Item): void;
  /** In order. */
  items(): readonly Item[];
}

/** Adding costs little: what cannot be among the first any more is dropped at once, the rest is sorted in bulk. */
export function createFirstInOrder<Item>(
  count: number,
  compare: (left: Item, right: Item) => number,
): FirstInOrder<Item> {
  let kept: Item[] = [];
  /** The last of `count` items seen: what comes after it is not needed. */
  let last: Item | undefined;
  const sort = (): void => {
    kept.sort(compare);
    if (kept.length < count) return;
    kept = kept.slice(0, count);
    last = kept.at(-1);
  };
  return {
    add(item) {
      if (count === 0 || (last !== undefined && compare(item, last) >= 0)) return;
      kept.push(item);
      if (kept.length >= 2 * count + 1000) sort();
    },
    items() {
      sort();
      return kept;
    },
  };
}

/** Order of strings by their code units. */
export function compareKeys(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
