import type { ChaosCase } from './chaos-case.ts';

/** Numbers from 0 to below 1, the same for the same seed. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** So many of them, in their order, the same for the same seed; all of them where there are no more. */
export function sample<Item>(items: readonly Item[], count: number, seed: number): Item[] {
  const random = seededRandom(seed);
  const indexes = items.map((_, index) => index);
  for (let last = indexes.length - 1; last > 0; last -= 1) {
    const other = Math.floor(random() * (last + 1));
    const moved = indexes[last] ?? 0;
    indexes[last] = indexes[other] ?? 0;
    indexes[other] = moved;
  }
  const chosen = new Set(indexes.slice(0, count));
  return items.filter((_, index) => chosen.has(index));
}

/** The cases that no sample leaves out, and so many of the others. */
export function sampleCases(cases: readonly ChaosCase[], count: number, seed: number): ChaosCase[] {
  const others = new Set(
    sample(
      cases.filter(({ essential }) => essential !== true),
      count,
      seed,
    ),
  );
  return cases.filter((each) => each.essential === true || others.has(each));
}
