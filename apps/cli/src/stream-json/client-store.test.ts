import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { InMemorySessionStore, query, type SessionStore, type SpawnedProcess } from '@rondo/sdk';
import { type SessionStoreCase, sessionStoreCases } from '@rondo/sdk/testing';
import { describe, expect, test, vi } from 'vitest';
import { createClientRequests, type ClientRequests } from './client-requests.ts';
import { clientStore } from './client-store.ts';
import { jsonLine } from './json-line.ts';
import { type Frame, isFrame, readFrames } from './read-frames.ts';

vi.setConfig({ testTimeout: 60_000 });

const key = { projectKey: '-work', sessionId: '8f14e45f-ceea-467f-9c36-11d2a1e0a001' };

/** A peer that does nothing but what is asked of the store that it reaches over the wire. */
async function overTheWire(store: SessionStore, act: (store: SessionStore, described: Frame) => Promise<void>) {
  const process = Object.assign(new EventEmitter(), {
    stdin: new PassThrough(),
    stdout: new PassThrough(),
    killed: false,
    exitCode: null,
    kill: () => true,
  }) satisfies SpawnedProcess;
  const write = (frame: object): void => void process.stdout.write(jsonLine(frame));
  const requests: ClientRequests = createClientRequests(write);
  const acted = Promise.withResolvers<void>();
  const serve = async (): Promise<void> => {
    for await (const { type, request_id: id, request, ...frame } of readFrames(process.stdin)) {
      if (type === 'control_response') requests.answer(frame);
      if (!isFrame(request) || request['subtype'] !== 'initialize') continue;
      write({
        type: 'control_response',
        response: { subtype: 'success', request_id: id, response: { capabilities: ['session_store_v1'] } },
      });
      const described = isFrame(request['sessionStore']) ? request['sessionStore'] : {};
      const { projectKey: _, ...ofAnyFolder } = described;
      const { sessionStore } = clientStore(requests, ofAnyFolder);
      if (sessionStore === undefined) throw new Error('there is no store');
      act(sessionStore, described).then(acted.resolve, acted.reject);
    }
  };
  const serving = serve();
  const ended = acted.promise.finally(() => {
    process.stdout.end();
    process.emit('exit', 0, null);
  });
  ended.catch(() => {});
  const running = query({
    prompt: 'hi',
    options: { sessionStore: store, spawnClaudeCodeProcess: () => process, env: {}, cwd: '/' },
  });
  for await (const _ of running) void _;
  process.stdin.end();
  await Promise.all([serving, ended]);
}

/** Answers no call at once, and later ones before earlier ones where it may. */
function slow(store: InMemorySessionStore): SessionStore {
  let calls = 0;
  const later = async <Value>(value: Promise<Value>): Promise<Value> => {
    calls += 1;
    for (let rounds = 5 - (calls % 5); rounds > 0; rounds -= 1) await setImmediate();
    return await value;
  };
  return {
    append: (...given) => later(store.append(...given)),
    load: (...given) => later(store.load(...given)),
    listSessions: (...given) => later(store.listSessions(...given)),
    listSubkeys: (...given) => later(store.listSubkeys(...given)),
  };
}

describe('the store of a client is one', () => {
  const cases = sessionStoreCases.map((one): [string, SessionStoreCase] => [one.name, one]);
  test.each(cases)('%s', async (_, { run }) => {
    await overTheWire(new InMemorySessionStore(), (store) => run(() => store));
  });

  test.each(cases)('and where it is slow: %s', async (_, { run }) => {
    await overTheWire(slow(new InMemorySessionStore()), (store) => run(() => store));
  });

  test('that is asked for nothing it cannot do', async () => {
    const inner = new InMemorySessionStore();
    const least: SessionStore = { append: (...given) => inner.append(...given), load: (given) => inner.load(given) };
    await overTheWire(least, (store, described) => {
      expect(store).not.toHaveProperty('listSessions');
      expect(store).not.toHaveProperty('listSubkeys');
      expect(described).toMatchObject({ projectKey: '-', listSessions: false, listSubkeys: false });
      return Promise.resolve();
    });
  });

  test('whose long transcripts come in parts', async () => {
    const store = new InMemorySessionStore();
    const lines = Array.from({ length: 12 }, (_, at) => ({
      type: 'user',
      uuid: `u-${at}`,
      text: 'x'.repeat(1_000_000),
    }));
    await store.append(key, lines);
    await overTheWire(store, async (remote) => {
      const loaded = await remote.load(key);
      expect(loaded?.map(({ uuid }) => uuid)).toEqual(lines.map(({ uuid }) => uuid));
    });
  });

  test('whose errors are told in its words', async () => {
    const failing: SessionStore = {
      append: () => Promise.reject(new Error('ENOSPC: no space left on device')),
      load: () => {
        throw new Error('no route to host');
      },
    };
    await overTheWire(failing, async (store) => {
      await expect(store.append(key, [])).rejects.toThrow('ENOSPC: no space left on device');
      await expect(store.load(key)).rejects.toThrow('no route to host');
    });
  });

  test('that takes no answer of a client for lines', async () => {
    const requests = createClientRequests((frame) => {
      const { request_id: id } = frame as { request_id: string };
      queueMicrotask(() =>
        requests.answer({ response: { subtype: 'success', request_id: id, response: { entries: 'none' } } }),
      );
    });
    const { sessionStore } = clientStore(requests, undefined);
    await expect(sessionStore?.load(key)).rejects.toThrow('session_store_load has no list of entries');
  });
});
