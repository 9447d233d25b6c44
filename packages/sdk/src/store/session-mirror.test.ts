import type { AnyEvent, SDKMessage } from '@rondo/protocol';
import { describe, expect, test, vi } from 'vitest';
import { createTranscriptProjection } from '../transcript/project-transcript.ts';
import { InMemorySessionStore } from './in-memory-session-store.ts';
import { startSessionMirror, type SessionMirrorOptions } from './session-mirror.ts';
import type { SessionStore, SessionStoreEntry } from './session-store.ts';
import type { Sleep } from './store-call.ts';

// A busy machine takes its time with whole queries.
vi.setConfig({ testTimeout: 60_000 });

const sessionId = '8f14e45f-ceea-467f-9c36-11d2a1e0a001';
const key = { projectKey: '-work', sessionId };

/** A log of turns of one message each. */
function logOf(turns: number): AnyEvent[] {
  const events: AnyEvent[] = [];
  const add = (event: object): void => {
    const seq = events.length + 1;
    events.push({ seq, id: `${sessionId}:${seq}`, at: new Date(seq).toISOString(), sessionId, ...event } as AnyEvent);
  };
  for (let turn = 0; turn < turns; turn += 1) {
    const turnId = `turn-${turn}`;
    const content = [{ type: 'text', text: `message ${turn}` }];
    add({ type: 'entry.completed', turnId, entry: { type: 'message', id: `entry-${turn}`, role: 'user', content } });
    add({ type: 'turn.ended', turnId, record: { type: 'completed' } });
  }
  return events;
}

const linesOf = (events: readonly AnyEvent[]): SessionStoreEntry[] => {
  const projection = createTranscriptProjection(sessionId);
  return events.flatMap((event) => projection.push(event) as unknown as SessionStoreEntry[]);
};

async function* from(events: readonly AnyEvent[]): AsyncGenerator<AnyEvent, void> {
  for (const event of events) yield await Promise.resolve(event);
}

/** Waits for nothing, unless it is told that this is what is to come first. */
const atOnce: Sleep = () => Promise.resolve();
const never: Sleep = () => new Promise(() => {});

async function mirrored(
  store: Pick<SessionStore, 'append'>,
  events: AnyEvent[],
  more: Partial<SessionMirrorOptions> = {},
) {
  const shown: SDKMessage[] = [];
  const mirror = startSessionMirror({
    store,
    key,
    known: new Set(),
    flush: 'batched',
    events: from(events),
    show: (line) => void shown.push(line),
    sleep: never,
    ...more,
  });
  await mirror.close(events.at(-1)?.id ?? `${sessionId}:0`);
  return shown;
}

