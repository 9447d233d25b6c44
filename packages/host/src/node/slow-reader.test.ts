import type { AnyEvent, StreamEvent, TransientEvent } from '@rondo/protocol';
import { describe, expect, test } from 'vitest';
import { followEvents } from '../follow-events.ts';
import { batchesThenWait, info, noticeOf } from '../testing/runtime-with.ts';
import { openStage, type Stage } from './testing/stage.ts';

const count = 1000;

/** A session of 20 MB that counts how much of it was taken. */
function longSession() {
  const taken = { events: 0 };
  function* batches() {
    for (let seq = 1; seq <= count; seq += 1) {
      taken.events = seq;
      yield [noticeOf(seq, String(seq).padEnd(20_000, '.'))];
    }
  }
  return { taken, functions: { subscribe: batchesThenWait(batches()), readSession: () => Promise.resolve(info) } };
}

/** Another client's requests, each answered: what the host would do for the slow one by then, it has done. */
async function liveElsewhere(stage: Stage): Promise<void> {
  const other = await stage.connected();
  for (let id = 1; id <= 100; id += 1) {
    other.send({ id, method: 'session/read', params: { sessionId: 's' } });
    expect(await other.next()).toMatchObject({ id });
  }
}

describe('a reader that does not read', { timeout: 30_000 }, () => {
  test('over a WebSocket holds nobody up, is waited for, and gets every event in order', async () => {
    const { taken, functions } = longSession();
    await using stage = await openStage(functions);
    const slow = await stage.connected();
    slow.socket.pause();
    slow.send({ id: 1, method: 'events/subscribe', params: { sessionId: 's', subscriptionId: 'x' } });
    await liveElsewhere(stage);
    expect(taken.events).toBeGreaterThan(0);
    expect(taken.events).toBeLessThan(count);
    slow.socket.resume();
    expect(await slow.next()).toMatchObject({ id: 1 });
    for (let seq = 1; seq <= count; seq += 1) expect(seqOf(await slow.next())).toBe(seq);
  });

  test('over an event stream alike', async () => {
    const { taken, functions } = longSession();
    await using stage = await openStage(functions);
    const stream = await stage.stream('/sessions/s/events');
    await liveElsewhere(stage);
    expect(taken.events).toBeLessThan(count);
    let text = '';
    const seen: number[] = [];
    for await (const chunk of stream) {
      text += String(chunk);
      const parts = text.split('\n\n');
      text = parts.pop() ?? '';
      for (const part of parts) seen.push(Number(/^id: s:(\d+)\n/.exec(part)?.[1]));
      if (seen.length === count) break;
    }
    expect(seen).toEqual(Array.from({ length: count }, (_, index) => index + 1));
  });

  test('but asks without end is given up', async () => {
    await using stage = await openStage(
      { readBlob: () => Promise.resolve({ data: 'x'.repeat(200_000), bytes: 150_000, more: false }) },
      { limits: { requests: 50 } },
    );
    const greedy = await stage.connected();
    greedy.socket.pause();
    const blob = { jsonrpc: '2.0', method: 'blobs/read', params: { sessionId: 's', hash: 'h' } };
    for (let id = 1; id <= 1000; id += 1) greedy.socket.send(JSON.stringify({ ...blob, id }));
    greedy.socket.resume();
    greedy.socket.pause();
    await new Promise<void>((resolve) => {
      const look = (): void => {
        if (stage.host.connections() === 0) resolve();
        else setImmediate(look);
      };
      look();
    });
  });
});

function seqOf(frame: unknown): unknown {
  return (frame as { params?: { events: AnyEvent[] } } | undefined)?.params?.events[0]?.seq;
}

describe('what a reader that is behind gets', () => {
  const piece = (entryId: string, offset: number, text: string, block = 0): TransientEvent => ({
    type: 'text.delta',
    sessionId: 's',
    turnId: 't',
    after: 's:1',
    entryId,
    block,
    offset,
    text,
  });
  const completed = (seq: number, id: string): AnyEvent => ({
    ...noticeOf(seq),
    type: 'entry.completed',
    turnId: 't',
    entry: { type: 'assistant', id, model: 'm', content: [{ type: 'text', text: 'abcd' }] },
  });

  /** What is written of batches when the reader is behind after each of the first `slow` ones. */
  async function written(batches: StreamEvent[][], slow: number): Promise<StreamEvent[]> {
    const events: StreamEvent[] = [];
    async function* source() {
      yield* batches;
    }
    let writes = 0;
    await followEvents(source(), {
      write: (batch) => {
        writes += 1;
        events.push(...batch);
      },
      room: () => (writes <= slow ? Promise.resolve() : undefined),
      mostEvents: 2,
      signal: new AbortController().signal,
    });
    return events;
  }

  test('pieces of one block are joined, of different blocks and across durable events not', async () => {
    const batch = [
      piece('e', 2, 'c'),
      piece('e', 3, 'd'),
      piece('e', 0, 'x', 1),
      noticeOf(2),
      piece('e', 1, 'y', 1),
      piece('e', 2, 'z', 1),
    ];
    expect(await written([[piece('e', 0, 'ab')], batch], 1)).toEqual([
      piece('e', 0, 'ab'),
      piece('e', 2, 'cd'),
      piece('e', 0, 'x', 1),
      noticeOf(2),
      piece('e', 1, 'yz', 1),
    ]);
  });

  test('pieces with a gap between them stay apart', async () => {
    const batch = [piece('e', 2, 'c'), piece('e', 4, 'e')];
    expect(await written([[noticeOf(1)], batch], 1)).toEqual([noticeOf(1), ...batch]);
  });

  test('pieces of an entry that ends among them are left out, and nothing durable is', async () => {
    const batch = [
      piece('e', 2, 'c'),
      noticeOf(2),
      piece('e', 3, 'd'),
      completed(3, 'e'),
      noticeOf(4),
      piece('f', 0, 'n'),
    ];
    expect(await written([[piece('e', 0, 'ab')], batch], 1)).toEqual([
      piece('e', 0, 'ab'),
      noticeOf(2),
      completed(3, 'e'),
      noticeOf(4),
      piece('f', 0, 'n'),
    ]);
  });

  test('one that keeps up gets every piece as it came', async () => {
    const batch = [piece('e', 0, 'a'), piece('e', 1, 'b'), completed(3, 'e')];
    expect(await written([batch], 0)).toEqual(batch);
  });
});
