import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createSocketServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { promisify } from 'node:util';
import type { Channel, Frame } from '@rondo/protocol';
import { describe, expect, test, vi } from 'vitest';
import { WebSocketServer, type WebSocket } from 'ws';
import { connect, webSocketChannel as plainWebSocketChannel } from '../index.ts';
import { socketChannel, stdioChannel, webSocketChannel } from './index.ts';

/** Every kind of character, and what some take for the end of a line. */
const TEXT = 'a\u2028b\u2029c\u0085d\r\ne\rf é 漢 🙂 \u0000';

interface Peer extends AsyncDisposable {
  readonly channel: Channel;
  /** What the other end of the channel got. */
  readonly got: unknown[];
  /** Sends a text as it stands, from the other end. */
  say(text: string): void;
  /** Sends bytes one by one, where the transport has no messages. */
  readonly drip?: (text: string) => void;
  hangUp(): void;
}

const cases: readonly { readonly name: string; open(): Promise<Peer> }[] = [
  { name: 'a Unix socket', open: overSocket },
  { name: 'two streams', open: overStreams },
  { name: 'a WebSocket of ws', open: () => overWebSocket(webSocketChannel) },
  { name: 'the WebSocket that platforms have', open: () => overWebSocket(plainWebSocketChannel) },
];

// Sockets and processes of a machine that has much else to do.
vi.setConfig({ testTimeout: 20_000 });

describe.each(cases)('over $name', ({ open }) => {
  test('frames go both ways as they are, and the close of either end ends both', async () => {
    await using peer = await open();
    const frames = peer.channel.frames[Symbol.asyncIterator]();
    const request: Frame = { jsonrpc: '2.0', id: 1, method: 'm', params: { text: TEXT } };
    peer.channel.send(request);
    await until(() => peer.got.length === 1);
    expect(peer.got).toEqual([request]);
    peer.say(JSON.stringify({ jsonrpc: '2.0', id: 1, result: TEXT }));
    peer.say(JSON.stringify({ jsonrpc: '2.0', id: 2, result: 2 }));
    expect(await frames.next()).toMatchObject({ value: { id: 1, result: TEXT } });
    expect(await frames.next()).toMatchObject({ value: { id: 2 } });
    peer.hangUp();
    expect(await frames.next()).toEqual({ done: true, value: undefined });
    await peer.channel.closed;
    expect(peer.channel.signal.reason).toMatchObject({ code: 'channel.closed', retryable: true });
    expect(() => peer.channel.send(request)).toThrow(expect.objectContaining({ code: 'channel.closed' }));
  });

  test('what was sent before the close from here arrives', async () => {
    await using peer = await open();
    for (let id = 0; id < 100; id += 1) peer.channel.send({ jsonrpc: '2.0', id, method: 'm', params: {} });
    peer.channel.close();
    peer.channel.close();
    await until(() => peer.got.length === 100);
    expect(peer.got.at(-1)).toMatchObject({ id: 99 });
  });

  test('what is no frame ends the channel, and is not tried for ever', async () => {
    await using peer = await open();
    peer.say('hello');
    await peer.channel.closed;
    expect(peer.channel.signal.reason).toMatchObject({ code: 'protocol.frame_invalid', retryable: false });
  });

  test('characters and lines that come in pieces are put together', async () => {
    await using peer = await open();
    if (peer.drip === undefined) return;
    peer.drip(`\n${JSON.stringify({ jsonrpc: '2.0', id: 1, result: TEXT })}\n`);
    expect(await peer.channel.frames[Symbol.asyncIterator]().next()).toMatchObject({ value: { result: TEXT } });
  });
});

