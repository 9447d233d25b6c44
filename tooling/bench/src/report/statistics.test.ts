import { expect, test } from 'vitest';
import { comparePairs, median, quantile } from './statistics.ts';

test('the median is the middle value, or lies between the two middle ones', () => {
  expect(median([9, 1, 5])).toBe(5);
  expect(median([4, 1, 3, 2])).toBe(2.5);
});

test('values are compared as numbers, and the caller keeps its order', () => {
  const values = [100, 9, 20];
  expect(median(values)).toBe(20);
  expect(values).toEqual([100, 9, 20]);
});

test('a quantile is interpolated, and its ends are the extremes', () => {
  expect(quantile([10, 20, 30, 40, 50], 0.25)).toBe(20);
  expect(quantile([10, 20], 0.75)).toBe(17.5);
  expect(quantile([3, 1, 2], 0)).toBe(1);
  expect(quantile([3, 1, 2], 1)).toBe(3);
});

test('no values have no quantile', () => {
  expect(() => median([])).toThrow(RangeError);
});

test('a minute in which the machine was slow does not change the ratio', () => {
  const quiet = [
    { floor: 10, ours: 15 },
    { floor: 10, ours: 15 },
  ];
  const busy = { floor: 100, ours: 150 };
  expect(comparePairs([...quiet, busy]).ratio).toBe(1.5);
  expect(comparePairs([busy, ...quiet])).toEqual({ floor: 10, ours: 15, ratio: 1.5, spread: [1.5, 1.5] });
});

test('the ratio is that of the middle pair, which the ratio of the medians is not', () => {
  const pairs = [
    { floor: 1, ours: 3 },
    { floor: 2, ours: 2 },
    { floor: 3, ours: 1 },
  ];
  expect(comparePairs(pairs).ratio).toBe(1);
  const skewed = [
    { floor: 1, ours: 2 },
    { floor: 4, ours: 4 },
    { floor: 5, ours: 20 },
  ];
  expect(comparePairs(skewed).ratio).toBe(2);
});
