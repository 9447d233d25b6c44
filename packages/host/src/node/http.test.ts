import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { RondoError } from '@rondo/protocol';
import { manualClock } from '@rondo/runtime/testing';
import { describe, expect, test } from 'vitest';
import { batchesThenWait, info, noticeOf } from '../testing/runtime-with.ts';
import { bearer, grants, openStage, token } from './testing/stage.ts';

const readSession = () => Promise.resolve(info);
const read = { jsonrpc: '2.0', id: 1, method: 'session/read', params: { sessionId: 's' } };
const json = { ...bearer, 'content-type': 'application/json' };

/** Reads a stream until the text holds what is looked for; all of it without. */
async function textOf(stream: IncomingMessage, until?: string): Promise<string> {
  let text = '';
  stream.setEncoding('utf8');
  for await (const chunk of stream) {
    text += String(chunk);
    if (until !== undefined && text.includes(until)) return text;
  }
  return text;
}

describe('POST /rpc', () => {
  test('one request in, its response out, whether it succeeds or not', async () => {
    await using stage = await openStage({ readSession });
    const answer = await stage.rpc(read);
    expect(answer).toMatchObject({ status: 200, headers: { 'content-type': 'application/json' } });
    expect(JSON.parse(answer.body)).toEqual({ jsonrpc: '2.0', id: 1, result: info });
    const failed = await stage.rpc({ ...read, method: 'turn/read', params: { sessionId: 's' } });
    expect(failed.status).toBe(200);
    expect(JSON.parse(failed.body)).toMatchObject({ id: 1, error: { data: { code: 'protocol.params_invalid' } } });
  });

  test.each([
    ['text that is no JSON', '{', 'protocol.frame_invalid', null],
    ['bytes that are no text', Buffer.from([0x7b, 0xff]), 'protocol.frame_invalid', null],
    ['a notification', '{"jsonrpc":"2.0","method":"session/read"}', 'protocol.frame_invalid', null],
    ['an unknown method', '{"jsonrpc":"2.0","id":2,"method":"moon/phase"}', 'protocol.method_unknown', 2],
    ['what needs a connection', '{"jsonrpc":"2.0","id":2,"method":"events/subscribe"}', 'protocol.method_unknown', 2],
  ])('%s gets one error', async (_what, body, code, id) => {
    await using stage = await openStage({ readSession });
    const answer = await stage.ask('POST', '/rpc', json, body);
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.body)).toMatchObject({ id, error: { data: { code } } });
  });

  test('what never becomes a frame is refused with its reason', async () => {
    await using stage = await openStage({ readSession }, { tokens: grants, limits: { frameBytes: 1000 } });
    const large = JSON.stringify({ ...read, params: { sessionId: 'x'.repeat(5_000_000) } });
    const tooLarge = await stage.ask('POST', '/rpc', json, large);
    expect(tooLarge.status).toBe(413);
    expect(JSON.parse(tooLarge.body)).toMatchObject({
      id: null,
      error: { data: { code: 'protocol.frame_too_large' } },
    });
    const chunked = await stage.ask('POST', '/rpc', { ...json, 'transfer-encoding': 'chunked' }, large);
    expect(chunked.status).toBe(413);
    const form = await stage.ask('POST', '/rpc', { ...bearer, 'content-type': 'text/plain' }, JSON.stringify(read));
    expect(form.status).toBe(415);
    expect(JSON.parse(form.body)).toMatchObject({ id: null, error: { data: { code: 'protocol.frame_invalid' } } });
    expect((await stage.ask('GET', '/rpc')).status).toBe(405);
    expect((await stage.ask('GET', '/')).status).toBe(404);
    expect((await stage.rpc(read)).status).toBe(200);
  });
});

describe('access', () => {
  test('without a token, or with one of nobody, nothing is answered but the health', async () => {
    await using stage = await openStage({ readSession });
    for (const headers of [{}, { authorization: 'Bearer guess' }, { authorization: `Basic ${token}` }]) {
      for (const path of ['/rpc', '/sessions/s/events', '/anything']) {
        const answer = await stage.ask(path === '/rpc' ? 'POST' : 'GET', path, headers, undefined);
        expect(answer).toMatchObject({ status: 401, headers: { 'www-authenticate': 'Bearer' } });
        expect(JSON.parse(answer.body)).toMatchObject({
          id: null,
          error: { data: { code: 'access.unauthenticated' } },
        });
      }
    }
    expect(await stage.ask('GET', '/healthz', {})).toMatchObject({ status: 200, body: '{"status":"ok"}' });
    expect(await stage.ask('HEAD', '/healthz', {})).toMatchObject({ status: 200, body: '' });
  });

  test('a token in a URL is refused even when it is the right one, and logged nowhere', async () => {
    await using stage = await openStage({ readSession });
    for (const path of [`/sessions/s/events?token=${token}`, `/rpc?access_token=${token}`, `/healthz?key=${token}`]) {
      const answer = await stage.ask('GET', path, bearer);
      expect(answer.status).toBe(401);
      expect(answer.body).not.toContain(token);
    }
    const socket = stage.connect();
    await once(socket.socket, 'open');
    expect(stage.logged.join()).not.toContain(token);
  });

  test.each([
    ['a foreign Origin', { ...json, origin: 'https://evil.example' }],
    ['a Host of somebody’s DNS', { ...json, host: 'rebound.example' }],
    ['a page of another site that sends no Origin', { ...json, 'sec-fetch-site': 'cross-site' }],
  ])('%s is refused, with nothing told, whatever it asks for', async (_what, headers) => {
    await using stage = await openStage({ readSession });
    for (const [method, path] of [
      ['POST', '/rpc'],
      ['GET', '/sessions/s/events'],
      ['GET', '/healthz'],
      ['OPTIONS', '/rpc'],
    ] as const) {
      const answer = await stage.ask(method, path, headers, method === 'POST' ? JSON.stringify(read) : undefined);
      expect(answer.status).toBe(403);
      expect(JSON.parse(answer.body)).toMatchObject({ id: null, error: { message: 'refused', data: { details: {} } } });
      expect(answer.headers['access-control-allow-origin']).toBeUndefined();
    }
  });

  test('a page of an allowed origin may ask and read', async () => {
    const origin = 'https://console.example';
    await using stage = await openStage({ readSession }, { tokens: grants, allowedOrigins: [origin] });
    const preflight = await stage.ask('OPTIONS', '/rpc', { origin, 'access-control-request-method': 'POST' });
    expect(preflight).toMatchObject({ status: 204, headers: { 'access-control-allow-origin': origin } });
    const answer = await stage.rpc(read, { ...bearer, origin });
    expect(answer).toMatchObject({ status: 200, headers: { 'access-control-allow-origin': origin, vary: 'Origin' } });
  });

  test('an address that others reach is bound only with tokens', async () => {
    await expect(openStage({}, { host: '0.0.0.0' })).rejects.toMatchObject({
      code: 'input.invalid',
      message: expect.stringContaining('tokens') as unknown,
    });
    await using open = await openStage({ readSession }, {});
    expect((await open.rpc(read, {})).status).toBe(200);
  });
});

