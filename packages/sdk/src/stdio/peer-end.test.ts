import type { SDKMessage, SDKUserMessage } from '@rondo/protocol';
import { manualClock } from '@rondo/runtime/testing';
import { describe, expect, test, vi } from 'vitest';
import { AbortError } from '../error/documented-errors.ts';
import type { Options } from '../options/options.ts';
import { query } from '../query.ts';
import type { Run } from '../run/start-run.ts';
import { createStubPeer, hears, initializes, result, type StubPeer, type StubStep } from '../testing/stub-peer.ts';
import { startPeerRun } from './start-peer-run.ts';

vi.setConfig({ testTimeout: 60_000 });

const stubborn: readonly StubStep[] = [...initializes, { ignore: 'SIGTERM' }, hears, result(), { forever: true }];

async function* never(): AsyncGenerator<SDKUserMessage> {
  yield { type: 'user', message: { role: 'user', content: 'hi' }, parent_tool_use_id: null };
  await new Promise(() => {});
}

/** A run of a peer that has said its result, on a clock that stands still. */
async function setUp(steps: readonly StubStep[], more: Options = {}) {
  const clock = manualClock();
  const peer = createStubPeer(steps, more);
  const run = startPeerRun(never(), peer.options, { clock });
  expect(await run.next()).toMatchObject({ type: 'result' });
  return { clock, peer, run, ...outcomeOf(run.next()) };
}

function outcomeOf(next: Promise<SDKMessage | undefined>) {
  const outcome = next.then(
    (line) => ({ line }),
    (error: unknown) => ({ error }),
  );
  return { outcome };
}

async function saw(peer: StubPeer, entry: object): Promise<void> {
  await vi.waitFor(() => expect(peer.log().entries).toContainEqual(entry), 60_000);
}

async function isPending(promise: Promise<unknown>): Promise<boolean> {
  const pending = Symbol('pending');
  return (await Promise.race([promise, Promise.resolve(pending)])) === pending;
}

describe('a peer that does not end by itself', () => {
  test('has its input closed at once, is told to end after two seconds, and made to after five more', async () => {
    const { clock, peer, run, outcome } = await setUp(stubborn);
    const stopped = run.stop();
    await saw(peer, { eof: true });
    await clock.whenSleeping();
    expect(clock.sleeping).toEqual([2000]);
    await clock.advance(1999);
    expect(await isPending(stopped)).toBe(true);
    expect(peer.log().entries).not.toContainEqual({ signal: 'SIGTERM' });
    await clock.advance(1);
    await stopped;
    expect(await outcome).toEqual({ line: undefined });
    await saw(peer, { signal: 'SIGTERM' });
    expect(clock.sleeping).toEqual([5000]);
    await clock.advance(5000);
    await whenGone(peer);
    peer[Symbol.dispose]();
  });

  test('and ends when it is told to is not made to', async () => {
    const steps: readonly StubStep[] = [
      ...initializes,
      { on: { signal: 'SIGTERM', exit: 143 } },
      hears,
      result(),
      { forever: true },
    ];
    const { clock, peer, run } = await setUp(steps);
    const stopped = run.stop();
    await clock.whenSleeping();
    await clock.advance(2000);
    await stopped;
    await saw(peer, { signal: 'SIGTERM' });
    await vi.waitFor(() => expect(clock.sleeping).toEqual([]), 60_000);
    peer[Symbol.dispose]();
  });
});

test('a peer that ends within its two seconds is told nothing, and the query is closed then', async () => {
  const { clock, peer, run } = await setUp([...initializes, hears, result(), { eof: true }]);
  await run.stop();
  expect(clock.sleeping).toEqual([]);
  expect(peer.log().entries).toContainEqual({ eof: true });
  peer[Symbol.dispose]();
});

describe('an abort', () => {
  test('closes the input and throws', async () => {
    const abortController = new AbortController();
    const { clock, peer, outcome } = await setUp(stubborn, { abortController });
    abortController.abort();
    await saw(peer, { eof: true });
    await clock.whenSleeping();
    await clock.advance(2000);
    const { error } = (await outcome) as { error: unknown };
    expect(error).toBeInstanceOf(AbortError);
    expect(error).toMatchObject({ message: expect.stringContaining('aborted by user') });
    await clock.whenSleeping();
    await clock.advance(5000);
    await whenGone(peer);
    peer[Symbol.dispose]();
  });

  test('of before starts nothing', async () => {
    using peer = createStubPeer([{ exit: 0 }]);
    const abortController = new AbortController();
    abortController.abort();
    const iterate = async () => {
      for await (const _ of query({ prompt: 'hi', options: { ...peer.options, abortController } })) return;
    };
    await expect(iterate()).rejects.toBeInstanceOf(AbortError);
    expect(() => peer.log()).toThrow();
  });

  test('that comes when all is over changes nothing', async () => {
    using peer = createStubPeer([...initializes, hears, result(), { eof: true }]);
    const abortController = new AbortController();
    const run: Run = startPeerRun('hi', { ...peer.options, abortController });
    expect(await run.next()).toMatchObject({ type: 'result' });
    expect(await run.next()).toBeUndefined();
    abortController.abort();
    expect(await run.next()).toBeUndefined();
  });
});

test('leaving the loop ends the peer', async () => {
  using peer = createStubPeer([...initializes, hears, { write: { type: 'assistant' } }, { eof: true }]);
  for await (const _ of query({ prompt: never(), options: peer.options })) break;
  expect(peer.log().entries).toContainEqual({ eof: true });
});

test('the signal for one who starts the process himself aborts when it has to go, not before', async () => {
  const { spawn } = await import('node:child_process');
  const clock = manualClock();
  const given: AbortSignal[] = [];
  const abortController = new AbortController();
  const { peer, run } = await (async () => {
    const stub = createStubPeer(stubborn);
    const options: Options = {
      ...stub.options,
      abortController,
      spawnClaudeCodeProcess({ command, args, cwd, env, signal }) {
        given.push(signal);
        const child = spawn(command === 'node' ? process.execPath : command, args, { cwd, env, signal });
        return child;
      },
    };
    return { peer: stub, run: startPeerRun(never(), options, { clock }) };
  })();
  await run.next();
  const { outcome } = outcomeOf(run.next());
  abortController.abort();
  await saw(peer, { eof: true });
  expect(given[0]?.aborted).toBe(false);
  await clock.whenSleeping();
  await clock.advance(2000);
  expect(given[0]?.aborted).toBe(true);
  expect(((await outcome) as { error: unknown }).error).toBeInstanceOf(AbortError);
  await saw(peer, { signal: 'SIGTERM' });
  await clock.whenSleeping();
  await clock.advance(5000);
  await whenGone(peer);
  peer[Symbol.dispose]();
});

async function whenGone(peer: StubPeer): Promise<void> {
  const { pid } = peer.log();
  await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'), 60_000);
}
