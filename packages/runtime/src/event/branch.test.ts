import { expect, test } from 'vitest';
import { branch, type LeftBehind } from './branch.ts';

test.each(Array.from({ length: 60 }, (_, seed) => seed + 1))('goes wherever a tree would go (seed %i)', (seed) => {
  let state = seed;
  const random = (most: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * most);
  };
  /** Each item's parent: what a tree knows. */
  const parents = new Map<number, number>();
  const pathTo = (item: number): number[] => (item === 0 ? [] : [...pathTo(parents.get(item) ?? 0), item]);
  const current: number[] = [];
  const leftBehind: LeftBehind<number>[] = [];
  for (let step = 1; step <= 60; step += 1) {
    if (random(3) > 0 || parents.size === 0) {
      const item = parents.size + 1;
      parents.set(item, current.at(-1) ?? 0);
      current.push(item);
      continue;
    }
    const target = 1 + random(parents.size);
    expect(branch(current, leftBehind, (item) => item === target)).toBe(true);
    expect(current).toEqual(pathTo(target));
  }
  const before = [...current];
  expect(branch(current, leftBehind, (item) => item === -1)).toBe(false);
  expect(current).toEqual(before);
});
