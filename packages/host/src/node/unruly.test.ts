import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ManualClock, manualClock } from '@rondo/runtime/testing';
import { describe, expect, test } from 'vitest';
import { batchesThenWait, info, noticeOf, runtimeWith } from '../testing/runtime-with.ts';
import { serveSocket } from './serve-socket.ts';
import { grants, hello, openStage, type Stage } from './testing/stage.ts';

/** A connection below HTTP, which does only what the test says. */
async function rawTo(stage: Stage): Promise<Socket> {
  const socket = connect({ port: stage.host.port, host: '127.0.0.1', allowHalfOpen: true });
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

const upgrade = (path: string): string =>
  [
    `GET ${path} HTTP/1.1`,
    'Host: localhost',
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    '',
    '',
  ].join('\r\n');

async function untilData(socket: Socket): Promise<string> {
  const [chunk] = (await once(socket, 'data')) as [Buffer];
  return chunk.toString();
}

describe('a client that does not let go', { timeout: 30_000 }, () => {
  test.each([
    ['sends more behind a refused upgrade', 'more that nobody reads'],
    ['keeps its half of a refused upgrade open', ''],
  ])('%s is let go of by the host', async (_what, more) => {
    await using stage = await openStage();
    const socket = await rawTo(stage);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.write(upgrade('/elsewhere') + more);
    expect(await untilData(socket)).toMatch(/^HTTP\/1.1 404 /);
    // The client never closes: the host's close does not wait for it.
    await stage.host.close();
    socket.destroy();
    await closed;
  });

  test('and does not say who it is has no frame to fill, and is told why', async () => {
    const clock = manualClock();
    await using stage = await openStage({}, { tokens: grants, clock });
    const socket = await rawTo(stage);
    socket.write(upgrade('/ws'));
    expect(await untilData(socket)).toMatch(/^HTTP\/1.1 101 /);
    // The head of a text message of 16 MiB, and then as much of it as the host takes.
    socket.write(Buffer.from([0x81, 0xff, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]));
    let written = 0;
    const write = (): void => {
      const part = Buffer.alloc(64 * 1024, 'x');
      do written += part.length;
      while (written < MOST_IN_FLIGHT && socket.write(part));
    };
    socket.on('drain', write);
    write();
    expect(await untilData(socket)).toContain('access.unauthenticated');
    const cut = new Promise((resolve) => socket.once('close', resolve));
    await elapse(clock, cut);
    expect(written).toBeLessThan(MOST_IN_FLIGHT);
  });
});

/** More than fits into the buffers of both ends of a connection. */
const MOST_IN_FLIGHT = 14 * 1024 * 1024;

/** Lets time go by until it is done. */
async function elapse(clock: ManualClock, work: Promise<unknown>): Promise<void> {
  let isDone = false;
  void work.then(() => (isDone = true));
  while (!isDone) {
    await clock.advance(1000);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('over a Unix socket, a close', { timeout: 30_000 }, () => {
  async function served(clock = manualClock()) {
    const folder = await mkdtemp(join(tmpdir(), 'rondo-unruly-'));
    const path = join(folder, 'host.sock');
    const runtime = runtimeWith({
      readSession: () => new Promise(() => {}),
      subscribe: batchesThenWait(Array.from({ length: 64 }, (_, index) => [noticeOf(index + 1, '.'.repeat(200_000))])),
      listSessions: () => Promise.resolve({ sessions: [{ ...info, title: '.'.repeat(8_000_000) }] }),
    });
    const host = await serveSocket(runtime, { path, clock, limits: { closeMs: 3000 } });
    const socket = connect({ path, allowHalfOpen: true });
    await once(socket, 'connect');
    const say = (...frames: object[]): void => {
      for (const frame of frames) socket.write(`${JSON.stringify({ jsonrpc: '2.0', ...frame })}\n`);
    };
    return {
      host,
      socket,
      clock,
      say,
      async roundTrip() {
        const other = connect(path);
        other.write(`${JSON.stringify({ jsonrpc: '2.0', ...hello })}\n`);
        await once(other, 'data');
        other.destroy();
      },
      async [Symbol.asyncDispose]() {
        socket.destroy();
        await rm(folder, { recursive: true });
      },
    };
  }

  test('does not wait for one that has said its last and never reads', async () => {
    await using stage = await served();
    const { host, socket, clock, say } = stage;
    say(hello, { id: 1, method: 'session/list', params: {} });
    await once(socket, 'readable');
    socket.end();
    // What another client asks after that is answered after that.
    await stage.roundTrip();
    const closing = host.close();
    await elapse(clock, closing);
    expect(host.connections()).toBe(0);
  });

  test('waits no longer than the bound for a request that does not end', async () => {
    await using stage = await served();
    const { host, socket, clock, say } = stage;
    say(hello, { id: 1, method: 'session/read', params: { sessionId: 's' } });
    await once(socket, 'data');
    const closing = host.close();
    await elapse(clock, closing);
  });
});