describe('opening', () => {
  test('nobody there: the error says where', async () => {
    const server = createHttpServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    const refused = { code: 'channel.closed', retryable: true };
    for (const open of [webSocketChannel, plainWebSocketChannel]) {
      await expect(open(`ws://127.0.0.1:${port}/ws`)).rejects.toMatchObject(refused);
    }
    await expect(socketChannel(join(tmpdir(), 'rondo-nobody', 'socket'))).rejects.toMatchObject({
      ...refused,
      message: expect.stringContaining('rondo-nobody'),
    });
    await expect(stdioChannel({ command: join(tmpdir(), 'rondo-no-command') })).rejects.toMatchObject({
      ...refused,
      message: expect.stringMatching(/rondo-no-command.*does not start/),
    });
    const client = connect(`http://127.0.0.1:${port}`);
    await expect(client.request('session/list', {})).rejects.toMatchObject({
      ...refused,
      message: expect.stringContaining(`127.0.0.1:${port}`),
    });
  });

  test.each([
    [401, 'access.unauthenticated'],
    [403, 'access.denied'],
    [502, 'channel.closed'],
  ])('an upgrade that is answered with %i is %s', async (status, code) => {
    const server = createHttpServer();
    server.on('upgrade', (_request, socket) => socket.end(`HTTP/1.1 ${status} No\r\ncontent-length: 0\r\n\r\n`));
    await using address = await listening(server);
    await expect(webSocketChannel(`ws://${address.host}/ws`, { token: 'x' })).rejects.toMatchObject({ code });
  });

  test('the token goes in a header of the upgrade', async () => {
    const server = createHttpServer();
    const sockets = new WebSocketServer({ server });
    const headers: unknown[] = [];
    sockets.on('connection', (socket, request) => {
      headers.push(request.headers.authorization, request.headers['x-own'], request.url);
      socket.close(4401, 'token expired');
    });
    await using address = await listening(server);
    const channel = await webSocketChannel(`ws://${address.host}/ws`, { token: 'secret', headers: { 'x-own': '1' } });
    await channel.closed;
    expect(headers).toEqual(['Bearer secret', '1', '/ws']);
    expect(channel.signal.reason).toMatchObject({ code: 'access.unauthenticated', retryable: false });
  });

  test.each([
    [1001, 'host.closing'],
    [1009, 'protocol.frame_too_large'],
    [1011, 'channel.closed'],
  ])('close code %i is %s', async (closeCode, code) => {
    const server = createHttpServer();
    new WebSocketServer({ server }).on('connection', (socket) => socket.close(closeCode, 'why'));
    await using address = await listening(server);
    const channel = await plainWebSocketChannel(`ws://${address.host}/ws`);
    await channel.closed;
    expect(channel.signal.reason).toMatchObject({ code, details: { closeCode }, message: /why/ });
  });

  test('a host that beat, and then says nothing, is taken for gone', async () => {
    const server = createHttpServer();
    new WebSocketServer({ server }).on('connection', (socket) => socket.ping());
    await using address = await listening(server);
    const channel = await webSocketChannel(`ws://${address.host}/ws`, { silenceMs: 5 });
    await channel.closed;
    expect(channel.signal.reason).toMatchObject({ code: 'channel.closed', retryable: true, details: { silenceMs: 5 } });
  });

  test('an abort gives an opening up', async () => {
    const server = createSocketServer();
    await using address = await listening(server);
    for (const open of [webSocketChannel, plainWebSocketChannel]) {
      const controller = new AbortController();
      const opening = open(`ws://${address.host}/ws`, { signal: controller.signal });
      const rejected = expect(opening).rejects.toMatchObject({ code: 'channel.closed' });
      await once(server, 'connection');
      controller.abort();
      await rejected;
      await expect(open(`ws://${address.host}/ws`, { signal: controller.signal })).rejects.toThrow();
    }
  });
});

describe('a command as the host', () => {
  const echo = `
    process.stdin.setEncoding('utf8');
    let text = '';
    process.stdin.on('data', (piece) => {
      text += piece;
      for (let end = text.indexOf('\\n'); end >= 0; end = text.indexOf('\\n')) {
        const { id, params } = JSON.parse(text.slice(0, end));
        text = text.slice(end + 1);
        process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result: params }) + '\\n');
      }
    });
    process.stdin.on('end', () => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', method: 'last' }) + '\\n'));
  `;

  test('answers over its standard streams, and ends with the channel', async () => {
    const channel = await stdioChannel({ command: process.execPath, args: ['--eval', echo], stderr: 'ignore' });
    const frames = channel.frames[Symbol.asyncIterator]();
    channel.send({ jsonrpc: '2.0', id: 1, method: 'm', params: TEXT });
    expect(await frames.next()).toMatchObject({ value: { id: 1, result: TEXT } });
    channel.close();
    expect(await frames.next()).toMatchObject({ done: true });
  });

  test('that ends by itself ends the channel, with what it wrote before', async () => {
    const last = `process.stdout.write(JSON.stringify({ jsonrpc: '2.0', method: 'last' }) + '\\n')`;
    const channel = await stdioChannel({ command: process.execPath, args: ['--eval', last] });
    const frames: Frame[] = [];
    for await (const frame of channel.frames) frames.push(frame);
    expect(frames).toMatchObject([{ method: 'last' }]);
    expect(channel.signal.reason).toMatchObject({ code: 'channel.closed' });
  });

  test('that does not end when its input does is made to', async () => {
    const deaf = `process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); process.stdin.on('end', () => {});
      process.stdout.write(JSON.stringify({ jsonrpc: '2.0', method: 'pid', params: process.pid }) + '\\n');`;
    const channel = await stdioChannel({ command: process.execPath, args: ['--eval', deaf], graceMs: 5 });
    const { value } = await channel.frames[Symbol.asyncIterator]().next();
    const pid = Number((value as { params: unknown }).params);
    channel.close();
    await until(() => !isAlive(pid));
  });
});

