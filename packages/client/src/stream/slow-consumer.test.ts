import type { AnyEvent, StreamEvent } from '@rondo/protocol';
import { describe, expect, test } from 'vitest';
import { collect, ended, hostDouble, ids, noted, running, settle, started, SESSION } from '../testing/host-double.ts';
import { MOST_WAITING } from './backlog.ts';

const many = 4 * MOST_WAITING;

/** A host that adds to its session while its reader reads nothing; counts what comes over the channel. */
function flooded() {
  const host = hostDouble();
  host.records.set('t1', running('t1', 's:1'));
  let shown = 0;
  async function flood(events: number): Promise<void> {
    for (let sent = 0; sent < events; sent += 64) {
      shown += host.emit(...Array.from({ length: 64 }, () => noted('t1')));
      await settle();
    }
  }
  return { ...host, flood, shown: () => shown };
}
const cursors = (events: readonly StreamEvent[]) => ids(events).map((id) => Number(String(id).split(':')[1]));
const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);

describe('a reader that does not keep up', { timeout: 60_000 }, () => {
  test('is sent no more than it may have waiting, and gets every event once, in order', async () => {
    const { session, emit, flood, shown, requests } = flooded();
    emit(started('t1'));
    const iterator = session.turn('t1').events()[Symbol.asyncIterator]();
    const events = [(await iterator.next()).value as AnyEvent];
    await flood(many);
    expect(shown()).toBeLessThan(2 * MOST_WAITING);
    emit(ended('t1', `s:${many + 2}`));
    events.push(...((await collect({ [Symbol.asyncIterator]: () => iterator })) as AnyEvent[]));
    expect(cursors(events)).toEqual(upTo(many + 2));
    const subscriptions = requests.filter(({ method }) => method === 'events/subscribe');
    expect(subscriptions.length).toBeGreaterThan(1);
    expect(subscriptions[1]?.params).toEqual({
      sessionId: SESSION,
      subscriptionId: expect.any(String) as string,
      after: expect.stringMatching(/^s:\d+$/) as string,
    });
  });

  test('as a wait with a slow onEvent alike', async () => {
    const { session, emit, flood, shown } = flooded();
    const { promise, resolve } = Promise.withResolvers<void>();
    const events: StreamEvent[] = [];
    const state = session.turn('t1').result({
      onEvent: (event) => {
        events.push(event);
        return promise;
      },
    });
    await settle();
    emit(started('t1'));
    await flood(many);
    expect(shown()).toBeLessThan(2 * MOST_WAITING);
    emit(ended('t1', `s:${many + 2}`));
    resolve();
    expect(await state).toMatchObject({ type: 'completed' });
    expect(cursors(events)).toEqual(upTo(many + 2));
  });

  test('that leaves while it is waited for asks for nothing more', async () => {
    const { session, emit, flood, requests } = flooded();
    emit(started('t1'));
    const iterator = session.turn('t1').events()[Symbol.asyncIterator]();
    await iterator.next();
    await flood(many);
    await iterator.return?.();
    await settle();
    const asked = requests.map(({ method }) => method).filter((method) => method.startsWith('events/'));
    expect(asked).toEqual(['events/subscribe', 'events/unsubscribe']);
  });

  test('gets the text of an open entry so that its pieces join', async () => {
    const { session, emit, show, requests } = flooded();
    emit(started('t1'));
    const iterator = session.events({ deltas: true })[Symbol.asyncIterator]();
    await iterator.next();
    const piece = (offset: number, text: string): StreamEvent => ({
      type: 'text.delta',
      sessionId: SESSION,
      turnId: 't1',
      after: 's:1',
      entryId: 'e',
      block: 0,
      offset,
      text,
    });
    for (let offset = 0; offset < MOST_WAITING; offset += 1) show(piece(offset, 'x'));
    await settle();
    let text = '';
    const read = async (): Promise<void> => {
      const { value } = await iterator.next();
      text += (value as { text: string }).text;
    };
    for (let count = 0; count < MOST_WAITING; count += 1) await read();
    await settle();
    expect(requests.filter(({ method }) => method === 'events/subscribe')).toHaveLength(2);
    // As a host does for a new subscriber: all the text so far in one piece.
    show(piece(0, `${'x'.repeat(MOST_WAITING)}yz`));
    await read();
    expect(text).toBe(`${'x'.repeat(MOST_WAITING)}yz`);
    await iterator.return?.();
  });
});