describe('a mirror', () => {
  test.each(['batched', 'eager'] as const)('sends every line once, in order, %s', async (flush) => {
    const store = new InMemorySessionStore();
    const events = logOf(40);
    expect(await mirrored(store, events, { flush })).toEqual([]);
    expect(await store.load(key)).toEqual(linesOf(events));
  });

  test('sends what the store does not have', async () => {
    const events = logOf(3);
    const given: string[] = [];
    const store = {
      append: (_key: unknown, entries: SessionStoreEntry[]) =>
        void given.push(...entries.map(({ uuid }) => uuid ?? '')),
    };
    const [first, ...rest] = linesOf(events).map(({ uuid }) => uuid ?? '');
    await mirrored({ append: (...args) => Promise.resolve(store.append(...args)) }, events, {
      known: new Set([first ?? '']),
    });
    expect(given).toEqual(rest);
  });

  test('of a store that hangs is given up at the end, and tells what is left', async () => {
    const store = { append: () => new Promise<void>(() => {}) };
    // The time of an append never comes, that of the end comes at once.
    let waits = 0;
    const sleep: Sleep = () => ((waits += 1) === 1 ? Promise.resolve() : never(0, new AbortController().signal));
    const shown = await mirrored(store, logOf(2), { sleep });
    expect(shown).toMatchObject([
      { subtype: 'mirror_error', key, error: expect.stringContaining('when the session is resumed') as string },
    ]);
  });

  test('of two queries over one session leaves each line once, in order', async () => {
    const store = new InMemorySessionStore();
    const events = logOf(40);
    await Promise.all([mirrored(store, events, { flush: 'eager' }), mirrored(store, events, { flush: 'batched' })]);
    expect(await store.load(key)).toEqual(linesOf(events));
  });

  test('sends so much at once, and a line that is longer alone', async () => {
    const events = logOf(12);
    const long = (at: number, length: number): void => {
      const event = events[at * 2] as unknown as { entry: { content: { text: string }[] } };
      event.entry.content = [{ text: 'x'.repeat(length), type: 'text' } as { text: string }];
    };
    for (let at = 0; at < 6; at += 1) long(at, 400_000);
    long(6, 3_000_000);
    const batches: number[] = [];
    const kept: SessionStoreEntry[] = [];
    const append: SessionStore['append'] = (_key, entries) => {
      batches.push(JSON.stringify(entries).length);
      kept.push(...entries);
      return Promise.resolve();
    };
    expect(await mirrored({ append }, events)).toEqual([]);
    expect(kept).toEqual(linesOf(events));
    expect(batches.filter((size) => size > 1_100_000)).toHaveLength(1);
  });

  test('of a store that takes nothing reads on only once it does', async () => {
    const store = new InMemorySessionStore();
    const events = logOf(50);
    let isUp = false;
    let read = 0;
    const full = Promise.withResolvers<void>();
    async function* counted(): AsyncGenerator<AnyEvent, void> {
      for await (const event of from(events)) {
        read += 1;
        yield event;
      }
    }
    const append: SessionStore['append'] = (given, entries) =>
      isUp ? store.append(given, entries) : Promise.reject(new Error('down'));
    // What is waited for half a minute is room.
    const sleep: Sleep = (ms, signal) => {
      if (ms < 5000) return Promise.resolve();
      // Nor does the minute of an append.
      if (ms !== 30_000) return never(ms, signal);
      full.resolve();
      return never(ms, signal);
    };
    const shown: SDKMessage[] = [];
    const mirror = startSessionMirror({
      store: { append },
      key,
      known: new Set(),
      flush: 'batched',
      events: counted(),
      show: (line) => void shown.push(line),
      sleep,
      mostWaiting: 4000,
    });
    await full.promise;
    expect(read).toBeLessThan(50);
    const told = shown.length;
    expect(told).toBeGreaterThan(0);
    isUp = true;
    await mirror.close(events.at(-1)?.id ?? '');
    expect(shown).toHaveLength(told);
    expect(await store.load(key)).toEqual(linesOf(events));
  });

  test('gives an append that takes too long up, and makes it again', async () => {
    const store = new InMemorySessionStore();
    let calls = 0;
    const append: SessionStore['append'] = (given, entries) => {
      calls += 1;
      return calls === 1 ? new Promise(() => {}) : store.append(given, entries);
    };
    const events = logOf(2);
    // The end never comes; every other wait is over at once.
    const end = new WeakSet<AbortSignal>();
    let isFirst = true;
    const sleep: Sleep = (_ms, signal) => {
      if (isFirst) end.add(signal);
      isFirst = false;
      return end.has(signal) ? never(0, signal) : new Promise((resolve) => void setImmediate(resolve));
    };
    expect(await mirrored({ append }, events, { sleep })).toEqual([]);
    expect(await store.load(key)).toEqual(linesOf(events));
    expect(calls).toBeGreaterThan(1);
  });

  test.each([1, 2, 3, 4, 5, 6, 7, 8])(
    'has what the log says, once, whatever fails on the way (seed %i)',
    async (seed) => {
      const store = new InMemorySessionStore();
      const events = logOf(30);
      let state = seed * 2_654_435_761;
      const random = (): number => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
      const append: SessionStore['append'] = async (given, entries) => {
        const luck = random();
        // A part of it arrived, all of it arrived and the answer did not, or nothing did.
        if (luck < 0.2) await store.append(given, entries.slice(0, Math.floor(random() * entries.length)));
        else if (luck < 0.6) await store.append(given, entries);
        if (luck < 0.4) throw new Error('failed');
        if (luck >= 0.6) await store.append(given, entries);
      };
      let known: ReadonlySet<string> = new Set();
      for (let attempt = 0; attempt < 50; attempt += 1) {
        // Each one is another process, which knows only what the store says.
        const upTo = events.slice(0, Math.max(2, Math.floor(random() * events.length)));
        await mirrored({ append }, attempt > 40 ? events : upTo, {
          known,
          sleep: (_ms, signal) =>
            signal.aborted ? atOnce(0, signal) : new Promise((resolve) => void setImmediate(resolve)),
        });
        known = new Set((await store.load(key))?.map(({ uuid }) => uuid ?? ''));
        const have = (await store.load(key)) ?? [];
        expect(have).toEqual(linesOf(events).slice(0, have.length));
      }
      expect(await store.load(key)).toEqual(linesOf(events));
    },
  );
});
