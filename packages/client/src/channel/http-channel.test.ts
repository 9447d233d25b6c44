import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Frame } from '@rondo/protocol';
import { describe, expect, test } from 'vitest';
import { connect } from '../index.ts';
import { httpChannel } from './http-channel.ts';

interface Asked {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly body: string;
}

/** A server that a test answers for: each request is handed over with its body. */
async function server(answer: (asked: Asked) => void) {
  const http = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      answer({ request, response, body: Buffer.concat(chunks).toString() });
    })();
  });
  const sockets = new Set<Socket>();
  http.on('connection', (socket) => sockets.add(socket));
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}

const subscribe = (params: object): Frame => ({
  jsonrpc: '2.0',
  id: 7,
  method: 'events/subscribe',
  params: { subscriptionId: '1', sessionId: 's', ...params },
});
const request = (id: number, method = 'session/read'): Frame => ({ jsonrpc: '2.0', id, method, params: {} });
const rondoError = (code: string) => ({ code, message: 'm', retryable: false, details: {} });
const errorText = (code: string) =>
  JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32000, message: 'm', data: rondoError(code) } });

describe('requests', () => {
  test('each is a POST with the token in its header, and its response comes under its own ID', async () => {
    const seen: unknown[] = [];
    await using host = await server(({ request: { method, url, headers }, response, body }) => {
      seen.push([method, url, headers.authorization, headers['content-type'], JSON.parse(body)]);
      response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: { text: 'a\u2028b' } }));
    });
    const channel = await httpChannel(`${host.url}/base/`, { token: 'secret' });
    channel.send(request(1));
    expect(await channel.frames[Symbol.asyncIterator]().next()).toEqual({
      done: false,
      value: { jsonrpc: '2.0', id: 1, result: { text: 'a\u2028b' } },
    });
    expect(seen).toEqual([['POST', '/base/rpc', 'Bearer secret', 'application/json', request(1)]]);
    channel.close();
  });

  test.each([
    [401, '', 'access.unauthenticated'],
    [403, 'go away', 'access.denied'],
    [413, '<html>', 'protocol.frame_too_large'],
    [401, errorText('access.unauthenticated'), 'access.unauthenticated'],
    [200, errorText('protocol.frame_invalid'), 'protocol.frame_invalid'],
  ])('status %i with %j is %s, for that request alone', async (status, body, code) => {
    await using host = await server(({ response }) => {
      response.statusCode = status;
      response.end(body);
    });
    const channel = await httpChannel(host.url);
    channel.send(request(4));
    const { value } = await channel.frames[Symbol.asyncIterator]().next();
    expect(value).toMatchObject({ id: 4, error: { data: { code } } });
    expect(channel.signal.aborted).toBe(false);
    channel.close();
  });

  test.each([
    ['an answer that is no frame', 502, '<html>bad gateway</html>', 'channel.closed', true],
    ['a page of something else', 404, 'not found', 'channel.closed', true],
    ['the word that the host goes away', 200, errorText('host.closing'), 'host.closing', true],
  ])('%s ends the channel', async (_what, status, body, code, retryable) => {
    await using host = await server(({ response }) => {
      response.statusCode = status;
      response.end(body);
    });
    const channel = await httpChannel(host.url);
    channel.send(request(1));
    await channel.closed;
    expect(channel.signal.reason).toMatchObject({ code, retryable });
  });

  test('a connection that breaks ends the channel; closing it ends what is under way', async () => {
    const asked: Asked[] = [];
    await using host = await server((one) => asked.push(one));
    const broken = await httpChannel(host.url);
    broken.send(request(1));
    await until(() => asked.length === 1);
    asked[0]?.request.socket.destroy();
    await broken.closed;
    expect(broken.signal.reason).toMatchObject({ code: 'channel.closed', retryable: true });

    const closed = await httpChannel(host.url);
    closed.send(request(2));
    closed.send(subscribe({}));
    await until(() => asked.length === 3);
    closed.close();
    await Promise.all(asked.slice(1).map(({ response }) => once(response, 'close')));
    expect(closed.signal.reason).toMatchObject({ message: expect.stringContaining('is closed') as unknown });
  });
});

