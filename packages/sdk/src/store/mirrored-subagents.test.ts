import { mkdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SDKMessage } from '@rondo/protocol';
import { call, say, scriptedModel } from '@rondo/runtime/testing';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { query } from '../query.ts';
import { withHome } from '../sessions/with-home.ts';
import { getSessionMessages } from '../sessions/get-session-messages.ts';
import { collectMessages } from '../testing/collect-messages.ts';
import { spawnSubagents } from '../testing/subagent-stage.ts';
import { agentIdOf } from '../transcript/agent-id.ts';
import { InMemorySessionStore } from './in-memory-session-store.ts';
import { projectKeyOf, type SessionStore, type SessionStoreEntry } from './session-store.ts';

// A busy machine takes its time with whole queries.
vi.setConfig({ testTimeout: 60_000 });

let root = '';
let homes = 0;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'rondo-below-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

function newHome(): string {
  homes += 1;
  const home = join(root, `home-${homes}`);
  mkdirSync(home);
  return home;
}

const keyOf = (home: string, sessionId: string, subpath?: string) => ({
  projectKey: projectKeyOf(home),
  sessionId,
  ...(subpath === undefined ? {} : { subpath }),
});
const saidIn = (entries: readonly SessionStoreEntry[] | null): unknown[] =>
  (entries ?? []).filter(({ type }) => type === 'user' || type === 'assistant').map(({ uuid }) => uuid);

async function resumed(
  sessionId: string,
  cwd: string,
  store: SessionStore,
): Promise<{ home: string; lines: SDKMessage[] }> {
  const home = newHome();
  const model = scriptedModel([say('gone on')]);
  const options = { model, home, cwd, tools: [], settingSources: [], env: {}, sessionStore: store, resume: sessionId };
  return { home, lines: await collectMessages(query({ prompt: 'more', options })) };
}

async function infosOf(sessionId: string, home: string) {
  return await withHome({ home }, async (client) => {
    const { sessions } = await client.request('session/list', { scope: 'tree', root: sessionId });
    return sessions.filter(({ id }) => id !== sessionId);
  });
}

describe('subagents of a session with a store', () => {
  test('are mirrored under their subpaths, and nothing of them stands in the session itself', async () => {
    const store = new InMemorySessionStore();
    const home = newHome();
    const { sessionId, below, shown } = await spawnSubagents(home, store);
    expect(shown).toEqual([]);
    expect(below).toHaveLength(1);
    const subpath = `subagents/agent-${below[0]?.slice(sessionId.length + 1)}`;
    expect(await store.listSubkeys(keyOf(home, sessionId))).toEqual([subpath]);
    const own = await store.load(keyOf(home, sessionId));
    const ofAgent = await store.load(keyOf(home, sessionId, subpath));
    expect(ofAgent?.map(({ type }) => type)).toEqual(['user', 'assistant']);
    for (const entry of ofAgent ?? []) expect(entry).toMatchObject({ isSidechain: true, sessionId });
    expect(own?.every((entry) => entry['isSidechain'] === false)).toBe(true);
    expect(saidIn(ofAgent)).toEqual((await getSessionMessages(below[0] ?? '', { home })).map(({ uuid }) => uuid));
  });

  test('below subagents too, each in a transcript of its own', async () => {
    const store = new InMemorySessionStore();
    const home = newHome();
    const spawn = (task: string) => call('agents.spawn', { agent: 'helper', task });
    const { sessionId, below } = await spawnSubagents(home, store, [
      spawn('first'),
      say('one'),
      spawn('second'),
      say('two'),
      say('back'),
    ]);
    const subpaths = below.map((id) => `subagents/agent-${agentIdOf(id)}`);
    expect((await store.listSubkeys(keyOf(home, sessionId))).toSorted()).toEqual(subpaths.toSorted());
    for (const [at, id] of below.entries())
      expect(saidIn(await store.load(keyOf(home, sessionId, subpaths[at])))).toEqual(
        (await getSessionMessages(id, { home })).map(({ uuid }) => uuid),
      );
  });

  test('are there at another host, ended, of the call that started them, and are not sent again', async () => {
    const store = new InMemorySessionStore();
    const here = newHome();
    const { sessionId, below } = await spawnSubagents(here, store);
    const child = below[0] ?? '';
    const subpath = `subagents/agent-${agentIdOf(child)}`;
    const appended: unknown[] = [];
    const watched: SessionStore = {
      append: (key, entries) => (appended.push(key.subpath), store.append(key, entries)),
      load: (key) => store.load(key),
      listSubkeys: (key) => store.listSubkeys(key),
    };
    const { home, lines } = await resumed(sessionId, here, watched);
    expect(lines.at(-1)).toMatchObject({ type: 'result', result: 'gone on' });
    expect(new Set(appended)).toEqual(new Set([undefined]));
    expect(await infosOf(sessionId, home)).toMatchObject([{ id: child, parentId: sessionId, status: 'terminated' }]);
    const messages = await getSessionMessages(child, { home });
    expect(messages.map(({ uuid }) => uuid)).toEqual(saidIn(await store.load(keyOf(here, sessionId, subpath))));
    expect(JSON.stringify(messages)).toContain('helped');
    const own = await getSessionMessages(sessionId, { home });
    expect(JSON.stringify(own)).toContain('gone on');
    expect(own.map(({ uuid }) => uuid)).toEqual(saidIn(await store.load(keyOf(here, sessionId))));
  });

  test('whose mirror was cut off are made whole by the next host that goes on', async () => {
    const store = new InMemorySessionStore();
    const down: SessionStore = {
      append: (key, entries) =>
        key.subpath === undefined ? store.append(key, entries) : Promise.reject(new Error('down')),
      load: (key) => store.load(key),
    };
    const home = newHome();
    const { sessionId, below, shown } = await spawnSubagents(home, down);
    const subpath = `subagents/agent-${agentIdOf(below[0] ?? '')}`;
    expect(shown).not.toEqual([]);
    for (const line of shown)
      expect(line).toMatchObject({ subtype: 'mirror_error', key: { subpath }, session_id: sessionId });
    const model = scriptedModel([say('gone on')]);
    const options = { model, home, cwd: home, tools: [], settingSources: [], env: {}, sessionStore: store };
    await collectMessages(query({ prompt: 'more', options: { ...options, resume: sessionId } }));
    expect(await store.load(keyOf(home, sessionId, subpath))).toHaveLength(2);
  });

  test('of another program keep the names that it gave them, and its other subpaths are left alone', async () => {
    const store = new InMemorySessionStore();
    const sessionId = '8f14e45f-ceea-467f-9c36-11d2a1e0a001';
    const cwd = root;
    const line = (uuid: string, more: object): SessionStoreEntry => ({
      type: 'user',
      uuid: `8f14e45f-ceea-467f-9c36-11d2a1e0b0${uuid}`,
      parentUuid: null,
      sessionId,
      isSidechain: false,
      cwd,
      timestamp: `2026-01-02T03:04:${uuid}.000Z`,
      message: { role: 'user', content: 'x' },
      ...more,
    });
    const agentId = 'a17f0c2b9e4d5566';
    const subpath = `subagents/agent-${agentId}`;
    await store.append(keyOf(cwd, sessionId), [line('01', {})]);
    await store.append(keyOf(cwd, sessionId, subpath), [line('02', { isSidechain: true, agentId })]);
    await store.append(keyOf(cwd, sessionId, 'tool-results/1'), [line('03', {})]);
    const { home } = await resumed(sessionId, cwd, store);
    const [child] = await infosOf(sessionId, home);
    expect(child?.id).toMatch(new RegExp(`^${sessionId}\\.[0-9a-f]{8}$`));
    expect(await store.listSubkeys(keyOf(cwd, sessionId))).toEqual([subpath, 'tool-results/1']);
    expect(await store.load(keyOf(cwd, sessionId, subpath))).toHaveLength(1);
  });
});

