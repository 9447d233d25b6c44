import {
  type AnyEvent,
  type Channel,
  createSerializingChannel,
  type ErrorCode,
  type Frame,
  isRondoError,
  RondoError,
  type StreamEvent,
} from '@rondo/protocol';
import { afterEach, describe, expect, test } from 'vitest';
import { sessionEvents } from '../stream/session-events.ts';
import { createChannelEnd } from '../channel/channel-end.ts';
import type { Clock } from './clock.ts';
import type { ConnectionStatus } from './connection-status.ts';
import type { Connection } from './connection.ts';
import { createReconnectingConnection } from './reconnecting.ts';

type Params = Record<string, unknown>;
/** What a host answers; undefined answers nothing. */
type Answer = (params: Params, openings: number) => unknown;

const SESSION = 's';
const bugs: unknown[] = [];

afterEach(() => {
  expect(bugs.splice(0)).toEqual([]);
});

/** Sleeps until it is woken. */
function stoppedClock() {
  const sleepers: { readonly ms: number; wake(): void }[] = [];
  const clock: Clock = {
    sleep: (ms, { signal }) =>
      new Promise((resolve, reject) => {
        const leave = (): void => void sleepers.splice(sleepers.indexOf(sleeper), 1);
        const sleeper = {
          ms,
          wake() {
            leave();
            resolve();
          },
        };
        sleepers.push(sleeper);
        signal.addEventListener('abort', () => {
          leave();
          reject(signal.reason);
        });
      }),
  };
  return { clock, sleepers, lengths: () => sleepers.map(({ ms }) => ms) };
}

/** A host that can be dropped, and refuses to be opened for as long as there are `refusals`. */
function unreliable(
  answers: Record<string, Answer> = {},
  {
    delaysMs = [0, 0, 0, 0] as Iterable<number> | 'none',
    isWaiting = false,
    token = undefined as string | undefined,
  } = {},
) {
  const requests: { method: string; params: Params; opening: number }[] = [];
  const refusals: unknown[] = [];
  const statuses: ConnectionStatus[] = [];
  const { clock, sleepers, lengths } = stoppedClock();
  let openings = 0;
  let ids = 0;
  let far: Channel | undefined;
  let endNear: (reason: RondoError<string>) => void = () => {};

  async function serve(channel: Channel, opening: number): Promise<void> {
    for await (const frame of channel.frames) {
      if ('method' in frame && 'id' in frame) void answer(channel, frame, opening).catch((bug) => bugs.push(bug));
    }
  }

  async function answer(channel: Channel, frame: Frame & { id: string | number; method: string }, opening: number) {
    const params = ('params' in frame ? frame.params : {}) as Params;
    requests.push({ method: frame.method, params, opening });
    const own: Record<string, Answer> = {
      'host/initialize': () => ({ protocolVersion: 1, host: 'double' }),
      'events/subscribe': ({ subscriptionId }) => ({ subscriptionId }),
      'events/unsubscribe': () => ({}),
      ...answers,
    };
    try {
      const result = await own[frame.method]?.(params, opening);
      if (result !== undefined && !channel.signal.aborted)
        channel.send({ jsonrpc: '2.0', id: frame.id, result } as Frame);
    } catch (error) {
      if (!isRondoError(error)) throw error;
      if (channel.signal.aborted) return;
      const data = { ...error.toJSON(), details: error.details };
      channel.send({ jsonrpc: '2.0', id: frame.id, error: { code: -32000, message: error.message, data } });
    }
  }

  const connection = createReconnectingConnection({
    open() {
      const refusal = refusals.shift();
      if (refusal !== undefined) throw refusal;
      openings += 1;
      const [near, host] = createSerializingChannel();
      far = host;
      void serve(host, openings);
      const end = createChannelEnd({ send: (frame) => near.send(frame), close: () => near.close() });
      endNear = end.end;
      void (async () => {
        for await (const frame of near.frames) end.receive(frame);
        end.end(new RondoError('channel.closed', 'dropped'));
      })();
      return end.channel;
    },
    name: 'test',
    token,
    delaysMs: delaysMs === 'none' ? undefined : delaysMs,
    clock: isWaiting ? clock : { sleep: (ms, options) => (ms < 15_000 ? Promise.resolve() : clock.sleep(ms, options)) },
    random: () => 1,
    newId: () => `00000000-0000-4000-8000-${String((ids += 1)).padStart(12, '0')}`,
    onStatus: (status) => statuses.push(status),
  });

  return {
    connection,
    requests,
    refusals,
    statuses,
    sleepers,
    lengths,
    openings: () => openings,
    sent: (method: string) => requests.filter((request) => request.method === method).map(({ params }) => params),
    drop: () => far?.close(),
    /** Closes the channel for a reason that its transport knows. */
    end: (code: ErrorCode) => endNear(new RondoError(code, 'the host said so')),
    notify: (method: string, params: Params) => far?.send({ jsonrpc: '2.0', method, params } as Frame),
    /** Sends events to the subscription that was opened last. */
    emit(...events: unknown[]) {
      const subscriptionId = requests.findLast(({ method }) => method === 'events/subscribe')?.params.subscriptionId;
      far?.send({ jsonrpc: '2.0', method: 'events/item', params: { subscriptionId, events } } as Frame);
    },
    async asked(method: string, times = 1): Promise<void> {
      await until(() => requests.filter((request) => request.method === method).length >= times);
    },
  };
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
}

