import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { keepAlive } from './keep-alive.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function setUp() {
  const told: object[] = [];
  const over = Promise.withResolvers<void>();
  const wire = {
    written: 0,
    async write(frame: object) {
      wire.written += 1;
      told.push(frame);
    },
  };
  keepAlive(wire, over.promise);
  return { told, wire, over };
}

test('a client that is told nothing for a while is told so, again and again', () => {
  const { told } = setUp();
  vi.advanceTimersByTime(1999);
  expect(told).toEqual([]);
  vi.advanceTimersByTime(4001);
  expect(told).toEqual([{ type: 'keep_alive' }, { type: 'keep_alive' }, { type: 'keep_alive' }]);
});

test('what is told besides is enough', async () => {
  const { told, wire } = setUp();
  await wire.write({ type: 'assistant' });
  vi.advanceTimersByTime(2000);
  expect(told).toEqual([{ type: 'assistant' }]);
});

test('behind the end nothing is told', async () => {
  const { told, over } = setUp();
  over.resolve();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(told).toEqual([]);
  expect(vi.getTimerCount()).toBe(0);
});
