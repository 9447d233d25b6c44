import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import type { SessionKey, SessionStore, SessionStoreEntry } from './session-store.ts';

/** What holds for every adapter, as a function that throws where it does not. It needs no test runner. */
export interface SessionStoreCase {
  readonly name: string;
  /** @param makeStore of an empty store, a new one each time. */
  run(makeStore: () => SessionStore | Promise<SessionStore>): Promise<void>;
}

const key: SessionKey = { projectKey: '-work-project', sessionId: '8f14e45f-ceea-467f-9c36-11d2a1e0a001' };
const below: SessionKey = { ...key, subpath: 'subagents/agent-1a2b3c4d' };

function entry(name: string, more: Record<string, unknown> = {}): SessionStoreEntry {
  return { type: 'user', uuid: `00000000-0000-4000-8000-${name.padStart(12, '0')}`, ...more };
}

/** By value: databases may order the members of an object otherwise. Of long transcripts, the first difference is told. */
function equal(actual: SessionStoreEntry[] | null, expected: SessionStoreEntry[] | null): void {
  if (isDeepStrictEqual(actual, expected)) return;
  if (actual === null || expected === null)
    assert.fail(
      `load gave ${actual === null ? 'null' : 'lines'}, where there ${expected === null ? 'are none' : 'are some'}`,
    );
  assert.equal(actual.length, expected.length, `load gave ${actual.length} lines of ${expected.length}`);
  const first = expected.findIndex((line, index) => !isDeepStrictEqual(line, actual[index]));
  assert.fail(`line ${first + 1} is ${JSON.stringify(actual[first])}, not ${JSON.stringify(expected[first])}`);
}

type Run = (store: SessionStore) => Promise<void>;