describe('subscriptions', () => {
  test('are streams of their own: events come in the order and batches they were written in', async () => {
    const seen: unknown[] = [];
    const open: ServerResponse[] = [];
    await using host = await server(({ request: { method, url, headers }, response }) => {
      seen.push([method, url, headers.authorization, headers.accept]);
      response.setHeader('content-type', 'text/event-stream');
      response.flushHeaders();
      open.push(response);
    });
    const channel = await httpChannel(host.url, { token: 'secret' });
    channel.send(subscribe({ sessionId: 'a/b', after: 'a/b:3', deltas: true }));
    const frames = channel.frames[Symbol.asyncIterator]();
    expect((await frames.next()).value).toEqual({ jsonrpc: '2.0', id: 7, result: { subscriptionId: '1' } });
    expect(seen).toEqual([
      ['GET', '/sessions/a%2Fb/events?after=a%2Fb%3A3&deltas=1', 'Bearer secret', 'text/event-stream'],
    ]);
    open[0]?.write(
      ': still here\n\nid: s:4\nevent: notice\ndata: {"seq":4}\n\nevent: text.delta\ndata: {"offset":0}\n\n',
    );
    expect((await frames.next()).value).toEqual({
      jsonrpc: '2.0',
      method: 'events/item',
      params: { subscriptionId: '1', events: [{ seq: 4 }, { offset: 0 }] },
    });
    open[0]?.end(`event: end\ndata: ${JSON.stringify({ error: rondoError('store.unavailable') })}\n\n`);
    expect((await frames.next()).value).toEqual({
      jsonrpc: '2.0',
      method: 'events/end',
      params: { subscriptionId: '1', error: rondoError('store.unavailable') },
    });
    expect(channel.signal.aborted).toBe(false);
    channel.close();
  });

  test('one that is refused answers its request; one that is left ends at once', async () => {
    const asked: Asked[] = [];
    await using host = await server((one) => {
      asked.push(one);
      const { response } = one;
      if (asked.length === 1) {
        response.statusCode = 403;
        response.end(errorText('access.denied'));
      } else {
        response.setHeader('content-type', 'text/event-stream');
        response.flushHeaders();
      }
    });
    const channel = await httpChannel(host.url);
    const frames = channel.frames[Symbol.asyncIterator]();
    channel.send(subscribe({}));
    expect((await frames.next()).value).toMatchObject({ id: 7, error: { data: { code: 'access.denied' } } });
    channel.send(subscribe({}));
    expect((await frames.next()).value).toMatchObject({ id: 7, result: { subscriptionId: '1' } });
    channel.send({ jsonrpc: '2.0', id: 8, method: 'events/unsubscribe', params: { subscriptionId: '1' } });
    expect((await frames.next()).value).toEqual({ jsonrpc: '2.0', id: 8, result: {} });
    await until(() => asked[1]?.response.destroyed === true);
    expect(channel.signal.aborted).toBe(false);
    channel.close();
  });

  test.each([
    ['breaks off', '', 'channel.closed'],
    [
      'ends since the host goes away',
      `event: end\ndata: ${JSON.stringify({ error: rondoError('host.closing') })}\n\n`,
      'host.closing',
    ],
    ['does not read', 'data: {\n\n', 'protocol.frame_invalid'],
  ])('one that %s ends the channel', async (_what, last, code) => {
    await using host = await server(({ response }) => {
      response.setHeader('content-type', 'text/event-stream');
      response.end(`data: {"seq":1}\n\n${last}`);
    });
    const channel = await httpChannel(host.url);
    channel.send(subscribe({}));
    const frames: Frame[] = [];
    for await (const frame of channel.frames) frames.push(frame);
    expect(frames[0]).toMatchObject({ id: 7, result: {} });
    if (code !== 'protocol.frame_invalid') expect(frames[1]).toMatchObject({ params: { events: [{ seq: 1 }] } });
    expect(channel.signal.reason).toMatchObject({ code });
  });
});

test('a stream on which nothing comes any more ends the channel', async () => {
  await using host = await server(({ response }) => {
    response.setHeader('content-type', 'text/event-stream');
    response.write('data: {"seq":1}\n\n');
  });
  const channel = await httpChannel(host.url, { silenceMs: 5 });
  channel.send(subscribe({}));
  await channel.closed;
  expect(channel.signal.reason).toMatchObject({ code: 'channel.closed', retryable: true, details: { silenceMs: 5 } });
});

test('a client at an http address: a lost request is sent again, a lost stream goes on at its cursor', async () => {
  const asked: string[] = [];
  const notice = (seq: number): string =>
    JSON.stringify({ type: 'notice', seq, id: `s:${seq}`, at: 't', sessionId: 's', level: 'info', message: 'm' });
  await using host = await server(({ request: { url = '', socket }, response, body }) => {
    const frame = body === '' ? undefined : (JSON.parse(body) as { id: number; method: string });
    const what = frame?.method ?? url;
    asked.push(what);
    const times = asked.filter((one) => one === what).length;
    if (frame?.method === 'session/list' && times === 1) socket.destroy();
    else if (frame !== undefined) {
      const result = frame.method === 'host/initialize' ? { protocolVersion: 1, host: 'h' } : { sessions: [] };
      response.end(JSON.stringify({ jsonrpc: '2.0', id: frame.id, result }));
    } else {
      const seq = url.includes('after=') ? 3 : 1;
      response.setHeader('content-type', 'text/event-stream');
      response.write(`data: ${notice(seq)}\n\ndata: ${notice(seq + 1)}\n\n`);
      response.end(seq === 1 ? '' : 'event: end\ndata: {}\n\n');
    }
  });
  const client = connect(host.url, { reconnect: { delaysMs: [0, 0] } });
  expect(await client.request('session/list', {})).toEqual({ sessions: [] });
  const seqs: number[] = [];
  for await (const event of client.session('s').events()) seqs.push(event.seq);
  expect(seqs).toEqual([1, 2, 3, 4]);
  expect(asked).toEqual([
    'host/initialize',
    'session/list',
    'host/initialize',
    'session/list',
    '/sessions/s/events',
    'host/initialize',
    '/sessions/s/events?after=s%3A2',
  ]);
  client.close();
});

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
}
