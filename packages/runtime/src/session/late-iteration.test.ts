import { expect, test } from 'vitest';
import { lateIteration } from './late-iteration.ts';

async function* counted(most: number, ended: () => void): AsyncGenerator<number, void> {
  try {
    for (let index = 1; index <= most; index += 1) yield index;
  } finally {
    ended();
  }
}

test('is opened by its first read, gives what there is, and is over then', async () => {
  let opened = 0;
  const iteration = lateIteration(() => {
    opened += 1;
    return Promise.resolve(counted(2, () => {}));
  });
  expect(opened).toBe(0);
  const reads = await Promise.all([iteration.next(), iteration.next(), iteration.next()]);
  expect(reads.map(({ value }) => value)).toEqual([1, 2, undefined]);
  expect(opened).toBe(1);
  expect(await iteration.next()).toEqual({ done: true, value: undefined });
});

test('what it cannot be opened for is thrown once', async () => {
  const iteration = lateIteration<number>(() => Promise.reject(new Error('no such place')));
  await expect(iteration.next()).rejects.toThrow('no such place');
  expect(await iteration.next()).toEqual({ done: true, value: undefined });
});

test('whoever leaves while it is being opened is given nothing more', async () => {
  const inner = counted(2, () => {});
  const gate = Promise.withResolvers<void>();
  const iteration = lateIteration(async () => {
    await gate.promise;
    return inner;
  });
  const first = iteration.next();
  const left = iteration.return?.();
  gate.resolve();
  await left;
  await first;
  expect(await iteration.next()).toEqual({ done: true, value: undefined });
  expect(await inner.next()).toEqual({ done: true, value: undefined });
});

test('whoever leaves before the first read opens nothing', async () => {
  let opened = 0;
  const iteration = lateIteration(() => {
    opened += 1;
    return Promise.resolve(counted(1, () => {}));
  });
  await iteration.return?.();
  expect(await iteration.next()).toEqual({ done: true, value: undefined });
  expect(opened).toBe(0);
});
