import { expect, test } from 'vitest';
import { pushIterable, type PushSink } from './push-iterable.ts';

function source() {
  const sinks: PushSink<number>[] = [];
  let stops = 0;
  const iterable = pushIterable<number>((sink) => {
    sinks.push(sink);
    return () => (stops += 1);
  });
  return { iterable, sinks, stops: () => stops };
}

test('nothing starts before the first next', async () => {
  const { iterable, sinks } = source();
  const iterator = iterable[Symbol.asyncIterator]();
  expect(sinks).toHaveLength(0);
  const next = iterator.next();
  expect(sinks).toHaveLength(1);
  sinks[0]?.push(1);
  expect(await next).toEqual({ done: false, value: 1 });
});

test('several pending nexts are served in order, then what waits', async () => {
  const { iterable, sinks } = source();
  const iterator = iterable[Symbol.asyncIterator]();
  const pending = [iterator.next(), iterator.next()];
  for (const value of [1, 2, 3]) sinks[0]?.push(value);
  sinks[0]?.end();
  expect(await Promise.all(pending)).toEqual([
    { done: false, value: 1 },
    { done: false, value: 2 },
  ]);
  expect(await iterator.next()).toEqual({ done: false, value: 3 });
  expect(await iterator.next()).toEqual({ done: true, value: undefined });
  expect(await iterator.next()).toEqual({ done: true, value: undefined });
});

test('an error comes after what was pushed, once, and stops the source once', async () => {
  const { iterable, sinks, stops } = source();
  const iterator = iterable[Symbol.asyncIterator]();
  const first = iterator.next();
  sinks[0]?.push(1);
  sinks[0]?.push(2);
  sinks[0]?.end(new Error('broken'));
  sinks[0]?.end(new Error('again'));
  sinks[0]?.push(3);
  await first;
  expect(await iterator.next()).toEqual({ done: false, value: 2 });
  await expect(iterator.next()).rejects.toThrow('broken');
  expect(await iterator.next()).toEqual({ done: true, value: undefined });
  expect(stops()).toBe(1);
});

test('of several pending nexts one gets the error', async () => {
  const { iterable, sinks } = source();
  const iterator = iterable[Symbol.asyncIterator]();
  const pending = [iterator.next(), iterator.next()];
  sinks[0]?.end(new Error('broken'));
  const results = await Promise.allSettled(pending);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
});

test('leaving settles a pending next, drops what waits and an error, and stops at once', async () => {
  const { iterable, sinks, stops } = source();
  const iterator = iterable[Symbol.asyncIterator]();
  const pending = iterator.next();
  await iterator.return?.();
  expect(stops()).toBe(1);
  expect(await pending).toEqual({ done: true, value: undefined });
  sinks[0]?.end(new Error('late'));
  expect(await iterator.next()).toEqual({ done: true, value: undefined });
});

test('leaving before the first next starts nothing', async () => {
  const { iterable, sinks } = source();
  const iterator = iterable[Symbol.asyncIterator]();
  await iterator.return?.();
  expect(await iterator.next()).toEqual({ done: true, value: undefined });
  expect(sinks).toHaveLength(0);
});

test('a source that ends while it starts is stopped too', async () => {
  let stops = 0;
  const iterable = pushIterable<number>((sink) => {
    sink.push(1);
    sink.end();
    return () => (stops += 1);
  });
  const values: number[] = [];
  for await (const value of iterable) values.push(value);
  expect(values).toEqual([1]);
  expect(stops).toBe(1);
});

test('what waits is taken without waiting, and what is read then comes behind it', async () => {
  const { iterable, sinks } = source();
  const iterator = iterable[Symbol.asyncIterator]();
  expect(iterator.takeWaiting()).toBeUndefined();
  expect(sinks).toHaveLength(0);
  const first = iterator.next();
  for (const value of [1, 2, 3]) sinks[0]?.push(value);
  expect(await first).toEqual({ done: false, value: 1 });
  expect(iterator.takeWaiting()).toBe(2);
  expect(await iterator.next()).toEqual({ done: false, value: 3 });
  expect(iterator.takeWaiting()).toBeUndefined();
});
