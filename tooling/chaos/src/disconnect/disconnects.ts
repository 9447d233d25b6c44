import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type ChannelOpener, connect, httpChannel } from '@rondo/client';
import { webSocketChannel } from '@rondo/client/node';
import type { ChaosCase, ChaosFamily } from '../chaos-case.ts';
import { dropping, type Drops } from './dropping.ts';
import { type LongSession, longSession } from './long-session.ts';
import { readToEnd } from './read-to-end.ts';

const sweep = 97;
const sweptEvents = 5000;
/** A client that is dropped after every single event opens as many channels as there are events. */
const restlessEvents = 200;

/** The ways to a session's host. */
const wires: Readonly<Record<string, (session: LongSession) => ChannelOpener>> = {
  WebSocket:
    ({ host, token }) =>
    ({ signal }) =>
      webSocketChannel(`${host.url.replace('http', 'ws')}/ws`, { token, signal }),
  'HTTP+SSE':
    ({ host, token }) =>
    () =>
      httpChannel(host.url, { token }),
};

/** Clients that are dropped while they read a long session, at every place. */
export const disconnects: ChaosFamily = {
  name: 'disconnects',
  atOnce: 1,
  cases: async () => [
    ...[1, 2, 3].map(
      (every): ChaosCase => ({
        name: `${restlessEvents} events, dropped after every ${every}`,
        essential: every === 1,
        run: () => readDropped(restlessEvents, (count) => count % every === 0),
      }),
    ),
    ...Array.from(
      { length: sweep },
      (_, residue): ChaosCase => ({
        name: `${sweptEvents} events, dropped after each whose number leaves ${residue} over ${sweep}`,
        run: () => readDropped(sweptEvents, (count) => count % sweep === residue),
      }),
    ),
  ],
};

/** A fast and a slow reader of one session over each wire, each with a client of its own. */
async function readDropped(events: number, drops: Drops): Promise<void> {
  await using session = await longSession(events, Object.keys(wires).length);
  const readers = Object.entries(wires).flatMap(([wire, opening]) =>
    ['fast', 'slow'].map((speed) => {
      const opener = dropping(opening(session), drops);
      const client = connect(opener.open, { reconnect: { delaysMs: forEver() } });
      const onEvent = (seq: number): Promise<void> | void => {
        if (speed === 'slow') return nextTurn();
        session.hasRead(wire, seq);
      };
      const reading = readToEnd(client, session.sessionId, onEvent).finally(client.close);
      return { name: `${speed} reader over ${wire}`, opener, reading };
    }),
  );
  const readings = Promise.all(readers.map(({ reading }) => reading));
  // A reader that fails is told of before the turn is waited for, which waits for readers.
  await Promise.race([session.run(), readings]);
  await readings;
  const log = await session.log();
  assert.ok(log.length >= events, `the session has ${log.length} events`);
  for (const { name, opener, reading } of readers) {
    const { events: read, entries } = await reading;
    assert.deepEqual(read, log.slice(0, read.length), `the events of the ${name} are not the log's`);
    assert.equal(read.length, log.length, `the ${name} misses the last events`);
    const dropped = opener.dropped();
    assert.ok(dropped >= Math.floor(log.length / sweep) - 1, `the ${name} was dropped ${dropped} times only`);
    if (events === sweptEvents && name.startsWith('fast'))
      assert.ok(entries > 0, `the ${name} saw no text before its entry was whole`);
  }
}

/** Tries follow each other at once: what is shown is what is read, not how long it takes. */
function* forEver(): Generator<number, void, void> {
  for (;;) yield 0;
}
