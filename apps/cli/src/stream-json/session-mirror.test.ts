import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { type ModelServer, startModelServer, type Step, text, toolCall } from '@rondo/providers/testing';
import {
  getSessionMessages,
  InMemorySessionStore,
  type Options,
  query,
  type SDKMessage,
  type SessionStore,
} from '@rondo/sdk';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startStdioClient } from '../testing/stdio-client.ts';
import { createWorkplace, rondoProgram, type Workplace } from '../testing/spawn-rondo.ts';

// Each test starts processes of its own; a busy machine takes its time with them.
vi.setConfig({ testTimeout: 90_000 });

let place: Workplace;
let places: Workplace[] = [];
let server: ModelServer | undefined;
beforeEach(() => {
  place = createWorkplace();
  places = [place];
});
afterEach(async () => {
  await server?.close();
  for (const each of places) each[Symbol.dispose]();
});

/** A program that has the store and starts a peer for each query. */
async function optionsFor(store: SessionStore, steps: readonly Step[], more: Options = {}): Promise<Options> {
  await server?.close();
  server = await startModelServer({ script: steps });
  return {
    pathToClaudeCodeExecutable: rondoProgram.at(-1) ?? '',
    executableArgs: rondoProgram.slice(0, -1),
    cwd: place.project,
    model: 'sonnet',
    env: place.env({ ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'key' }),
    sessionStore: store,
    settingSources: [],
    ...more,
  };
}

async function host(store: SessionStore, steps: readonly Step[], more: Options = {}) {
  const options = await optionsFor(store, steps, more);
  return async (prompt: string, now: Options = {}) => {
    const lines: SDKMessage[] = [];
    for await (const line of query({ prompt, options: { ...options, ...now } })) lines.push(line);
    return lines;
  };
}

/** Another machine: nothing is there but the store. */
function elsewhere(): void {
  const before = place;
  const other = createWorkplace();
  places.push(other);
  place = { ...other, project: before.project };
}

const idOf = (lines: readonly SDKMessage[]): string => lines[0]?.session_id ?? '';
const keyOf = (sessionId: string, folder = place.project) => ({
  projectKey: folder.replace(/[^A-Za-z0-9]/g, '-'),
  sessionId,
});
const errorsOf = (lines: readonly SDKMessage[]) =>
  lines.filter((line) => line.type === 'system' && line.subtype === 'mirror_error');

test.each(['batched', 'eager'] as const)('a peer mirrors its session to the store of its client, %s', async (flush) => {
  const store = new InMemorySessionStore();
  const ask = await host(store, [[toolCall('Bash', { command: 'echo hi' })], text('done')], {
    sessionStoreFlush: flush,
  });
  const lines = await ask('go', { allowedTools: ['Bash'] });
  expect(errorsOf(lines)).toEqual([]);
  const mirrored = (await store.load(keyOf(idOf(lines)))) ?? [];
  const messages = await getSessionMessages(idOf(lines), { home: place.home });
  expect(mirrored.map(({ type }) => type)).toEqual(['user', 'assistant', 'user', 'assistant']);
  expect(mirrored.map(({ uuid }) => uuid)).toEqual(messages.map(({ uuid }) => uuid));
});

test('and a peer elsewhere goes on with what the store has, by its ID or as the last one', async () => {
  const store = new InMemorySessionStore();
  const first = await (await host(store, [text('one')]))('first');
  elsewhere();
  const second = await (await host(store, [text('two')]))('second', { resume: idOf(first) });
  expect(idOf(second)).toBe(idOf(first));
  expect(server?.requests[0]?.text).toContain('one');
  elsewhere();
  const third = await (await host(store, [text('three')]))('third', { continue: true });
  expect(idOf(third)).toBe(idOf(first));
  expect(await store.load(keyOf(idOf(first)))).toHaveLength(6);
});

test('what was said is in the store also where its reader leaves at the result', async () => {
  const store = new InMemorySessionStore();
  // One that takes its time.
  const slow: SessionStore = {
    append: (...given) => new Promise((resolve) => void setImmediate(() => resolve(store.append(...given)))),
    load: (key) => store.load(key),
  };
  let id = '';
  const running = query({ prompt: 'first', options: await optionsFor(slow, [text('one')]) });
  for await (const line of running) {
    id = line.session_id ?? id;
    if (line.type === 'result') break;
  }
  expect(await store.load(keyOf(id))).toHaveLength(2);
});

test('a folder has the key that the program calls it by', async () => {
  const store = new InMemorySessionStore();
  const link = join(place.project, '..', 'link');
  mkdirSync(place.project, { recursive: true });
  symlinkSync(place.project, link);
  const lines = await (await host(store, [text('one')], { cwd: link }))('first');
  expect(await store.load(keyOf(idOf(lines), link))).toHaveLength(2);
});

