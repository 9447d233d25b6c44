import { setImmediate } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { openingTurn } from './opening-turn.ts';

test('a query that is begun by itself opens at once', async () => {
  expect(openingTurn()).toBeUndefined();
  await setImmediate();
  expect(openingTurn()).toBeUndefined();
  await setImmediate();
});

test('of many that are begun in one moment a few open in each turn of the event loop, in their order', async () => {
  const opened: number[] = [];
  const open = async (index: number): Promise<void> => {
    await openingTurn();
    opened.push(index);
  };
  const all = Promise.all(Array.from({ length: 20 }, (_, index) => open(index)));
  const late = all.then(() => opened.length);
  await Promise.resolve();
  expect(opened).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  await setImmediate();
  expect(opened).toHaveLength(16);
  // Who comes meanwhile is behind those that wait.
  const last = open(20);
  await Promise.all([late, last]);
  expect(opened).toEqual(Array.from({ length: 21 }, (_, index) => index));
  await setImmediate();
  expect(openingTurn()).toBeUndefined();
  await setImmediate();
});

test('clocks that a test holds do not hold its queries', async () => {
  vi.useFakeTimers();
  const opened: number[] = [];
  const all = Array.from({ length: 20 }, async (_, index) => {
    await openingTurn();
    opened.push(index);
  });
  vi.useRealTimers();
  await Promise.all(all);
  expect(opened).toHaveLength(20);
  await setImmediate();
});
