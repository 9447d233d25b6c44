import { once } from 'node:events';
import { manualClock } from '@rondo/runtime/testing';
import { describe, expect, test } from 'vitest';
import { batchesThenWait, info, noticeOf } from '../testing/runtime-with.ts';
import { bearer, grants, hello, openStage, token } from './testing/stage.ts';

const readSession = () => Promise.resolve(info);
const ask = (id: number | string, sessionId = 's') => ({ id, method: 'session/read', params: { sessionId } });

describe('requests and events', () => {
  test('one frame a message, both ways, and events behind the answer to their subscription', async () => {
    await using stage = await openStage({
      readSession,
      subscribe: batchesThenWait([[noticeOf(1), noticeOf(2, 'line\u2028separator')], [noticeOf(3)]]),
    });
    const client = await stage.connected();
    client.send(ask('a'));
    expect(await client.next()).toEqual({ jsonrpc: '2.0', id: 'a', result: info });
    client.send({ id: 2, method: 'events/subscribe', params: { sessionId: 's', subscriptionId: 'x' } });
    expect(await client.next()).toMatchObject({ id: 2, result: { subscriptionId: 'x' } });
    expect(await client.next()).toMatchObject({ params: { events: [{ seq: 1 }, { message: 'line\u2028separator' }] } });
    expect(await client.next()).toMatchObject({ params: { subscriptionId: 'x', events: [{ seq: 3 }] } });
    expect(stage.host.connections()).toBe(1);
  });

  test('nothing is asked before a version is agreed on', async () => {
    await using stage = await openStage({ readSession });
    const client = stage.connect();
    await once(client.socket, 'open');
    client.send(ask(1));
    expect(await client.next()).toMatchObject({ id: 1, error: { data: { code: 'protocol.version_unsupported' } } });
  });
});

