import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compareKeys, createFirstInOrder } from './first-in-order.ts';

it('keeps the first of any items in any order', () => {
  const items = fc.array(fc.integer({ min: 0, max: 500 }), { maxLength: 5000, size: 'max' });
  fc.assert(
    fc.property(items, fc.constantFrom(0, 1, 7, 1000, Infinity), (all, count) => {
      const first = createFirstInOrder<number>(count, (left, right) => left - right);
      for (const item of all) first.add(item);
      expect(first.items()).toEqual([...all].sort((left, right) => left - right).slice(0, count));
    }),
    { numRuns: 50 },
  );
});

it('orders keys by their code units', () => {
  expect(['b', 'a', 'B', 'a'].sort(compareKeys)).toEqual(['B', 'a', 'a', 'b']);
});
