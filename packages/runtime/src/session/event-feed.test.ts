import type { AnyEvent, SessionEvent, StreamEvent, TransientEvent } from '@rondo/protocol';
import { describe, expect, test } from 'vitest';
import { createMemoryStore } from '../event/memory-store.ts';
import { interceptAppends } from '../testing/intercept-appends.ts';
import { scriptedModel } from '../testing/scripted-model.ts';
import { pauseUntil, say } from '../testing/scripted-step.ts';
import { sessionScene } from '../testing/session-scene.ts';
import { createEventFeed, type EventBatch } from './event-feed.ts';

const SESSION = 's1';

function event(seq: number): SessionEvent {
  const at = '2026-01-01T00:00:00.000Z';
  return { seq, id: `${SESSION}:${seq}`, at, sessionId: SESSION, type: 'notice', level: 'info', message: `${seq}` };
}

function delta(text: string, offset: number): TransientEvent {
  const place = { sessionId: SESSION, turnId: 't1', after: `${SESSION}:0`, entryId: 'e1', block: 0 };
  return { type: 'text.delta', ...place, offset, text };
}

const names = (batch: EventBatch): string[] => batch.map((one) => ('seq' in one ? `${one.seq}` : `~${one.type}`));

/** A feed over a log that grows, and what was read of the log. */
function feedOver() {
  const log: AnyEvent[] = [];
  let reads = 0;
  async function* read(after: number): AsyncGenerator<AnyEvent, void> {
    reads += 1;
    for (const one of log.slice()) if (one.seq > after) yield one;
  }
  const feed = createEventFeed({
    sessionId: SESSION,
    read,
    committed: 0,
    snapshot: () => ({ behind: log.length, deltas: [] }),
  });
  return {
    feed,
    reads: () => reads,
    commit(transients: readonly TransientEvent[] = [], count = 1) {
      const events = Array.from({ length: count }, (_, index) => event(log.length + index + 1));
      log.push(...events);
      feed.publish({ events, transients });
    },
  };
}

async function take(batches: AsyncIterator<EventBatch, void>, until: string): Promise<string[]> {
  const seen: string[] = [];
  for (;;) {
    const { value, done } = await batches.next();
    if (done === true) return [...seen, 'end'];
    seen.push(...names(value));
    if (seen.includes(until)) return seen;
  }
}

describe('a follower', () => {
  test('that fell behind what is kept reads the log and misses nothing', async () => {
    const { feed, commit, reads } = feedOver();
    const batches = feed.follow({ after: 0, deltas: false, signal: new AbortController().signal });
    commit();
    expect(await take(batches, '1')).toEqual(['1']);
    for (let count = 0; count < 1500; count += 1) commit();
    expect(await take(batches, '1501')).toEqual(Array.from({ length: 1500 }, (_, index) => `${index + 2}`));
    expect(reads()).toBeGreaterThan(0);
  });

  test('that asks several times at once is answered in order, also from the log', async () => {
    const { feed, commit } = feedOver();
    const batches = feed.follow({ after: 0, deltas: false, signal: new AbortController().signal });
    const asked = [batches.next(), batches.next(), batches.next()];
    for (let count = 0; count < 3; count += 1) {
      commit();
      await asked[count];
    }
    expect((await Promise.all(asked)).map(({ value }) => names(value ?? []))).toEqual([['1'], ['2'], ['3']]);
    for (let count = 0; count < 1500; count += 1) commit();
    const behind = await Promise.all([batches.next(), batches.next()]);
    const seen = behind.flatMap(({ value }) => names(value ?? []));
    expect(seen).toEqual(Array.from({ length: seen.length }, (_, index) => `${index + 4}`));
  });

  test('that leaves while it waits, or reads the log, is over, and nothing is read on', async () => {
    const { feed, commit } = feedOver();
    const waiting = feed.follow({ after: 0, deltas: false, signal: new AbortController().signal });
    const read = waiting.next();
    await waiting.return?.();
    expect(await read).toEqual({ done: true, value: undefined });
    for (let count = 0; count < 1500; count += 1) commit();
    const reading = feed.follow({ after: 0, deltas: false, signal: new AbortController().signal });
    expect(names((await reading.next()).value ?? [])).toContain('1');
    await reading.return?.();
    expect(await reading.next()).toEqual({ done: true, value: undefined });
  });

  test('that fell behind is shown no delta after the event that it belongs before', async () => {
    const { feed, commit } = feedOver();
    const batches = feed.follow({ after: 0, deltas: true, signal: new AbortController().signal });
    commit();
    expect(await take(batches, '1')).toEqual(['1']);
    feed.publish({ events: [], transients: [delta('old', 0)] });
    for (let count = 0; count < 1500; count += 1) commit();
    feed.publish({ events: [], transients: [delta('new', 0)] });
    const seen = await take(batches, '~text.delta');
    expect(seen.indexOf('~text.delta')).toBe(seen.length - 1);
    expect(seen.at(-2)).toBe('1501');
  });

  test('that comes while nothing is there ends with the feed, or with its error', async () => {
    const { feed, commit } = feedOver();
    const early = feed.follow({ after: 0, deltas: false, signal: new AbortController().signal });
    commit();
    feed.end(new Error('the disk is full'));
    expect(await take(early, '1')).toEqual(['1']);
    await expect(early.next()).rejects.toThrow('the disk is full');
    const late = feed.follow({ after: 0, deltas: false, signal: new AbortController().signal });
    expect(await take(late, '1')).toEqual(['1']);
    await expect(late.next()).rejects.toThrow('the disk is full');
  });

  test('that leaves while it reads the log is gone, and its place is free', async () => {
    const { feed, commit } = feedOver();
    for (let count = 0; count < 1500; count += 1) commit();
    const leaving = new AbortController();
    const batches = feed.follow({ after: 0, deltas: true, signal: leaving.signal });
    expect((await batches.next()).done).toBe(false);
    expect(feed.wantsDeltas()).toBe(true);
    leaving.abort();
    while ((await batches.next()).done !== true);
    expect(feed.wantsDeltas()).toBe(false);
  });
});