describe('what is malformed gets one error, and the connection goes on', () => {
  const frames: [string, string | Buffer, string, object][] = [
    ['no JSON', '{"a":', 'protocol.frame_invalid', { id: null, error: { code: -32700 } }],
    ['no object', '[1,2]', 'protocol.frame_invalid', { id: null, error: { code: -32600 } }],
    [
      'another version of JSON-RPC',
      '{"jsonrpc":"1.0","id":7,"method":"session/read"}',
      'protocol.frame_invalid',
      { id: 7 },
    ],
    ['an ID of the wrong type', '{"jsonrpc":"2.0","id":[],"method":"x"}', 'protocol.frame_invalid', { id: null }],
    ['a method of the wrong type', '{"jsonrpc":"2.0","id":"q","method":5}', 'protocol.frame_invalid', { id: 'q' }],
    ['an unknown method', '{"jsonrpc":"2.0","id":8,"method":"moon/phase"}', 'protocol.method_unknown', { id: 8 }],
    [
      'params of the wrong type',
      '{"jsonrpc":"2.0","id":9,"method":"session/read","params":[]}',
      'protocol.params_invalid',
      { id: 9 },
    ],
    [
      'a binary message',
      Buffer.from('{"jsonrpc":"2.0","id":1,"method":"session/read"}'),
      'protocol.frame_invalid',
      { id: null },
    ],
    [
      'a response to nothing that has both ends',
      '{"jsonrpc":"2.0","id":4,"result":1,"error":2}',
      'protocol.frame_invalid',
      { id: 4 },
    ],
    [
      'what is deeper than the stack',
      `{"jsonrpc":"2.0","id":3,"method":"x","params":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
      'protocol.frame_invalid',
      { id: 3 },
    ],
  ];
  test.each(frames)('%s', async (_what, message, code, shape) => {
    await using stage = await openStage({ readSession });
    const client = await stage.connected();
    client.socket.send(message);
    client.send(ask('next'));
    const refused = await client.next();
    expect(refused).toMatchObject({ ...shape, error: { data: { code } } });
    expect(await client.next()).toMatchObject({ id: 'next', result: info });
    expect(stage.logged.filter((line) => line.includes('fault'))).toEqual([]);
  });

  test('a malformed frame under the ID of a request at work is not taken for its answer', async () => {
    const { promise, resolve } = Promise.withResolvers<typeof info>();
    await using stage = await openStage({ readSession: () => promise });
    const client = await stage.connected();
    client.send(ask(5));
    client.socket.send('{"jsonrpc":"2.0","id":5,"method":{}}');
    expect(await client.next()).toMatchObject({ id: null, error: { data: { details: { requestId: 5 } } } });
    resolve(info);
    expect(await client.next()).toMatchObject({ id: 5, result: info });
  });

  test('an oversized one ends in its error and a close with 1009; text that is not UTF-8 in 1007', async () => {
    await using stage = await openStage({ readSession }, { tokens: grants, limits: { frameBytes: 1000 } });
    const large = await stage.connected();
    large.socket.send(`"${'x'.repeat(2000)}"`);
    expect(await large.next()).toMatchObject({
      id: null,
      error: { data: { code: 'protocol.frame_too_large', details: { frameBytes: 1000 } } },
    });
    expect(await large.next()).toBeUndefined();
    expect(await large.closed).toBe(1009);

    const broken = await stage.connected();
    broken.socket.send(Buffer.from([0x22, 0xff, 0xfe, 0x22]), { binary: false });
    expect(await broken.next()).toMatchObject({ id: null, error: { data: { code: 'protocol.frame_invalid' } } });
    expect(await broken.closed).toBe(1007);
  });
});

test('more requests at once than the bound are refused, each once, and taken when there is room', async () => {
  const { promise, resolve } = Promise.withResolvers<typeof info>();
  await using stage = await openStage({ readSession: () => promise }, { tokens: grants, limits: { requests: 2 } });
  const client = await stage.connected();
  for (const id of [1, 2, 3]) client.send(ask(id));
  const refusal = { id: 3, error: { data: { code: 'protocol.queue_full', retryable: true } } };
  expect(await client.next()).toMatchObject(refusal);
  resolve(info);
  expect(await client.next()).toMatchObject({ id: 1, result: info });
  expect(await client.next()).toMatchObject({ id: 2, result: info });
  client.send(ask(3));
  expect(await client.next()).toMatchObject({ id: 3, result: info });
});

test('more subscriptions at once than the bound are refused, and taken when one is left', async () => {
  await using stage = await openStage(
    { subscribe: batchesThenWait([]) },
    { tokens: grants, limits: { subscriptions: 2 } },
  );
  const client = await stage.connected();
  const subscribe = (id: number) => ({
    id,
    method: 'events/subscribe',
    params: { sessionId: 's', subscriptionId: String(id) },
  });
  for (const id of [1, 2]) {
    client.send(subscribe(id));
    expect(await client.next()).toMatchObject({ id, result: {} });
  }
  client.send(subscribe(3));
  const refusal = { code: 'protocol.queue_full', retryable: true, details: { subscriptions: 2 } };
  expect(await client.next()).toMatchObject({ id: 3, error: { data: refusal } });
  client.send({ id: 4, method: 'events/unsubscribe', params: { subscriptionId: '1' } });
  expect(await client.next()).toMatchObject({ id: 4, result: {} });
  client.send(subscribe(5));
  expect(await client.next()).toMatchObject({ id: 5, result: {} });
});

test('more bytes of requests at once than the bound are refused, but for one request alone', async () => {
  const { promise, resolve } = Promise.withResolvers<typeof info>();
  await using stage = await openStage(
    { readSession: () => promise },
    { tokens: grants, limits: { requestBytes: 1000 } },
  );
  const client = await stage.connected();
  client.send(ask(1, 'x'.repeat(2000)));
  client.send(ask(2));
  const refusal = { id: 2, error: { data: { code: 'protocol.queue_full', details: { requestBytes: 1000 } } } };
  expect(await client.next()).toMatchObject(refusal);
  resolve(info);
  expect(await client.next()).toMatchObject({ id: 1, result: info });
  client.send(ask(2));
  expect(await client.next()).toMatchObject({ id: 2, result: info });
});

test('more connections at once than the bound are not accepted', async () => {
  await using stage = await openStage({ readSession }, { tokens: grants, limits: { connections: 1 } });
  const first = await stage.connected();
  const second = stage.connect();
  expect(await second.closed).toBe(1006);
  first.send(ask(1));
  expect(await first.next()).toMatchObject({ id: 1, result: info });
});

describe('who is at the other end', () => {
  test('a browser sends its token in its first request, and works under its name', async () => {
    const seen: unknown[] = [];
    await using stage = await openStage({
      answerCallback(_params, options) {
        seen.push(options);
        return Promise.resolve({ type: 'notFound' });
      },
    });
    const client = stage.connect({ origin: stage.host.url });
    await once(client.socket, 'open');
    client.send({ ...hello, params: { ...hello.params, token } });
    expect(await client.next()).toMatchObject({ id: 0, result: { protocolVersion: 1 } });
    const callbackId = '6ba7b810-9dad-41d1-80b4-00c04fd430c8';
    client.send({ id: 1, method: 'callback/answer', params: { sessionId: 's', callbackId, answer: { type: 'deny' } } });
    expect(await client.next()).toMatchObject({ id: 1 });
    expect(seen).toEqual([{ by: 'ada' }]);
  });

  test.each([
    ['a wrong token', JSON.stringify({ jsonrpc: '2.0', ...hello, params: { protocolVersion: 1, token: 'guess' } }), 0],
    ['no token', JSON.stringify({ jsonrpc: '2.0', ...hello }), 0],
    ['another request first', JSON.stringify({ jsonrpc: '2.0', ...ask('r') }), 'r'],
    ['no frame', 'hello?', null],
    ['more than a first request needs', `"${'x'.repeat(70_000)}"`, null],
  ])('%s gets one error and the close 4401, and what follows nothing', async (_what, text, id) => {
    await using stage = await openStage({ readSession });
    const client = stage.connect({});
    await once(client.socket, 'open');
    client.socket.send(text);
    client.send({ ...hello, params: { ...hello.params, token } });
    expect(await client.next()).toMatchObject({ id, error: { data: { code: 'access.unauthenticated' } } });
    expect(await client.next()).toBeUndefined();
    expect(await client.closed).toBe(4401);
  });

  test('who says nothing for five seconds gets the same; who has said it is left alone', async () => {
    const clock = manualClock();
    await using stage = await openStage({ readSession }, { tokens: grants, clock });
    const silent = stage.connect({});
    await once(silent.socket, 'open');
    const known = stage.connect({});
    await once(known.socket, 'open');
    known.send({ ...hello, params: { ...hello.params, token } });
    await known.next();
    await clock.advance(4999);
    expect(silent.socket.readyState).toBe(silent.socket.OPEN);
    await clock.advance(1);
    expect(await silent.next()).toMatchObject({ id: null, error: { data: { code: 'access.unauthenticated' } } });
    expect(await silent.closed).toBe(4401);
    known.send(ask(1));
    expect(await known.next()).toMatchObject({ id: 1, result: info });
  });

  const refusals: [string, object, number][] = [
    ['a token of nobody', { headers: { authorization: 'Bearer guess' } }, 401],
    ['an Authorization of another kind', { headers: { authorization: 'Basic YTpi' } }, 401],
    ['a foreign Origin', { headers: bearer, origin: 'https://evil.example' }, 403],
    ['an opaque Origin', { headers: bearer, origin: 'null' }, 403],
    ['a Host of somebody’s DNS', { headers: { ...bearer, host: 'rebound.example' } }, 403],
  ];
  test.each(refusals)('%s is refused before the upgrade, and nothing is told', async (_what, options, status) => {
    await using stage = await openStage({ readSession });
    const client = stage.connect(options);
    const [, response] = (await once(client.socket, 'unexpected-response')) as [unknown, NodeJS.ReadableStream];
    expect(response).toMatchObject({ statusCode: status });
    let body = '';
    for await (const chunk of response) body += String(chunk);
    expect(body).toBe('');
  });

  test('an Origin and a Host that were allowed are served', async () => {
    await using stage = await openStage(
      { readSession },
      { tokens: grants, allowedOrigins: ['https://console.example'], allowedHosts: ['agents.example'] },
    );
    const client = await stage.connected({
      headers: { ...bearer, host: 'agents.example:80' },
      origin: 'https://console.example',
    });
    client.send(ask(1));
    expect(await client.next()).toMatchObject({ id: 1, result: info });
  });
});

describe('heartbeats', () => {
  test('a socket that is silent twice is given up; one that answers stays', async () => {
    const clock = manualClock();
    await using stage = await openStage({ readSession }, { tokens: grants, clock, heartbeatMs: 30_000 });
    const dead = await stage.connected({ headers: bearer, autoPong: false });
    const alive = await stage.connected();
    for (let beat = 0; beat < 2; beat += 1) {
      const pings = Promise.all([once(dead.socket, 'ping'), once(alive.socket, 'ping')]);
      await clock.advance(30_000);
      await pings;
      // The pong is on its way before the request, so it has arrived when that is answered.
      alive.send(ask(beat + 1));
      await alive.next();
    }
    await clock.advance(30_000);
    expect(await dead.closed).toBe(1006);
    alive.send(ask(9));
    expect(await alive.next()).toMatchObject({ id: 9, result: info });
    expect(stage.host.connections()).toBe(1);
  });
});

test('clients that vanish in the middle of events disturb nobody', { timeout: 30_000 }, async () => {
  await using stage = await openStage({
    readSession,
    subscribe: batchesThenWait(Array.from({ length: 20 }, (_, seq) => [noticeOf(seq + 1, 'x'.repeat(2000))])),
  });
  for (let round = 0; round < 10; round += 1) {
    const clients = await Promise.all(Array.from({ length: 20 }, () => stage.connected()));
    for (const client of clients) {
      client.send({ id: 1, method: 'events/subscribe', params: { sessionId: 's', subscriptionId: 'x' } });
    }
    await Promise.all(clients.map((client) => client.next()));
    for (const client of clients) Reflect.get(client.socket, '_socket').resetAndDestroy();
  }
  const client = await stage.connected();
  client.send(ask(1));
  expect(await client.next()).toMatchObject({ id: 1, result: info });
  expect(stage.logged.filter((line) => line.includes('fault'))).toEqual([]);
});
