import { describe, expect, test } from 'vitest';
import type { Frame } from '../frame/frame.ts';
import { createMemoryChannel } from './memory-channel.ts';
import { createSerializingChannel } from './serializing-channel.ts';

const frame = (id: number): Frame => ({ jsonrpc: '2.0', id, result: { id } });

async function collect(frames: AsyncIterable<Frame>): Promise<unknown[]> {
  const seen: unknown[] = [];
  for await (const one of frames) seen.push('id' in one ? one.id : undefined);
  return seen;
}

describe.each([
  ['memory', createMemoryChannel],
  ['serializing', createSerializingChannel],
])('%s channel', (_name, create) => {
  test('frames arrive in order, both ways, whether the reader waits or comes late', async () => {
    const [near, far] = create();
    const reading = far.frames[Symbol.asyncIterator]();
    const first = reading.next();
    const second = reading.next();
    near.send(frame(1));
    near.send(frame(2));
    near.send(frame(3));
    far.send(frame(9));
    expect((await first).value).toMatchObject({ id: 1 });
    expect((await second).value).toMatchObject({ id: 2 });
    expect((await reading.next()).value).toMatchObject({ id: 3 });
    expect((await near.frames[Symbol.asyncIterator]().next()).value).toMatchObject({ id: 9 });
  });

  test('a reader that never comes holds nothing up', async () => {
    const [near, far] = create();
    for (let id = 0; id < 10_000; id += 1) near.send(frame(id));
    near.close();
    expect(await collect(far.frames)).toEqual(Array.from({ length: 10_000 }, (_, id) => id));
  });

  test.each(['near', 'far'])('closing at the %s end delivers what was sent, then ends both', async (side) => {
    const [near, far] = create();
    near.send(frame(1));
    far.send(frame(2));
    expect(near.signal.aborted).toBe(false);
    const waiting = near.frames[Symbol.asyncIterator]();
    await waiting.next();
    const pending = waiting.next();
    (side === 'near' ? near : far).close();
    near.close();
    expect(await pending).toEqual({ done: true, value: undefined });
    expect(await collect(far.frames)).toEqual([1]);
    await near.closed;
    await far.closed;
    for (const end of [near, far]) {
      expect(end.signal.aborted).toBe(true);
      expect(() => end.send(frame(3))).toThrow(expect.objectContaining({ code: 'channel.closed' }));
    }
  });

  test('a signal that is first asked for after the close has aborted', () => {
    const [near, far] = create();
    near.close();
    expect(far.signal.aborted).toBe(true);
    expect(far.signal.reason).toMatchObject({ code: 'channel.closed' });
  });

  test('frames are read once', () => {
    const [near] = create();
    near.frames[Symbol.asyncIterator]();
    expect(() => near.frames[Symbol.asyncIterator]()).toThrow(TypeError);
  });

  test('a reader that leaves gets nothing more, and the other end may still send', async () => {
    const [near, far] = create();
    const reading = far.frames[Symbol.asyncIterator]();
    near.send(frame(1));
    const pending = [reading.next(), reading.next()];
    await reading.return?.();
    near.send(frame(2));
    expect((await pending[0])?.value).toMatchObject({ id: 1 });
    expect(await pending[1]).toEqual({ done: true, value: undefined });
    expect(await reading.next()).toEqual({ done: true, value: undefined });
  });
});

test('the memory channel hands over the very object', async () => {
  const [near, far] = createMemoryChannel();
  const sent = frame(1);
  near.send(sent);
  expect((await far.frames[Symbol.asyncIterator]().next()).value).toBe(sent);
});

describe('the serializing channel', () => {
  test('what arrives is a frozen copy', async () => {
    const [near, far] = createSerializingChannel();
    const sent = { jsonrpc: '2.0' as const, id: 1, result: { list: [{ deep: true }] } };
    near.send(sent);
    const { value } = await far.frames[Symbol.asyncIterator]().next();
    expect(value).toEqual(sent);
    expect(value).not.toBe(sent);
    const { result } = value as typeof sent;
    expect(Object.isFrozen(value) && Object.isFrozen(result.list) && Object.isFrozen(result.list[0])).toBe(true);
  });

  test.each([
    ['a function', { result: { run: () => 1 } }, '/result/run'],
    ['a date', { result: { at: new Date(0) } }, '/result/at'],
    ['a number that JSON does not have', { result: [1, Number.NaN] }, '/result/1'],
    ['a hole', { result: [undefined] }, '/result/0'],
    ['a symbol', { result: { [Symbol.for('mark')]: 1 } }, '/result/Symbol(mark)'],
    ['an object with a class', { result: new (class Box {})() }, '/result'],
  ])('%s does not get through, and its place is named', (_what, more, place) => {
    const [near] = createSerializingChannel();
    const send = (): void => near.send({ jsonrpc: '2.0', id: 1, ...more } as unknown as Frame);
    expect(send).toThrow(TypeError);
    expect(send).toThrow(place);
  });

  test('what is no frame does not get through; an undefined member is one that is absent', () => {
    const [near] = createSerializingChannel();
    expect(() => near.send({ jsonrpc: '2.0', id: 1 } as unknown as Frame)).toThrow(/not a frame: result/);
    expect(() => near.send({ jsonrpc: '2.0', id: 1, result: { a: undefined } } as unknown as Frame)).not.toThrow();
  });
});
