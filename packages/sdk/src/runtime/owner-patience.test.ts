import { RondoError } from '@rondo/protocol/values';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createRoutedRuntime } from './routed-runtime.ts';
import type { OwnersRuntime } from './session-bindings.ts';

const params = { sessionId: 's', bindingId: 'b', content: [{ type: 'text', text: 'hello' }] } as const;
const started = { type: 'started' as const, started: true, turnId: 't', messageId: 'm' };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A runtime whose session another process owns, without an address, for so many tries. */
function setUp(refusals: number) {
  let tries = 0;
  const startTurn = (): Promise<typeof started> => {
    tries += 1;
    if (tries > refusals) return Promise.resolve(started);
    return Promise.reject(new RondoError('session.in_use', 'held', { details: { sessionId: 's', pid: 1 } }));
  };
  const runtime = createRoutedRuntime({
    runtime: { startTurn } as Partial<OwnersRuntime> as OwnersRuntime,
    store: { ownerOf: () => Promise.resolve(undefined), describe: () => Promise.resolve(undefined) },
  });
  return { runtime, tries: () => tries };
}

test('an owner without an address is waited for: it may go, or listen in a moment', async () => {
  const { runtime, tries } = setUp(3);
  const starting = runtime.startTurn({ ...params, content: [...params.content] });
  await vi.advanceTimersByTimeAsync(1000);
  await expect(starting).resolves.toEqual(started);
  expect(tries()).toBe(4);
});

test('after five seconds the session is in use', async () => {
  const { runtime, tries } = setUp(Number.POSITIVE_INFINITY);
  let outcome: unknown;
  runtime.startTurn({ ...params, content: [...params.content] }).catch((error: unknown) => (outcome = error));
  await vi.advanceTimersByTimeAsync(4900);
  expect(outcome).toBeUndefined();
  await vi.advanceTimersByTimeAsync(300);
  expect(outcome).toMatchObject({ code: 'session.in_use', details: { pid: 1 } });
  expect(tries()).toBeGreaterThan(10);
});
