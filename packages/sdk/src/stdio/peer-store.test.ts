import type { SDKMessage } from '@rondo/protocol';
import { describe, expect, test, vi } from 'vitest';
import type { Options } from '../options/options.ts';
import { query } from '../query.ts';
import { startup } from '../startup.ts';
import { InMemorySessionStore } from '../store/in-memory-session-store.ts';
import type { SessionStore } from '../store/session-store.ts';
import { answered, asks, createStubPeer, hears, initializes, result, type StubStep } from '../testing/stub-peer.ts';

vi.setConfig({ testTimeout: 60_000 });

const key = { projectKey: '-work', sessionId: '8f14e45f-ceea-467f-9c36-11d2a1e0a001' };
const line = { type: 'user', uuid: '8f14e45f-ceea-467f-9c36-11d2a1e0a0ff' };

/** One that names the capability. */
const mirrors: readonly StubStep[] = [
  initializes[0] as StubStep,
  {
    write: {
      type: 'control_response',
      response: { subtype: 'success', request_id: '$init', response: { capabilities: ['session_store_v1'] } },
    },
  },
];
const ends: StubStep = { await: { type: 'control_request', request: { subtype: 'end_input' } } };

async function play(steps: readonly StubStep[], store: SessionStore, more: Options = {}) {
  using peer = createStubPeer(steps, { sessionStore: store, ...more });
  const lines: SDKMessage[] = [];
  let error: unknown;
  try {
    for await (const each of query({ prompt: 'hi', options: peer.options })) lines.push(each);
  } catch (thrown) {
    error = thrown;
  }
  return { lines, error, ...peer.log() };
}

const saidOf = (told: readonly Readonly<Record<string, unknown>>[]) => told.filter(({ type }) => type === 'user');

describe('a peer that mirrors nothing', () => {
  const refused: StubStep = {
    write: { type: 'control_response', response: { subtype: 'error', request_id: '$init', error: 'no such request' } },
  };
  test.each<[string, readonly StubStep[], string]>([
    ['does not know how', [...initializes, { eof: true }], 'does not name session_store_v1'],
    ['knows no initialize', [initializes[0] as StubStep, refused, { eof: true }], 'no such request'],
    ['ends at once, and well', [{ exit: 0 }], 'ended before'],
  ])('since it %s is told nothing, and the query fails', async (_, steps, message) => {
    const { error, lines, told } = await play(steps, new InMemorySessionStore());
    expect(lines).toEqual([]);
    expect(error).toMatchObject({ message: expect.stringContaining(message) as string });
    expect(saidOf(told)).toEqual([]);
  });

  test('is not ready either', async () => {
    using peer = createStubPeer([...initializes, { eof: true }], { sessionStore: new InMemorySessionStore() });
    await expect(startup({ options: peer.options })).rejects.toMatchObject({ code: 'store.unavailable' });
  });
});

describe('a peer that mirrors', () => {
  test('is told of the store, and that messages have ended, and is answered after that', async () => {
    const store = new InMemorySessionStore();
    const append = asks('a1', { subtype: 'session_store_append', key, entries: [line] });
    const { told, argv, error } = await play(
      [...mirrors, hears, result(), ends, append, answered('a1'), { exit: 0 }],
      store,
      { sessionStoreFlush: 'eager' },
    );
    expect(error).toBeUndefined();
    expect(argv).toContain('--session-mirror');
    expect(told[0]).toMatchObject({
      request: { sessionStore: { flush: 'eager', listSessions: true, listSubkeys: true } },
    });
    expect(told.at(-1)).toMatchObject({ response: { subtype: 'success', request_id: 'a1' } });
    expect(await store.load(key)).toEqual([line]);
  });

  test('is answered no sooner than the store has what it sent', async () => {
    const order: string[] = [];
    const store: SessionStore = {
      async append() {
        await new Promise((resolve) => void setImmediate(resolve));
        order.push('kept');
      },
      load: () => Promise.resolve(null),
    };
    const append = asks('a1', { subtype: 'session_store_append', key, entries: [line] });
    const { lines } = await play([...mirrors, hears, append, answered('a1'), result(), { exit: 0 }], store);
    order.push(...lines.map(({ type }) => type));
    expect(order).toEqual(['kept', 'result']);
  });

  test('is told why a call failed, and what it asked wrongly', async () => {
    const store: SessionStore = {
      append: () => Promise.reject(new Error('ENOSPC')),
      load: () => Promise.reject(new Error('ECONNREFUSED')),
    };
    const { told } = await play(
      [
        ...mirrors,
        hears,
        asks('a1', { subtype: 'session_store_append', key, entries: [line] }),
        answered('a1'),
        asks('a2', { subtype: 'session_store_append', key, entries: 'x' }),
        answered('a2'),
        asks('a3', { subtype: 'session_store_append', key: 'x', entries: [] }),
        answered('a3'),
        asks('a4', { subtype: 'session_store_load', key, from: 0 }),
        answered('a4'),
        result(),
        { exit: 0 },
      ],
      store,
    );
    const errors = told.flatMap(({ response }) => (response === undefined ? [] : [response as { error?: string }]));
    expect(errors.map(({ error }) => error)).toEqual([
      'ENOSPC',
      'entries takes a list of lines.',
      'projectKey takes a text.',
      'ECONNREFUSED',
    ]);
  });

  test('is answered to its end where the query is closed before', async () => {
    const store = new InMemorySessionStore();
    using peer = createStubPeer(
      [
        ...mirrors,
        hears,
        result(),
        ends,
        asks('a1', { subtype: 'session_store_append', key, entries: [line] }),
        answered('a1'),
        { exit: 0 },
      ],
      { sessionStore: store },
    );
    for await (const each of query({ prompt: 'hi', options: peer.options })) if (each.type === 'result') break;
    expect(await store.load(key)).toEqual([line]);
  });
});

test('a peer that is warm mirrors what it is asked later', async () => {
  const store = new InMemorySessionStore();
  const append = asks('a1', { subtype: 'session_store_append', key, entries: [line] });
  using peer = createStubPeer([...mirrors, hears, result(), ends, append, answered('a1'), { exit: 0 }], {
    sessionStore: store,
  });
  const warm = await startup({ options: peer.options });
  for await (const each of warm.query('hi')) void each;
  expect(await store.load(key)).toEqual([line]);
});

test('a peer that is given no store is told that there is none', async () => {
  using peer = createStubPeer([
    ...mirrors,
    hears,
    asks('a1', { subtype: 'session_store_append', key, entries: [line] }),
    answered('a1'),
    result(),
    { eof: true },
  ]);
  for await (const each of query({ prompt: 'hi', options: peer.options })) void each;
  const answer = peer.log().told.find(({ type }) => type === 'control_response');
  expect(answer).toMatchObject({ response: { subtype: 'error', error_code: 'unsupported_request' } });
});
