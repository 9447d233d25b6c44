import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { type Post, post, type PostFailure } from './post.ts';

const servers: { close(): void; closeAllConnections(): void }[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function serve(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const sockets = new Set<unknown>();
  const server = createServer((request, response) => {
    sockets.add(request.socket);
    request.resume().on('end', () => answer(request, response));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  servers.push(server);
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  return { url, sockets };
}

interface Asked {
  readonly post: Post;
  /** Bytes so far. */
  readonly size: () => number;
  readonly text: () => string;
  readonly whenSome: Promise<void>;
  readonly ended: Promise<PostFailure | undefined>;
}

function ask(url: URL, onData?: (asked: Post) => void): Asked {
  const chunks: Buffer[] = [];
  const some = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<PostFailure | undefined>();
  const sent = post(
    { url, headers: {}, body: Buffer.from('{}'), timeouts: {} },
    {
      response: () => {},
      data: (bytes) => {
        chunks.push(bytes);
        onData?.(sent);
        some.resolve();
      },
      end: () => ended.resolve(undefined),
      fail: ended.resolve,
    },
  );
  const text = (): string => Buffer.concat(chunks).toString();
  const size = (): number => chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  return { post: sent, text, size, whenSome: some.promise, ended: ended.promise };
}

test('chunks that come together are handed on together, in order and whole', async () => {
  const { url } = await serve((_request, response) => {
    for (let piece = 0; piece < 2_000; piece += 1) response.write(`${piece},`);
    response.end('end');
  });
  const asked = ask(url);
  expect(await asked.ended).toBeUndefined();
  expect(asked.text()).toBe(`${Array.from({ length: 2_000 }, (_, piece) => `${piece},`).join('')}end`);
});

test('a reader that pauses stops the server, and gets all of it later', async () => {
  const size = 64 * 1024 * 1024;
  let unsent = size;
  const { url } = await serve((_request, response) => {
    const more = (): void => {
      while (unsent > 0) {
        const piece = Math.min(unsent, 64 * 1024);
        unsent -= piece;
        if (!response.write(Buffer.alloc(piece, 97))) {
          response.once('drain', more);
          return;
        }
      }
      response.end();
    };
    more();
  });
  let first = true;
  const asked = ask(url, (sent) => {
    if (first) sent.pause();
    first = false;
  });
  await asked.whenSome;
  const before = asked.size();
  // Other conversations go by meanwhile: had the socket not stopped, more would have come in that time.
  const other = await serve((_request, response) => response.end('ok'));
  for (let round = 0; round < 20; round += 1) await ask(other.url).ended;
  expect(asked.size()).toBe(before);
  expect(unsent).toBeGreaterThan(0);
  asked.post.resume();
  expect(await asked.ended).toBeUndefined();
  expect(asked.size()).toBe(size);
});

test('a connection whose reply ended while its reader paused serves the next request', async () => {
  const { url, sockets } = await serve((_request, response) => response.end('whole'));
  const first = ask(url, (sent) => sent.pause());
  expect(await first.ended).toBeUndefined();
  const second = ask(url);
  expect(await second.ended).toBeUndefined();
  expect([first.text(), second.text()]).toEqual(['whole', 'whole']);
  // Pausing and going on after the end is about a connection that others have by now.
  first.post.pause();
  expect(await ask(url).ended).toBeUndefined();
  first.post.resume();
  expect(sockets.size).toBe(1);
});

test('a reply that breaks off hands on what came, and says so', async () => {
  const { url } = await serve((_request, response) => {
    response.write('half');
    response.socket?.once('drain', () => {});
    setImmediate(() => response.destroy());
  });
  const asked = ask(url);
  expect(await asked.ended).toMatchObject({ type: 'connection', answered: true });
  expect(asked.text()).toBe('half');
});