describe('GET /sessions/ID/events', () => {
  const delta = {
    type: 'text.delta',
    sessionId: 's',
    turnId: 't',
    after: 's:1',
    entryId: 'e',
    block: 0,
    offset: 0,
    text: 'hi',
  } as const;

  test('a durable event has its cursor as ID, a transient none, and the end comes last', async () => {
    const asked: unknown[] = [];
    await using stage = await openStage({
      async *subscribe(sessionId, { after, fromTurn, deltas }) {
        asked.push([sessionId, after ?? fromTurn, deltas]);
        yield [noticeOf(1, 'two\nlines\u2028'), delta];
        yield [noticeOf(2)];
      },
    });
    const stream = await stage.stream('/sessions/a%2Fb/events?after=s:0&deltas=1');
    expect(stream.headers['content-type']).toBe('text/event-stream');
    expect(await textOf(stream)).toBe(
      [
        `id: s:1\nevent: notice\ndata: ${JSON.stringify(noticeOf(1, 'two\nlines\u2028'))}`,
        `event: text.delta\ndata: ${JSON.stringify(delta)}`,
        `id: s:2\nevent: notice\ndata: ${JSON.stringify(noticeOf(2))}`,
        'event: end\ndata: {}',
        '',
      ].join('\n\n'),
    );
    await textOf(await stage.stream('/sessions/s/events?after=s:1', { ...bearer, 'last-event-id': 's:7' }));
    await textOf(await stage.stream('/sessions/s/events'));
    await textOf(await stage.stream('/sessions/s/events?fromTurn=t1'));
    expect(asked).toEqual([
      ['a/b', 's:0', true],
      ['s', 's:7', false],
      ['s', undefined, false],
      ['s', 't1', false],
    ]);
  });

  test('what is wrong with the session or the cursor is its end', async () => {
    await using stage = await openStage({
      // oxlint-disable-next-line require-yield
      async *subscribe() {
        throw new RondoError('cursor.invalid', 'never a place');
      },
    });
    const text = await textOf(await stage.stream('/sessions/s/events'));
    expect(text).toMatch(/^event: end\ndata: /);
    expect(JSON.parse(text.slice(text.indexOf('{')))).toMatchObject({ error: { code: 'cursor.invalid' } });
  });

  test('a stream with nothing to say says that it is there; one that is left lets go of the session', async () => {
    const clock = manualClock();
    const left = Promise.withResolvers<void>();
    await using stage = await openStage(
      {
        async *subscribe(_sessionId, { signal }) {
          yield [noticeOf(1)];
          await once(signal, 'abort');
          left.resolve();
        },
      },
      { tokens: grants, clock, heartbeatMs: 1000 },
    );
    const stream = await stage.stream('/sessions/s/events');
    await textOfFirst(stream);
    await clock.advance(1000);
    expect(await textOf(stream, '\n\n')).toBe(': still here\n\n');
    stream.destroy();
    await left.promise;
  });

  /** The first piece, without ending the stream. */
  async function textOfFirst(stream: IncomingMessage): Promise<void> {
    await once(stream, 'readable');
    while (stream.read() !== null);
  }

  test('who may not read is told which right is missing', async () => {
    await using stage = await openStage({}, { tokens: [{ name: 'bot', rights: ['answer'], token }] });
    const answer = await stage.ask('GET', '/sessions/s/events');
    expect(answer.status).toBe(403);
    expect(JSON.parse(answer.body)).toMatchObject({
      error: { data: { code: 'access.denied', details: { right: 'read' } } },
    });
  });
});

test('clients that reset in the middle of a stream disturb nobody', { timeout: 30_000 }, async () => {
  await using stage = await openStage({
    readSession,
    subscribe: batchesThenWait(Array.from({ length: 20 }, (_, seq) => [noticeOf(seq + 1, 'x'.repeat(2000))])),
  });
  for (let round = 0; round < 10; round += 1) {
    const streams = await Promise.all(Array.from({ length: 20 }, () => stage.stream('/sessions/s/events')));
    for (const stream of streams) stream.on('error', () => {}).socket.resetAndDestroy();
  }
  expect((await stage.rpc(read)).status).toBe(200);
  expect(stage.logged.filter((line) => line.includes('fault'))).toEqual([]);
});