/** Cases of methods that a store may leave out pass where it does. */
const cases: readonly { readonly name: string; readonly run: Run }[] = [
  {
    name: 'a transcript that was never added to is null',
    run: async (store) => equal(await store.load(key), null),
  },
  {
    name: 'what was added is read back in its order, over calls',
    run: async (store) => {
      await store.append(key, [entry('1'), entry('2')]);
      await store.append(key, [entry('3')]);
      equal(await store.load(key), [entry('1'), entry('2'), entry('3')]);
    },
  },
  {
    name: 'lines keep what is in them, whatever it is',
    run: async (store) => {
      const odd = entry('1', {
        type: 'something-newer',
        nested: { list: [1, null, true, { deep: 'x' }], empty: {}, none: [] },
        text: 'äöü \u{1f600} "quotes" \\ \n\t \u0000 </script>',
        number: 0.1,
      });
      await store.append(key, [odd]);
      equal(await store.load(key), [odd]);
    },
  },
  {
    name: 'a line that is added again is there once, at its first place',
    run: async (store) => {
      await store.append(key, [entry('1'), entry('2')]);
      await store.append(key, [entry('1'), entry('2'), entry('3')]);
      await store.append(key, [entry('2')]);
      equal(await store.load(key), [entry('1'), entry('2'), entry('3')]);
    },
  },
  {
    name: 'sessions, folders and subpaths are apart',
    run: async (store) => {
      const other = { ...key, sessionId: '8f14e45f-ceea-467f-9c36-11d2a1e0a002' };
      const elsewhere = { ...key, projectKey: '-work-other' };
      await store.append(key, [entry('1')]);
      await store.append(other, [entry('2')]);
      await store.append(elsewhere, [entry('3')]);
      await store.append(below, [entry('4')]);
      equal(await store.load(key), [entry('1')]);
      equal(await store.load(other), [entry('2')]);
      equal(await store.load(elsewhere), [entry('3')]);
      equal(await store.load(below), [entry('4')]);
    },
  },
  {
    name: 'subpaths that begin alike are apart',
    run: async (store) => {
      const deeper = { ...below, subpath: `${below.subpath}.5e6f7a8b` };
      const other = { ...below, subpath: `${below.subpath}5e6f7a8b` };
      await store.append(below, [entry('1')]);
      await store.append(deeper, [entry('2')]);
      await store.append(other, [entry('3')]);
      equal(await store.load(key), null);
      equal(await store.load(below), [entry('1')]);
      equal(await store.load(deeper), [entry('2')]);
      equal(await store.load(other), [entry('3')]);
      await store.delete?.(below);
      equal(await store.load(deeper), [entry('2')]);
      equal(await store.load(other), [entry('3')]);
    },
  },
  {
    name: 'adding nothing makes no transcript',
    run: async (store) => {
      await store.append(key, []);
      const loaded = await store.load(key);
      assert.ok(loaded === null || loaded.length === 0);
    },
  },
  {
    name: 'what is read back belongs to its reader, and what was given to its giver',
    run: async (store) => {
      const given = entry('1', { list: [1] });
      await store.append(key, [given]);
      given['list'] = [2];
      const [read] = (await store.load(key)) ?? [];
      if (read !== undefined) read['list'] = [3];
      equal(await store.load(key), [entry('1', { list: [1] })]);
    },
  },
  {
    name: 'a long transcript comes back whole',
    run: async (store) => {
      const lines = Array.from({ length: 1200 }, (_, index) => entry(String(index), { text: 'x'.repeat(200) }));
      for (let at = 0; at < lines.length; at += 500) await store.append(key, lines.slice(at, at + 500));
      equal(await store.load(key), lines);
    },
  },
  {
    name: 'appends that are called in order without waiting stay in order',
    run: async (store) => {
      await Promise.all(['1', '2', '3', '4', '5'].map((name) => store.append(key, [entry(name)])));
      equal(
        await store.load(key),
        ['1', '2', '3', '4', '5'].map((name) => entry(name)),
      );
    },
  },
  {
    name: 'listSessions names the sessions of a folder, each once, and no subpath',
    run: async (store) => {
      if (store.listSessions === undefined) return;
      await store.append(key, [entry('1')]);
      await store.append(key, [entry('2')]);
      await store.append(below, [entry('3')]);
      await store.append({ ...key, projectKey: '-work-other' }, [entry('4')]);
      const listed = await store.listSessions(key.projectKey);
      assert.deepEqual(
        listed.map(({ sessionId }) => sessionId),
        [key.sessionId],
      );
      assert.ok(
        listed.every(({ mtime }) => mtime > 1_000_000_000_000),
        'mtime is in milliseconds since 1970',
      );
      assert.deepEqual(await store.listSessions('-work-none'), []);
    },
  },
  {
    name: 'listSubkeys names what is below a session',
    run: async (store) => {
      if (store.listSubkeys === undefined) return;
      const { projectKey, sessionId } = key;
      assert.deepEqual(await store.listSubkeys({ projectKey, sessionId }), []);
      await store.append(key, [entry('1')]);
      await store.append(below, [entry('2')]);
      assert.deepEqual(await store.listSubkeys({ projectKey, sessionId }), [below.subpath]);
    },
  },
  {
    name: 'delete removes a session with what is below it, and nothing else',
    run: async (store) => {
      if (store.delete === undefined) return;
      const other = { ...key, sessionId: '8f14e45f-ceea-467f-9c36-11d2a1e0a002' };
      await store.append(key, [entry('1')]);
      await store.append(below, [entry('2')]);
      await store.append(other, [entry('3')]);
      await store.delete(key);
      equal(await store.load(key), null);
      equal(await store.load(below), null);
      equal(await store.load(other), [entry('3')]);
    },
  },
  {
    name: 'delete of a subpath leaves the session, and of what is not there does nothing',
    run: async (store) => {
      if (store.delete === undefined) return;
      await store.append(key, [entry('1')]);
      await store.append(below, [entry('2')]);
      await store.delete(below);
      equal(await store.load(below), null);
      equal(await store.load(key), [entry('1')]);
      await store.delete({ ...key, sessionId: '8f14e45f-ceea-467f-9c36-11d2a1e0a009' });
    },
  },
];

/** Every case that an adapter has to pass: run each with a function that makes an empty store. */
export const sessionStoreCases: readonly SessionStoreCase[] = cases.map(({ name, run }) => ({
  name,
  run: async (makeStore) => await run(await makeStore()),
}));