const notice = (seq: number): AnyEvent =>
  ({ type: 'notice', seq, id: `s:${seq}`, at: 't', sessionId: SESSION, level: 'info', message: `${seq}` }) as AnyEvent;
const delta = (entryId: string, offset: number, text: string): StreamEvent =>
  ({
    type: 'text.delta',
    sessionId: SESSION,
    turnId: 't',
    after: 's:1',
    entryId,
    block: 0,
    offset,
    text,
  }) as StreamEvent;

/** Reads a session's events in the background; what ends the reading is recorded. */
function follow(connection: Connection, deltas = false) {
  const events: StreamEvent[] = [];
  const ends: unknown[] = [];
  const done = (async () => {
    try {
      for await (const event of sessionEvents(connection, SESSION, { deltas })) events.push(event);
      ends.push('done');
    } catch (error) {
      ends.push(error);
    }
  })();
  return { events, ends, done, ids: () => events.flatMap((event) => ('id' in event ? [event.id] : [])) };
}

const read = (connection: Connection) => connection.request('events/read', { sessionId: SESSION });
const page = { events: [], cursor: 's:0', more: false };

describe('opening', () => {
  test('nothing is opened before the first call; what is asked meanwhile waits for the greeting', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const host = unreliable(
      {
        'host/initialize': async () => {
          await promise;
          return { protocolVersion: 1, host: 'h' };
        },
        'events/read': () => page,
      },
      { token: 'secret' },
    );
    await new Promise((done) => setImmediate(done));
    expect(host.openings()).toBe(0);
    const both = Promise.all([read(host.connection), read(host.connection)]);
    await host.asked('host/initialize');
    await new Promise((done) => setImmediate(done));
    expect(host.requests.map(({ method }) => method)).toEqual(['host/initialize']);
    expect(host.sent('host/initialize')).toEqual([{ protocolVersion: 1, client: 'test', token: 'secret' }]);
    resolve();
    expect(await both).toEqual([page, page]);
    expect(host.openings()).toBe(1);
    expect(host.statuses.map(({ type }) => type)).toEqual(['connecting', 'connected']);
    expect(host.sleepers).toEqual([]);
  });

  test('a first opening that fails is not tried again', async () => {
    const host = unreliable();
    host.refusals.push(new Error('connection refused'));
    await expect(read(host.connection)).rejects.toMatchObject({
      code: 'channel.closed',
      message: expect.stringContaining('connection refused'),
    });
    await host.connection.closed;
    await expect(read(host.connection)).rejects.toMatchObject({ code: 'channel.closed' });
    expect(host.statuses.at(-1)).toMatchObject({ type: 'closed', error: { code: 'channel.closed' } });
    expect(host.sleepers).toEqual([]);
  });

  test.each<ErrorCode>(['access.unauthenticated', 'protocol.version_unsupported'])(
    '%s is for good: what waits rejects once with it, iterations with the place they reached',
    async (code) => {
      const host = unreliable({ 'events/read': () => undefined });
      const reading = read(host.connection);
      const following = follow(host.connection);
      await host.asked('events/read');
      await host.asked('events/subscribe');
      host.emit(notice(1), notice(2));
      await until(() => following.events.length === 2);
      host.refusals.push(new RondoError(code, 'no'));
      host.drop();
      await expect(reading).rejects.toMatchObject({ code });
      await following.done;
      expect(following.ends).toMatchObject([
        { code: 'observation.lost', details: { sessionId: SESSION, cursor: 's:2' }, cause: { code } },
      ]);
      await host.connection.closed;
      const late = follow(host.connection);
      await late.done;
      expect(late.ends).toMatchObject([{ code: 'observation.lost', cause: { code } }]);
      expect(host.openings()).toBe(1);
    },
  );

  test('a channel that the host closes over the token is not opened again', async () => {
    const host = unreliable({ 'events/read': () => undefined });
    const reading = read(host.connection);
    await host.asked('events/read');
    host.end('access.unauthenticated');
    await expect(reading).rejects.toMatchObject({ code: 'access.unauthenticated' });
    expect(host.openings()).toBe(1);
  });

  test('a host that does not greet back is given up after a while', async () => {
    const host = unreliable({ 'host/initialize': () => undefined }, { isWaiting: true });
    const reading = read(host.connection);
    await host.asked('host/initialize');
    expect(host.lengths()).toEqual([15_000]);
    host.sleepers[0]?.wake();
    await expect(reading).rejects.toMatchObject({ code: 'channel.closed', message: /did not answer/ });
    expect(host.sleepers).toEqual([]);
  });
});

