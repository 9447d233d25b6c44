import { describe, expect, test, vi } from 'vitest';
import { createPushIterator } from './push-iterator.ts';

function make(highWaterMark = 2) {
  const calls: string[] = [];
  const stream = createPushIterator<number>({
    highWaterMark,
    onFull: () => calls.push('full'),
    onDrained: () => calls.push('drained'),
    onLeft: () => calls.push('left'),
  });
  return { calls, stream };
}

describe('ends exactly once', () => {
  test('with the values before the end', async () => {
    const { stream } = make();
    stream.push(1);
    stream.push(2);
    stream.end();
    stream.fail(new Error('late'));
    stream.push(3);
    const values: number[] = [];
    for await (const value of stream) values.push(value);
    expect(values).toEqual([1, 2]);
    expect(await stream.next()).toEqual({ value: undefined, done: true });
  });

  test('a failure is thrown once, behind the values before it', async () => {
    const { stream } = make();
    stream.push(1);
    stream.fail(new Error('broken'));
    expect(await stream.next()).toEqual({ value: 1, done: false });
    await expect(stream.next()).rejects.toThrow('broken');
    expect(await stream.next()).toEqual({ value: undefined, done: true });
  });

  test('an abort overtakes the values', async () => {
    const { stream } = make();
    stream.push(1);
    stream.abort(new Error('stop'));
    await expect(stream.next()).rejects.toThrow('stop');
    expect(await stream.next()).toEqual({ value: undefined, done: true });
  });
});

test('readers that wait are served in order, and only one of them gets the failure', async () => {
  const { stream } = make();
  const reads = Promise.allSettled([stream.next(), stream.next(), stream.next()]);
  stream.push(1);
  stream.fail(new Error('broken'));
  expect((await reads).map((read) => (read.status === 'rejected' ? 'error' : (read.value.value ?? 'done')))).toEqual([
    1,
    'error',
    'done',
  ]);
});

test('says when too much waits and when it has been taken', async () => {
  const { calls, stream } = make();
  for (const value of [1, 2, 3, 4]) stream.push(value);
  expect(calls).toEqual(['full']);
  for (let taken = 0; taken < 3; taken += 1) await stream.next();
  expect(calls).toEqual(['full']);
  await stream.next();
  expect(calls).toEqual(['full', 'drained']);
});

test('leaving early is told, leaving after the end is not', async () => {
  const early = make();
  early.stream.push(1);
  for await (const value of early.stream) {
    expect(value).toBe(1);
    break;
  }
  expect(early.calls).toEqual(['left']);
  const late = make();
  late.stream.end();
  await late.stream.return?.();
  expect(late.calls).toEqual([]);
});

test('a failure that nobody reads is no unhandled rejection', async () => {
  const unhandled = vi.fn();
  process.once('unhandledRejection', unhandled);
  make().stream.fail(new Error('nobody looks'));
  await new Promise((resolve) => setImmediate(resolve));
  process.off('unhandledRejection', unhandled);
  expect(unhandled).not.toHaveBeenCalled();
});

test('what waits far behind is joined where that is allowed, and nothing is lost', async () => {
  const stream = createPushIterator<string>({
    onFull: () => {},
    onDrained: () => {},
    onLeft: () => {},
    join: (last, next) => (next === '|' || last === '|' ? undefined : last + next),
  });
  for (let index = 0; index < 40; index += 1) stream.push(index === 30 ? '|' : 'x');
  stream.end();
  const values: string[] = [];
  for await (const value of stream) values.push(value);
  expect(values.join('')).toBe(`${'x'.repeat(30)}|${'x'.repeat(9)}`);
  expect(values.slice(0, 15)).toEqual(Array.from({ length: 15 }, () => 'x'));
  expect(values.slice(15)).toEqual(['x'.repeat(15), '|', 'x'.repeat(9)]);
});

test('what waits is taken without waiting, in its place, and as read as by any other way', async () => {
  const { calls, stream } = make(1);
  expect(stream.takeWaiting()).toBeUndefined();
  const first = stream.next();
  for (const value of [1, 2, 3]) stream.push(value);
  expect(await first).toEqual({ value: 1, done: false });
  expect([stream.takeWaiting(), stream.takeWaiting(), stream.takeWaiting()]).toEqual([2, 3, undefined]);
  expect(calls).toEqual(['full', 'drained']);
  stream.push(4);
  stream.end();
  expect(stream.takeWaiting()).toBe(4);
  expect(stream.takeWaiting()).toBeUndefined();
  expect(await stream.next()).toEqual({ value: undefined, done: true });
});