test('a store that fails costs the session nothing, and is told with its key', async () => {
  const link = join(place.project, '..', 'link');
  symlinkSync(place.project, link);
  const store: SessionStore = {
    append: () => Promise.reject(new Error('ENOSPC: no space left on device')),
    load: () => Promise.resolve(null),
  };
  const lines = await (await host(store, [text('one')], { cwd: link }))('first');
  expect(lines.find(({ type }) => type === 'result')).toMatchObject({ subtype: 'success', result: 'one' });
  expect(errorsOf(lines)[0]).toMatchObject({
    error: 'append of the session store failed: ENOSPC: no space left on device',
    key: keyOf(idOf(lines), link),
  });
});

test('a store that hangs when it is to be loaded fails the query in its time, and nothing is asked of a model', async () => {
  const resume = '8f14e45f-ceea-467f-9c36-11d2a1e0a001';
  const store: SessionStore = { append: () => Promise.resolve(), load: () => new Promise(() => {}) };
  const ask = await host(store, [], { loadTimeoutMs: 20 });
  await expect(ask('first', { resume })).rejects.toMatchObject({
    code: 'store.unavailable',
    message: 'load of the session store failed: it did not settle within 20 ms',
  });
  const empty = await host(new InMemorySessionStore(), []);
  await expect(empty('first', { resume })).rejects.toThrow(`there is no session ${resume}`);
  expect(server?.requests).toEqual([]);
});

test('a program that closes a query whose store hangs is held up by nobody', async () => {
  const asked = Promise.withResolvers<void>();
  const store: SessionStore = {
    append: () => {
      asked.resolve();
      return new Promise(() => {});
    },
    load: () => Promise.resolve(null),
  };
  const running = query({ prompt: 'first', options: await optionsFor(store, [text('one')]) });
  await asked.promise;
  await running[Symbol.asyncDispose]();
  expect(await running.next()).toMatchObject({ done: true });
});

test('what was said until a query is closed in mid-turn is mirrored all the same', async () => {
  const store = new InMemorySessionStore();
  const ended = Promise.withResolvers<void>();
  const options = await optionsFor(store, [[toolCall('Bash', { command: 'sleep 600' })]], {
    allowedTools: ['Bash'],
    spawnClaudeCodeProcess: ({ command, args, cwd, env }) => {
      const started = spawn(command, args, { cwd, env, stdio: 'pipe' });
      started.once('exit', () => ended.resolve());
      return started;
    },
  });
  let id = '';
  for await (const line of query({ prompt: 'wait', options })) {
    id = line.session_id ?? id;
    if (line.type === 'assistant') break;
  }
  await ended.promise;
  const messages = await getSessionMessages(id, { home: place.home });
  expect(messages.length).toBeGreaterThan(2);
  const mirrored = (await store.load(keyOf(id))) ?? [];
  expect(mirrored.map(({ uuid }) => uuid)).toEqual(messages.map(({ uuid }) => uuid));
});

test.each([1, 2])('a peer that is killed at append %i leaves what the next one makes whole', async (last) => {
  const store = new InMemorySessionStore();
  let child: ChildProcess | undefined;
  let appends = 0;
  const killing: SessionStore = {
    async append(...given) {
      appends += 1;
      if (appends === last) child?.kill('SIGKILL');
      await store.append(...given);
    },
    load: (key) => store.load(key),
  };
  const sessionId = '8f14e45f-ceea-467f-9c36-11d2a1e0a001';
  const steps = [[toolCall('Bash', { command: 'echo hi' })], text('done')];
  const ask = await host(killing, steps, {
    sessionStoreFlush: 'eager',
    allowedTools: ['Bash'],
    spawnClaudeCodeProcess: ({ command, args, cwd, env }) => {
      const started = spawn(command, args, { cwd, env, stdio: 'pipe' });
      child = started;
      return started;
    },
  });
  await expect(ask('go', { sessionId })).rejects.toMatchObject({ code: 'channel.closed' });
  // How much of the script it came to, nobody knows.
  await server?.close().catch(() => {});
  server = undefined;
  const next = await host(store, [text('gone on')]);
  expect((await next('more', { resume: sessionId })).at(-1)).toMatchObject({ result: 'gone on' });
  const mirrored = (await store.load(keyOf(sessionId))) ?? [];
  const messages = await getSessionMessages(sessionId, { home: place.home });
  expect(mirrored.map(({ uuid }) => uuid)).toEqual(messages.map(({ uuid }) => uuid));
});

test('a client that has asked for the mirror and does not know it is told that nothing is kept', async () => {
  server = await startModelServer({ script: [text('one')] });
  const env = place.env({ ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'key' });
  await using client = startStdioClient(['--model=sonnet', '--session-mirror'], { cwd: place.project, env });
  client.say('first');
  await client.line('result');
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    const { request_id } = await client.asked('session_store_append');
    const error = { subtype: 'error', request_id, error: 'Unsupported', error_code: 'unsupported_request' };
    client.write({ type: 'control_response', response: error });
  }
  expect(await client.line('system', 'mirror_error')).toMatchObject({
    error: 'append of the session store failed: Unsupported',
  });
});

test('a client that ends its messages first has its answer, and the peer ends', async () => {
  await using client = startStdioClient([], { cwd: place.project, env: place.env({}) });
  expect(await client.control('end_input')).toMatchObject({ subtype: 'success' });
  expect(await client.exit).toMatchObject({ exitCode: 0 });
});
