import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SDKMessage } from '@rondo/protocol';
import { call, say, scriptedModel, type ScriptedStep } from '@rondo/runtime/testing';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Options } from '../options/options.ts';
import { query } from '../query.ts';
import { getSessionEvents } from '../sessions/get-session-events.ts';
import { getSessionMessages } from '../sessions/get-session-messages.ts';
import { collectMessages } from '../testing/collect-messages.ts';
import { createTranscriptProjection } from '../transcript/project-transcript.ts';
import { InMemorySessionStore } from './in-memory-session-store.ts';
import { projectKeyOf, type SessionStore, type SessionStoreEntry } from './session-store.ts';

// A busy machine takes its time with whole queries.
vi.setConfig({ testTimeout: 60_000 });

let root = '';
let homes = 0;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'rondo-store-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

function newHome(): string {
  homes += 1;
  return join(root, `home-${homes}`);
}

function host(home: string, store: SessionStore, steps: readonly ScriptedStep[], more: Options = {}) {
  const model = scriptedModel(steps);
  const options: Options = {
    model,
    home,
    cwd: root,
    tools: ['Read'],
    settingSources: [],
    env: { PATH: process.env['PATH'] },
    sessionStore: store,
    ...more,
  };
  const ask = (prompt: string, now: Options = {}) =>
    collectMessages(query({ prompt, options: { ...options, ...now } }));
  return { model, ask, home, options };
}

const idOf = (lines: readonly SDKMessage[]): string => lines[0]?.session_id ?? '';
const keyOf = (sessionId: string) => ({ projectKey: projectKeyOf(root), sessionId });

/** What a store is to hold of a session: its log's projection. */
async function projectionOf(sessionId: string, home: string): Promise<SessionStoreEntry[]> {
  const projection = createTranscriptProjection(sessionId);
  const lines: SessionStoreEntry[] = [];
  for await (const event of getSessionEvents(sessionId, { home }))
    lines.push(...(JSON.parse(JSON.stringify(projection.push(event))) as SessionStoreEntry[]));
  return lines;
}

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** A store that fails as it is told, and says what it was given. */
function faulty(fault: (call: number) => 'works' | 'throws' | 'rejects' | 'keeps and rejects' | 'hangs') {
  const inner = new InMemorySessionStore();
  let calls = 0;
  const store: SessionStore = {
    append(key, entries) {
      calls += 1;
      const what = fault(calls);
      if (what === 'throws') throw new Error('ENOSPC: no space left on device');
      if (what === 'rejects') return Promise.reject(new Error('connection reset'));
      if (what === 'hangs') return new Promise(() => {});
      const added = inner.append(key, entries);
      return what === 'works' ? added : added.then(() => Promise.reject(new Error('answer lost')));
    },
    load: (key) => inner.load(key),
  };
  return { store, inner, calls: () => calls };
}

describe('a session with a store', () => {
  test.each(['batched', 'eager'] as const)('is mirrored, %s, as its log says', async (sessionStoreFlush) => {
    const store = new InMemorySessionStore();
    const home = newHome();
    const { ask } = host(
      home,
      store,
      [call('Read', { file_path: join(root, 'none') }), say('x'.repeat(200_000)), say('two'), say('three')],
      { sessionStoreFlush, title: 'A title' },
    );
    const first = await ask('first');
    const id = idOf(first);
    expect(first.filter((line) => line.type === 'system' && line.subtype === 'mirror_error')).toEqual([]);
    await ask('second', { resume: id });
    const [, reply] = await getSessionMessages(id, { home });
    await ask('another', { resume: id, resumeSessionAt: reply?.uuid ?? '' });
    const mirrored = await store.load(keyOf(id));
    expect(plain(mirrored)).toEqual(await projectionOf(id, home));
    expect(mirrored?.map(({ type }) => type)).toContain('custom-title');
    expect(JSON.stringify(mirrored)).toContain('x'.repeat(200_000));
  });

  test('goes on at another host, with the same uuids, and back', async () => {
    const store = new InMemorySessionStore();
    const here = host(newHome(), store, [say('one'), say('three')]);
    const id = idOf(await here.ask('first'));
    const there = host(newHome(), store, [say('two')]);
    expect(idOf(await there.ask('second', { resume: id }))).toBe(id);
    expect(JSON.stringify(there.model.requests[0]?.messages)).toContain('one');
    expect(idOf(await here.ask('third', { resume: id }))).toBe(id);
    expect(JSON.stringify(here.model.requests[1]?.messages)).toContain('two');
    const messages = await getSessionMessages(id, { home: here.home });
    const mirrored = (await store.load(keyOf(id))) ?? [];
    expect(mirrored.map(({ uuid }) => uuid)).toEqual(messages.map(({ uuid }) => uuid));
    expect(mirrored).toHaveLength(6);
  });

  test('continues the last one of the store', async () => {
    const store = new InMemorySessionStore();
    const here = host(newHome(), store, [say('one'), say('two')]);
    await here.ask('older');
    const id = idOf(await here.ask('newer'));
    const there = host(newHome(), { ...bound(store), listSessions: listed([id]) }, [say('three')]);
    expect(idOf(await there.ask('more', { continue: true }))).toBe(id);
  });

  test('forks at another host into a session that is mirrored whole', async () => {
    const store = new InMemorySessionStore();
    const id = idOf(await host(newHome(), store, [say('one')]).ask('first'));
    const there = host(newHome(), store, [say('two')]);
    const fork = idOf(await there.ask('second', { resume: id, forkSession: true }));
    expect(fork).not.toBe(id);
    expect(plain(await store.load(keyOf(fork)))).toEqual(await projectionOf(fork, there.home));
    expect(await store.load(keyOf(id))).toHaveLength(2);
  });
});

