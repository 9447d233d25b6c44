import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import type { Frame } from '@rondo/protocol';
import type { Runtime } from '@rondo/runtime';
import { type ClientOptions, WebSocket } from 'ws';
import { runtimeWith } from '../../testing/runtime-with.ts';
import { type Listening, listen, type ListenOptions } from '../listen.ts';

export const token = 'a-token-of-the-tests';
export const grants = [{ name: 'ada', rights: ['read', 'answer', 'drive'] as const, token }];
export const bearer = { authorization: `Bearer ${token}` };
export const hello = { id: 0, method: 'host/initialize', params: { protocolVersion: 1 } };

export interface Stage extends AsyncDisposable {
  readonly host: Listening;
  /** What the host logged, as text. */
  readonly logged: readonly string[];
  connect(options?: ClientOptions): Client;
  /** A client whose first request has been answered. */
  connected(options?: ClientOptions): Promise<Client>;
  rpc(frame: unknown, headers?: Record<string, string>): Promise<Answer>;
  ask(method: string, path: string, headers?: Record<string, string>, body?: string | Buffer): Promise<Answer>;
  stream(path: string, headers?: Record<string, string>): Promise<IncomingMessage>;
}

export interface Client {
  readonly socket: WebSocket;
  /** Resolves with the code of the socket's close. */
  readonly closed: Promise<number>;
  send(frame: object): void;
  /** The next frame, or undefined when the socket has closed. */
  next(): Promise<Frame | undefined>;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export async function openStage(
  functions: Partial<Runtime> = {},
  options: ListenOptions = { tokens: grants },
): Promise<Stage> {
  const logged: string[] = [];
  const note = (facts: object, message: string): void =>
    void logged.push(
      `${message} ${JSON.stringify(facts, (_, value: unknown) => (value instanceof Error ? String(value) : value))}`,
    );
  const runtime = runtimeWith(functions);
  const host = await listen(runtime, { log: { info: note, warn: note, error: note }, ...options });
  const sockets: WebSocket[] = [];

  const open = (method: string, path: string, headers: Record<string, string>, body?: string | Buffer) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const sent = request(new URL(path, host.url), { method, headers, agent: false }, resolve);
      sent.on('error', reject);
      sent.end(body);
    });
  const ask: Stage['ask'] = async (method, path, headers = bearer, body) => {
    const response = await open(method, path, headers, body);
    let text = '';
    for await (const chunk of response) text += String(chunk);
    return { status: response.statusCode ?? 0, headers: response.headers, body: text };
  };
  const connect: Stage['connect'] = (clientOptions = { headers: bearer }) => {
    const client = clientOf(new WebSocket(`${host.url.replace('http', 'ws')}/ws`, clientOptions));
    sockets.push(client.socket);
    return client;
  };

  return {
    host,
    logged,
    connect,
    async connected(clientOptions) {
      const client = connect(clientOptions);
      await once(client.socket, 'open');
      client.send(hello);
      await client.next();
      return client;
    },
    rpc: (frame, headers = bearer) =>
      ask('POST', '/rpc', { 'content-type': 'application/json', ...headers }, JSON.stringify(frame)),
    ask,
    stream: (path, headers = bearer) => open('GET', path, headers),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.terminate();
      await host.close();
    },
  };
}

function clientOf(socket: WebSocket): Client {
  const frames: Frame[] = [];
  const waiting: ((frame: Frame | undefined) => void)[] = [];
  let isClosed = false;
  socket.on('message', (data: Buffer) => {
    const frame = JSON.parse(data.toString()) as Frame;
    const reader = waiting.shift();
    if (reader === undefined) frames.push(frame);
    else reader(frame);
  });
  socket.on('error', () => {});
  const closed = new Promise<number>((resolve) => {
    socket.on('close', (code) => {
      isClosed = true;
      for (const reader of waiting.splice(0)) reader(undefined);
      resolve(code);
    });
  });
  return {
    socket,
    closed,
    send: (frame) => socket.send(JSON.stringify({ jsonrpc: '2.0', ...frame })),
    async next() {
      const frame = frames.shift();
      if (frame !== undefined || isClosed) return frame;
      return await new Promise((resolve) => waiting.push(resolve));
    },
  };
}