describe('delays', () => {
  test('grow as they are given, spread over their second half, and begin anew once something came through', async () => {
    const host = unreliable({ 'events/read': () => page }, { delaysMs: [100, 200, 400], isWaiting: true });
    const following = follow(host.connection);
    await host.asked('events/subscribe');
    host.refusals.push(new Error('away'), new Error('away'));
    host.drop();
    for (const ms of [100, 200, 400]) {
      await until(() => host.lengths().includes(ms));
      expect(host.lengths()).toEqual([ms]);
      host.sleepers[0]?.wake();
    }
    await host.asked('events/subscribe', 2);
    host.emit(notice(1));
    await until(() => following.events.length === 1);
    host.drop();
    await until(() => host.lengths().includes(100));
    host.sleepers[0]?.wake();
    await host.asked('events/subscribe', 3);

    // Nothing has come through since: a host that takes channels and drops them is not asked for ever.
    for (const ms of [200, 400]) {
      host.drop();
      await until(() => host.lengths().includes(ms));
      host.sleepers[0]?.wake();
      await host.asked('events/subscribe', ms === 200 ? 4 : 5);
    }
    host.drop();
    await following.done;
    expect(following.ends).toMatchObject([{ code: 'observation.lost', cause: { code: 'channel.closed' } }]);
    expect(host.statuses.at(-1)).toMatchObject({ type: 'closed', error: { code: 'channel.closed' } });
    expect(host.sleepers).toEqual([]);
  });

  test('the spread comes from the random source', async () => {
    const waits: number[] = [];
    const connection = createReconnectingConnection({
      open() {
        const [near, far] = createSerializingChannel();
        void (async () => {
          for await (const frame of far.frames) {
            if ('id' in frame && frame.id !== null)
              far.send({ jsonrpc: '2.0', id: frame.id, result: { protocolVersion: 1, host: 'h' } });
            far.close();
          }
        })();
        return near;
      },
      name: 'test',
      delaysMs: [1000, 1000],
      clock: {
        sleep(ms, { signal }) {
          if (ms !== 15_000) {
            waits.push(ms);
            return Promise.resolve();
          }
          return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
        },
      },
      random: () => waits.length / 2,
      newId: () => 'id',
    });
    await expect(read(connection)).rejects.toMatchObject({ code: 'channel.closed' });
    expect(waits).toEqual([500, 750]);
  });

  test('a channel that is lost while nothing waits is opened by the next call', async () => {
    const host = unreliable({ 'events/read': () => page });
    await read(host.connection);
    host.drop();
    await until(() => host.statuses.at(-1)?.type === 'idle');
    expect(host.openings()).toBe(1);
    expect(await read(host.connection)).toEqual(page);
    expect(host.openings()).toBe(2);
  });

  test('without any a lost channel is the end, whether something waits or not', async () => {
    const idle = unreliable({ 'events/read': () => page }, { delaysMs: 'none' });
    await read(idle.connection);
    idle.drop();
    await idle.connection.closed;
    await expect(read(idle.connection)).rejects.toMatchObject({ code: 'channel.closed' });
    const needed = unreliable({}, { delaysMs: 'none' });
    const following = follow(needed.connection);
    await needed.asked('events/subscribe');
    needed.drop();
    await following.done;
    expect(following.ends).toMatchObject([{ code: 'observation.lost' }]);
    expect([idle.openings(), needed.openings()]).toEqual([1, 1]);
  });

  test('closing stops the tries: nothing more is sent, iterations end once', async () => {
    const host = unreliable({}, { isWaiting: true, delaysMs: [50] });
    const following = follow(host.connection);
    await host.asked('events/subscribe');
    host.drop();
    await until(() => host.lengths().includes(50));
    const reading = read(host.connection);
    host.connection.close();
    host.connection.close();
    await expect(reading).rejects.toMatchObject({ code: 'channel.closed' });
    await following.done;
    await host.connection.closed;
    expect(following.ends).toMatchObject([{ code: 'observation.lost' }]);
    expect(host.sleepers).toEqual([]);
    await expect(read(host.connection)).rejects.toMatchObject({ code: 'channel.closed' });
    expect(host.openings()).toBe(1);
    expect(host.statuses.at(-1)).toEqual({ type: 'closed' });
  });
});