describe('a store that fails', () => {
  test.each(['throws', 'rejects', 'keeps and rejects'] as const)('once (%s) is asked again', async (fault) => {
    const { store, inner } = faulty((calls) => (calls === 1 ? fault : 'works'));
    const home = newHome();
    const lines = await host(home, store, [say('one')]).ask('first');
    const id = idOf(lines);
    expect(lines.at(-1)?.type).toBe('result');
    expect(plain(await inner.load(keyOf(id)))).toEqual(await projectionOf(id, home));
  });

  test('for good costs the session nothing, is told, and is made up for when it works again', async () => {
    const { store, inner } = faulty((calls) => (calls <= 6 ? 'throws' : 'works'));
    const home = newHome();
    const { ask } = host(home, store, [say('one'), say('two')]);
    const lines = await ask('first');
    const id = idOf(lines);
    expect(lines.find((line) => line.type === 'result')).toMatchObject({ subtype: 'success', result: 'one' });
    expect(lines.find((line) => line.type === 'system' && line.subtype === 'mirror_error')).toMatchObject({
      error: expect.stringContaining('no space left') as string,
      key: keyOf(id),
      session_id: id,
    });
    expect(await inner.load(keyOf(id))).toBeNull();
    await ask('second', { resume: id });
    expect(plain(await inner.load(keyOf(id)))).toEqual(await projectionOf(id, home));
  });

  test('to load in time fails the query, clearly', async () => {
    const id = '8f14e45f-ceea-467f-9c36-11d2a1e0a001';
    const store: SessionStore = { append: () => Promise.resolve(), load: () => new Promise(() => {}) };
    const { ask, model } = host(newHome(), store, [], { loadTimeoutMs: 20 });
    await expect(ask('first', { resume: id })).rejects.toMatchObject({
      code: 'store.unavailable',
      message: expect.stringContaining('did not settle within 20 ms') as string,
    });
    expect(model.requests).toEqual([]);
    const broken: SessionStore = { ...store, load: () => Promise.reject(new Error('no route to host')) };
    await expect(host(newHome(), broken, []).ask('x', { resume: id })).rejects.toThrow('no route to host');
    const empty = host(newHome(), new InMemorySessionStore(), []);
    await expect(empty.ask('x', { resume: id })).rejects.toMatchObject({ code: 'session.not_found' });
  });
});

test('a store that never answers holds up nobody who closes', async () => {
  const asked = Promise.withResolvers<undefined>();
  const never = (): Promise<never> => {
    asked.resolve(undefined);
    return new Promise(() => {});
  };
  const store: SessionStore = { append: () => Promise.resolve(), load: never };
  const resume = '8f14e45f-ceea-467f-9c36-11d2a1e0a002';
  const { options } = host(newHome(), store, [], { resume, loadTimeoutMs: 2 ** 30 });
  const running = query({ prompt: 'x', options });
  await asked.promise;
  running.close();
  await running[Symbol.asyncDispose]();
  expect(await running.next()).toMatchObject({ done: true });
});

test('options that do not go together are refused', () => {
  const store = new InMemorySessionStore();
  const ask = (options: Options) => () => query({ prompt: 'x', options });
  expect(ask({ sessionStore: store, persistSession: false })).toThrow('persistSession');
  expect(ask({ sessionStore: { ...bound(store) }, continue: true })).toThrow('listSessions');
  expect(ask({ sessionStore: {} as SessionStore })).toThrow('append and load');
  expect(ask({ sessionStore: store, sessionStoreFlush: 'later' as 'eager' })).toThrow('sessionStoreFlush');
});

function bound(store: InMemorySessionStore): SessionStore {
  return { append: (key, entries) => store.append(key, entries), load: (key) => store.load(key) };
}

function listed(ids: readonly string[]): NonNullable<SessionStore['listSessions']> {
  return () =>
    Promise.resolve([
      { sessionId: '8f14e45f-ceea-467f-9c36-11d2a1e0a002', mtime: 1 },
      ...ids.map((sessionId) => ({ sessionId, mtime: 2 })),
    ]);
}
