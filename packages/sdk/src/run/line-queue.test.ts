import { expect, test } from 'vitest';
import { createLineQueue } from './line-queue.ts';
import { takeUntil } from './take-until.ts';

test('lines come in order, before and after they are asked for, and then the end', async () => {
  const queue = createLineQueue<number>();
  queue.put([1, 2]);
  expect(await queue.next()).toBe(1);
  expect(await queue.next()).toBe(2);
  const waiting = queue.next();
  queue.put([3]);
  expect(await waiting).toBe(3);
  queue.put([4]);
  queue.end();
  queue.put([5]);
  expect(await queue.next()).toBe(4);
  expect(await queue.next()).toBeUndefined();
});

test('a failure comes after what was put; a drop comes instead of it, and counts once', async () => {
  const failed = createLineQueue<number>();
  failed.put([1]);
  failed.end(new Error('lost'));
  expect(await failed.next()).toBe(1);
  await expect(failed.next()).rejects.toThrow('lost');

  const dropped = createLineQueue<number>();
  const waiting = dropped.next();
  dropped.drop(new Error('stopped'));
  dropped.end();
  await expect(waiting).rejects.toThrow('stopped');

  const over = createLineQueue<number>();
  over.end();
  over.drop(new Error('too late'));
  expect(await over.next()).toBeUndefined();
});

test('a reader whose end is held is told once that settles, however it does', async () => {
  for (const settle of [(held: PromiseWithResolvers<void>) => held.resolve(), rejectWith(new Error('not told'))]) {
    const held = Promise.withResolvers<void>();
    const queue = createLineQueue<number>();
    queue.put([1]);
    queue.drop(undefined, held.promise);
    let isTold = false;
    const reading = queue.next().then((line) => {
      isTold = true;
      return line;
    });
    await Promise.resolve();
    expect(isTold).toBe(false);
    settle(held);
    expect(await reading).toBeUndefined();
  }
});

function rejectWith(error: Error) {
  return (held: PromiseWithResolvers<void>): void => held.reject(error);
}

test('a source is left when the end comes, also while it has nothing to give', async () => {
  let left = false;
  const source: AsyncIterable<number> = {
    [Symbol.asyncIterator]: () => ({
      next: () => new Promise(() => {}),
      return() {
        left = true;
        return Promise.resolve({ done: true as const, value: undefined });
      },
    }),
  };
  const end = Promise.withResolvers<void>();
  const taking = all(takeUntil(source, end.promise));
  end.resolve();
  expect(await taking).toEqual([]);
  expect(left).toBe(true);
});

test('a source that throws when it is left is left all the same', async () => {
  const source: AsyncIterable<number> = {
    [Symbol.asyncIterator]: () => ({
      next: () => Promise.resolve({ done: false as const, value: 1 }),
      return() {
        throw new Error('not now');
      },
    }),
  };
  const end = Promise.withResolvers<void>();
  const taken: number[] = [];
  for await (const value of takeUntil(source, end.promise)) {
    taken.push(value);
    if (taken.length === 3) end.resolve();
    await Promise.resolve();
  }
  expect(taken.slice(0, 3)).toEqual([1, 1, 1]);
});

async function all<Value>(values: AsyncIterable<Value>): Promise<Value[]> {
  const found: Value[] = [];
  for await (const value of values) found.push(value);
  return found;
}

test('what waits is taken without waiting, unless it is held back', async () => {
  const queue = createLineQueue<number>();
  expect(queue.takeWaiting()).toBeUndefined();
  queue.put([1, 2, 3]);
  expect([queue.takeWaiting(), await queue.next(), queue.takeWaiting()]).toEqual([1, 2, 3]);
  queue.put([4]);
  const gate = Promise.withResolvers<void>();
  queue.drop(undefined, gate.promise);
  expect(queue.takeWaiting()).toBeUndefined();
  gate.resolve();
  expect(await queue.next()).toBeUndefined();
});