describe('a store that gives what it should not', () => {
  const sessionId = '8f14e45f-ceea-467f-9c36-11d2a1e0a001';
  const other = '8f14e45f-ceea-467f-9c36-11d2a1e0a002';
  const mine = { type: 'user', uuid: other, sessionId, message: { role: 'user', content: 'x' } };
  test.each<[string, { readonly load: () => unknown; readonly listSubkeys?: () => unknown }, string]>([
    ['lines of another session', { load: () => [mine, { ...mine, sessionId: other }] }, `a line of session ${other}`],
    ['no list', { load: () => ({}) }, 'no list of lines'],
    ['what is no line', { load: () => [mine, null] }, 'number 2'],
    ['no list of names', { load: () => [mine], listSubkeys: () => [1] }, 'no list of names'],
    ['a text for names', { load: () => [mine], listSubkeys: () => 'subagents' }, 'no list of names'],
  ])('%s fails the query, and nothing is imported', async (_, methods, message) => {
    const store = { append: () => Promise.resolve(), ...methods } as unknown as SessionStore;
    const home = newHome();
    const model = scriptedModel([]);
    const options = { model, home, cwd: root, tools: [], settingSources: [], env: {}, sessionStore: store };
    await expect(
      collectMessages(query({ prompt: 'x', options: { ...options, resume: sessionId } })),
    ).rejects.toMatchObject({ code: 'store.unavailable', message: expect.stringContaining(message) as string });
    expect(await getSessionMessages(sessionId, { home })).toEqual([]);
  });

  test('lines in another order are put in theirs', async () => {
    const store = new InMemorySessionStore();
    const home = newHome();
    const model = scriptedModel([say('one'), say('two'), say('three')]);
    const options = { model, home, cwd: root, tools: [], settingSources: [], env: {}, sessionStore: store };
    const first = await collectMessages(query({ prompt: 'first', options }));
    const id = first[0]?.session_id ?? '';
    await collectMessages(query({ prompt: 'second', options: { ...options, resume: id } }));
    const whole = (await store.load(keyOf(root, id))) ?? [];
    const shuffled: SessionStore = {
      append: (key, entries) => store.append(key, entries),
      load: (key) => Promise.resolve(key.subpath === undefined ? whole.toReversed() : null),
    };
    const { home: there } = await resumed(id, root, shuffled);
    const messages = await getSessionMessages(id, { home: there });
    expect(messages.slice(0, 4).map(({ uuid }) => uuid)).toEqual(saidIn(whole));
  });
});