test('a process ends by itself when its clients are closed, or were dropped and nothing waits', async () => {
  await using host = await tinyHost();
  const program = `
    import { connect } from '@rondo/client';
    import { webSocketChannel } from '@rondo/client/node';
    const targets = [
      'http://${host.host}',
      'ws://${host.host}',
      ({ signal }) => webSocketChannel('ws://${host.host}/ws', { signal }),
    ];
    const clients = targets.flatMap((target) => [connect(target), connect(target)]);
    const lists = clients.map((client) => client.request('session/list', {}));
    console.log((await Promise.all(lists)).map(({ sessions }) => sessions.length).join(''));
    for (const [index, client] of clients.entries()) if (index % 2 === 0) client.close();
    await fetch('http://${host.host}/drop', { method: 'POST' }).catch(() => {});
  `;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--conditions=@rondo/source', '--input-type=module', '--eval', program],
    { cwd: new URL('../..', import.meta.url) },
  );
  expect(stdout).toBe('000000\n');
});

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function listening(server: ReturnType<typeof createHttpServer> | ReturnType<typeof createSocketServer>) {
  server.listen(0, '127.0.0.1');
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket));
  await once(server, 'listening');
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    sockets,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Answers `host/initialize` and lists no sessions, over WebSocket and HTTP; drops everyone when asked to. */
async function tinyHost() {
  const answer = ({ id, method }: { id: number; method: string }): string =>
    JSON.stringify({
      jsonrpc: '2.0',
      id,
      result: method === 'host/initialize' ? { protocolVersion: 1, host: 'tiny' } : { sessions: [] },
    });
  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (request.url === '/drop') {
      for (const socket of address.sockets) socket.destroy();
      return;
    }
    response.setHeader('content-type', 'application/json');
    response.end(answer(JSON.parse(Buffer.concat(chunks).toString()) as { id: number; method: string }));
  }
  const server = createHttpServer((request, response) => void respond(request, response));
  new WebSocketServer({ server }).on('connection', (socket) =>
    socket.on('message', (data: Buffer) =>
      socket.send(answer(JSON.parse(data.toString()) as { id: number; method: string })),
    ),
  );
  const address = await listening(server);
  return address;
}

async function overWebSocket(open: (url: string) => Promise<Channel>): Promise<Peer> {
  const server = createHttpServer();
  const accepted = Promise.withResolvers<WebSocket>();
  const got: unknown[] = [];
  new WebSocketServer({ server }).on('connection', (socket) => {
    socket.on('message', (data: Buffer) => got.push(JSON.parse(data.toString())));
    accepted.resolve(socket);
  });
  const address = await listening(server);
  const channel = await open(`ws://${address.host}/ws`);
  const socket = await accepted.promise;
  return {
    channel,
    got,
    say: (text) => socket.send(text),
    hangUp: () => socket.terminate(),
    async [Symbol.asyncDispose]() {
      channel.close();
      await address[Symbol.asyncDispose]();
    },
  };
}

async function overSocket(): Promise<Peer> {
  const folder = await mkdtemp(join(tmpdir(), 'rondo-test-'));
  const path = join(folder, 'socket');
  const server = createSocketServer();
  server.listen(path);
  await once(server, 'listening');
  const accepted = once(server, 'connection');
  const channel = await socketChannel(path);
  const [socket] = (await accepted) as [Socket];
  socket.on('error', () => {});
  socket.setNoDelay(true);
  return {
    channel,
    got: linesOf(socket),
    say: (text) => void socket.write(`${text}\n`),
    drip: (text) => dripInto(socket, text),
    hangUp: () => void socket.end(),
    async [Symbol.asyncDispose]() {
      channel.close();
      socket.destroy();
      await new Promise((resolve) => server.close(resolve));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function overStreams(): Promise<Peer> {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const channel = await stdioChannel({ input, output });
  return {
    channel,
    got: linesOf(output),
    say: (text) => void input.write(`${text}\n`),
    drip: (text) => dripInto(input, text),
    hangUp: () => void input.end(),
    async [Symbol.asyncDispose]() {
      channel.close();
      await channel.closed;
    },
  };
}

function dripInto(stream: { write(chunk: Buffer): boolean }, text: string): void {
  for (const byte of Buffer.from(text)) stream.write(Buffer.of(byte));
}

function linesOf(stream: NodeJS.ReadableStream): unknown[] {
  const got: unknown[] = [];
  let text = '';
  stream.setEncoding('utf8');
  stream.on('data', (piece: string) => {
    const lines = (text + piece).split('\n');
    text = lines.pop() ?? '';
    got.push(...lines.map((line): unknown => JSON.parse(line)));
  });
  return got;
}