describe('requests that were on their way', () => {
  test('reads are sent again, in their order', async () => {
    const host = unreliable({
      'events/read': (_params, opening) => (opening === 1 ? undefined : page),
      'session/read': (_params, opening) =>
        opening === 1 ? undefined : Promise.reject(new RondoError('session.not_found', 'none')),
    });
    const first = read(host.connection);
    const second = host.connection.request('session/read', { sessionId: 'x' });
    second.catch(() => {});
    await host.asked('session/read');
    host.drop();
    expect(await first).toEqual(page);
    await expect(second).rejects.toMatchObject({ code: 'session.not_found' });
    expect(host.requests.filter(({ opening }) => opening === 2).map(({ method }) => method)).toEqual([
      'host/initialize',
      'events/read',
      'session/read',
    ]);
  });

  test('sends carry a key of their own, or the caller’s, each time the same', async () => {
    const outcome = { type: 'started', turnId: 't', started: true, messageId: 'm' };
    const host = unreliable({ 'turn/start': (_params, opening) => (opening < 3 ? undefined : outcome) });
    const params = { sessionId: SESSION, bindingId: 'b', content: [] };
    const started = host.connection.request('turn/start', params);
    const keyed = host.connection.request('turn/start', { ...params, idempotencyKey: 'mine' });
    for (const opening of [1, 2]) {
      await host.asked('turn/start', opening * 2);
      host.drop();
    }
    expect(await started).toEqual(outcome);
    expect(await keyed).toEqual(outcome);
    const keys = host.sent('turn/start').map(({ idempotencyKey }) => idempotencyKey);
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
    expect(keys).toEqual([keys[0], 'mine', keys[0], 'mine', keys[0], 'mine']);
  });

  test('a session gets its ID from here, so that it exists is success', async () => {
    const host = unreliable({
      'session/create': (_params, opening) =>
        opening === 1 ? undefined : Promise.reject(new RondoError('session.exists', 'there')),
      'session/read': ({ sessionId }) => ({ ...info, id: sessionId }),
    });
    const created = host.connection.request('session/create', { bindingId: 'b' });
    await host.asked('session/create');
    host.drop();
    const [first, second] = [await created, host.sent('session/create')];
    expect(second).toEqual([
      { bindingId: 'b', sessionId: first.sessionId },
      { bindingId: 'b', sessionId: first.sessionId },
    ]);
    expect(host.sent('session/read')).toEqual([{ sessionId: first.sessionId }]);
  });

  test('a session that was at its beginning, and then was not made, is made', async () => {
    let tries = 0;
    const host = unreliable({
      'session/fork': ({ newSessionId }) => {
        tries += 1;
        if (tries === 1) return undefined;
        if (tries === 2) throw new RondoError('session.exists', 'there');
        return { sessionId: newSessionId };
      },
      'session/read': () => Promise.reject(new RondoError('session.not_found', 'gone')),
    });
    const forked = host.connection.request('session/fork', { sessionId: SESSION, bindingId: 'b' });
    await host.asked('session/fork');
    host.drop();
    expect(host.sent('session/fork')[0]).toMatchObject({ newSessionId: (await forked).sessionId });
    expect(tries).toBe(3);
  });

  test('whether a session of the caller’s own ID was made by this call cannot be told', async () => {
    const host = unreliable({
      'session/create': (_params, opening) =>
        opening === 1 ? undefined : Promise.reject(new RondoError('session.exists', 'there')),
    });
    const sessionId = '00000000-0000-4000-8000-00000000ffff';
    const created = host.connection.request('session/create', { bindingId: 'b', sessionId });
    await host.asked('session/create');
    host.drop();
    await expect(created).rejects.toMatchObject({
      code: 'operation.outcome_unknown',
      details: { method: 'session/create' },
      cause: { code: 'session.exists' },
    });
  });

  test('a keyed session is the host’s to recognise, and an ID that exists at the first try is a mistake', async () => {
    const host = unreliable({
      'session/create': ({ idempotencyKey }) =>
        idempotencyKey === undefined
          ? Promise.reject(new RondoError('session.exists', 'there'))
          : { sessionId: 'known' },
    });
    expect(await host.connection.request('session/create', { bindingId: 'b', idempotencyKey: 'k' })).toEqual({
      sessionId: 'known',
    });
    expect(host.sent('session/create')).toEqual([{ bindingId: 'b', idempotencyKey: 'k' }]);
    await expect(host.connection.request('session/create', { bindingId: 'b' })).rejects.toMatchObject({
      code: 'session.exists',
    });
  });

  test.each([
    ['interrupted', 'interrupted', 'accepted'],
    ['interrupted', 'cancelled', 'conflict'],
    ['running', undefined, 'conflict'],
  ])('an interrupt that is asked again finds the turn %s (%s): %s', async (type, cause, expected) => {
    const host = unreliable({
      'turn/interrupt': (_params, opening) => (opening === 1 ? undefined : { type: 'conflict' }),
      'turn/read': ({ turnId }) => ({
        type,
        sessionId: SESSION,
        turnId,
        cursor: 's:1',
        text: '',
        ...(cause === undefined ? {} : { cause, toolCalls: [], usage: [], terminalReason: 'aborted_streaming' }),
      }),
    });
    const interrupted = host.connection.request('turn/interrupt', { sessionId: SESSION, turnId: 't' });
    await host.asked('turn/interrupt');
    host.drop();
    expect(await interrupted).toMatchObject({ type: expected });
  });

  test('what cannot be asked twice rejects: its outcome is not known', async () => {
    const host = unreliable({ 'events/subscribe': () => undefined });
    const asked = host.connection.request('events/subscribe', { sessionId: SESSION, subscriptionId: 'own' });
    await host.asked('events/subscribe');
    host.drop();
    await expect(asked).rejects.toMatchObject({
      code: 'operation.outcome_unknown',
      details: { method: 'events/subscribe' },
      cause: { code: 'channel.closed' },
    });
  });

  test('what a closing host refused was not done, and goes to the next one', async () => {
    const host = unreliable({
      'events/subscribe': (_params, opening) =>
        opening === 1 ? Promise.reject(new RondoError('host.closing', 'away')) : { subscriptionId: 'own' },
    });
    const asked = host.connection.request('events/subscribe', { sessionId: SESSION, subscriptionId: 'own' });
    await host.asked('events/subscribe');
    await new Promise((resolve) => setImmediate(resolve));
    host.end('host.closing');
    expect(await asked).toEqual({ subscriptionId: 'own' });
  });

  test('a host that says it closes is asked nothing more', async () => {
    const host = unreliable({ 'events/read': () => page });
    await read(host.connection);
    host.notify('host/closing', {});
    await new Promise((resolve) => setImmediate(resolve));
    const waiting = read(host.connection);
    await new Promise((resolve) => setImmediate(resolve));
    expect(host.sent('events/read')).toHaveLength(1);
    host.drop();
    expect(await waiting).toEqual(page);
  });

  test('of a frame that was too large only the largest request rejects', async () => {
    const host = unreliable({
      'turn/start': () => undefined,
      'events/read': (_params, opening) => (opening === 1 ? undefined : page),
    });
    const small = read(host.connection);
    const large = host.connection.request('turn/start', {
      sessionId: SESSION,
      bindingId: 'b',
      content: [{ type: 'text', text: 'x'.repeat(100) }],
    });
    await host.asked('turn/start');
    host.end('protocol.frame_too_large');
    await expect(large).rejects.toMatchObject({ code: 'protocol.frame_too_large' });
    expect(await small).toEqual(page);
    expect(host.sent('turn/start')).toHaveLength(1);
  });

  test('who has stopped waiting is not asked for again', async () => {
    const host = unreliable({ 'events/read': () => undefined, 'session/list': () => ({ sessions: [] }) });
    const controller = new AbortController();
    const { signal } = controller;
    const left = host.connection.request('events/read', { sessionId: SESSION }, { signal });
    const aborted = expect(left).rejects.toMatchObject({ code: 'operation.aborted' });
    const stays = host.connection.request('session/list', {});
    await stays;
    controller.abort();
    await aborted;
    host.drop();
    await until(() => host.statuses.at(-1)?.type === 'idle');
    await host.connection.request('session/list', {});
    expect(host.sent('events/read')).toHaveLength(1);
    await expect(host.connection.request('session/list', {}, { signal })).rejects.toMatchObject({
      code: 'operation.aborted',
    });
  });
});