describe('whoever comes while a message is being written', () => {
  /** What a follower is shown of the entry: the whole text, as it can be put together. */
  function textSeen(seen: readonly StreamEvent[]): string {
    let text = '';
    for (const one of seen) {
      if (one.type !== 'text.delta') continue;
      expect(one.offset).toBe(text.length);
      text += one.text;
    }
    return text;
  }

  test.each([true, false])(
    'sees it begin before its text, and every character once (stored at once: %s)',
    async (fast) => {
      const gate = Promise.withResolvers<void>();
      const reached = Promise.withResolvers<void>();
      const store = interceptAppends(createMemoryStore(), async (events) => {
        if (fast || !events.some((one) => one.type === 'entry.added')) return;
        reached.resolve();
        await gate.promise;
      });
      const more = Promise.withResolvers<void>();
      const model = scriptedModel([[say(['one ', 'two ']), pauseUntil(more.promise), say(['three'])]]);
      const scene = await sessionScene({ model, store });
      const first: StreamEvent[] = [];
      const watch = async (into: StreamEvent[]) => {
        const { signal } = new AbortController();
        for await (const batch of scene.runtime.subscribe(scene.sessionId, { signal, deltas: true })) {
          into.push(...batch);
          if (batch.some((one) => one.type === 'turn.ended')) return;
        }
      };
      const firstWatch = watch(first);
      const turnId = await scene.start('go');
      if (!fast) await reached.promise;
      for (let hop = 0; hop < 30; hop += 1) await Promise.resolve();
      const late: StreamEvent[] = [];
      const lateWatch = watch(late);
      for (let hop = 0; hop < 30; hop += 1) await Promise.resolve();
      gate.resolve();
      more.resolve();
      await Promise.all([firstWatch, lateWatch]);
      expect(await scene.runtime.readTurn({ sessionId: scene.sessionId, turnId })).toMatchObject({ type: 'completed' });
      for (const seen of [first, late]) {
        const added = seen.findIndex((one) => one.type === 'entry.added');
        const firstDelta = seen.findIndex((one) => one.type === 'text.delta');
        const completed = seen.findIndex((one) => one.type === 'entry.completed' && one.entry.type === 'assistant');
        const lastDelta = seen.findLastIndex((one) => one.type === 'text.delta');
        expect(added).toBeLessThan(firstDelta);
        expect(lastDelta).toBeLessThan(completed);
        const blocks = seen.filter((one) => one.type === 'text.delta').map((one) => one.block);
        expect(blocks).toEqual(blocks.toSorted((one, other) => one - other));
        expect(textSeen(seen.filter((one) => one.type !== 'text.delta' || one.block === 0))).toBe('one two ');
        expect(textSeen(seen.filter((one) => one.type !== 'text.delta' || one.block === 1))).toBe('three');
      }
    },
  );
});