describe('subscriptions', () => {
  test('go on behind the last durable event, with nothing lost, doubled or out of order', async () => {
    const host = unreliable();
    const following = follow(host.connection);
    await host.asked('events/subscribe');
    for (let opening = 1; opening <= 3; opening += 1) {
      host.emit(notice(opening * 2 - 1), notice(opening * 2));
      await until(() => following.events.length === opening * 2);
      host.drop();
      await host.asked('events/subscribe', opening + 1);
    }
    host.notify('events/end', { subscriptionId: host.sent('events/subscribe').at(-1)?.subscriptionId });
    await following.done;
    expect(following.ids()).toEqual(['s:1', 's:2', 's:3', 's:4', 's:5', 's:6']);
    expect(following.ends).toEqual(['done']);
    expect(host.sent('events/subscribe').map(({ after }) => after)).toEqual([undefined, 's:2', 's:4', 's:6']);
  });

  test('where nothing has come they begin as they did, also at a turn', async () => {
    const host = unreliable();
    const sink = { events() {}, end() {}, lost() {} };
    const leave = host.connection.subscribe({ sessionId: SESSION, fromTurn: 't1' }, sink);
    await host.asked('events/subscribe');
    host.drop();
    await host.asked('events/subscribe', 2);
    host.emit(notice(4));
    await new Promise((resolve) => setImmediate(resolve));
    host.drop();
    await host.asked('events/subscribe', 3);
    expect(
      host.sent('events/subscribe').map(({ sessionId, fromTurn, after }) => ({ sessionId, fromTurn, after })),
    ).toEqual([
      { sessionId: SESSION, fromTurn: 't1' },
      { sessionId: SESSION, fromTurn: 't1' },
      { sessionId: SESSION, after: 's:4' },
    ]);
    leave();
    leave();
    await host.asked('events/unsubscribe');
    expect(host.sent('events/unsubscribe')).toHaveLength(1);
  });

  test('who leaves while there is no channel is not subscribed again', async () => {
    const host = unreliable({ 'events/read': () => page });
    const leave = host.connection.subscribe({ sessionId: SESSION }, { events() {}, end() {}, lost() {} });
    await host.asked('events/subscribe');
    host.drop();
    leave();
    await read(host.connection);
    expect(host.sent('events/subscribe')).toHaveLength(1);
    expect(host.sent('events/unsubscribe')).toEqual([]);
  });

  test('deltas join to the whole text over a loss, and begin anew where an entry was discarded', async () => {
    const host = unreliable();
    const following = follow(host.connection, true);
    await host.asked('events/subscribe');
    host.emit(notice(1), delta('e1', 0, 'Hel'), delta('e1', 3, 'lo'));
    await until(() => following.events.length === 3);
    host.drop();
    await host.asked('events/subscribe', 2);
    // The snapshot holds what was missed; then pieces as they come.
    host.emit(delta('e1', 0, 'Hello wor'), delta('e1', 9, 'ld'));
    host.emit({
      type: 'entry.discarded',
      seq: 2,
      id: 's:2',
      at: 't',
      sessionId: SESSION,
      turnId: 't',
      entryId: 'e1',
      reason: 'stream_retried',
    });
    host.emit(delta('e1', 0, 'Bye'));
    await until(() => following.events.length === 7);
    const pieces = following.events.flatMap((event) => ('offset' in event ? [[event.offset, event.text]] : []));
    expect(pieces).toEqual([
      [0, 'Hel'],
      [3, 'lo'],
      [5, ' wor'],
      [9, 'ld'],
      [0, 'Bye'],
    ]);
    expect(host.sent('events/subscribe').at(-1)).toMatchObject({ after: 's:1', deltas: true });
  });

  test('a host that goes away ends what it sends, not what is followed', async () => {
    const host = unreliable();
    const following = follow(host.connection);
    await host.asked('events/subscribe');
    host.emit(notice(1));
    const end = { subscriptionId: host.sent('events/subscribe')[0]?.subscriptionId };
    host.notify('host/closing', {});
    host.notify('events/end', end);
    await until(() => following.events.length === 1);
    await new Promise((resolve) => setImmediate(resolve));
    host.end('host.closing');
    await host.asked('events/subscribe', 2);
    host.notify('events/end', {
      subscriptionId: host.sent('events/subscribe')[1]?.subscriptionId,
      error: new RondoError('host.closing', 'away').toJSON(),
    });
    host.drop();
    await host.asked('events/subscribe', 3);
    host.emit(notice(2));
    await until(() => following.events.length === 2);
    expect(following.ids()).toEqual(['s:1', 's:2']);
    expect(following.ends).toEqual([]);
  });

  test('what is wrong with the session ends a subscription at once, once', async () => {
    const host = unreliable({
      'events/subscribe': () => Promise.reject(new RondoError('access.denied', 'not yours')),
      'events/read': () => page,
    });
    const following = follow(host.connection);
    await following.done;
    expect(following.ends).toMatchObject([{ code: 'access.denied' }]);
    host.drop();
    await until(() => host.statuses.at(-1)?.type === 'idle');
    expect(host.sent('events/subscribe')).toHaveLength(1);
  });
});

const info = {
  status: 'waiting',
  cwd: '/',
  model: 'm',
  agentName: 'a',
  createdAt: 't',
  updatedAt: 't',
  turns: 0,
  cursor: 's:1',
};
