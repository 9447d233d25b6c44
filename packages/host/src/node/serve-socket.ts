import { chmod, stat, unlink } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { RondoError } from '@rondo/protocol/values';
import { type Runtime, systemClock } from '@rondo/runtime';
import { unboundPrincipal } from '../access/principal.ts';
import { givenPrincipal } from '../access/read-principal.ts';
import { loadEdgeDecoder } from '../decode-params.ts';
import { defaultLimits } from '../limits.ts';
import { reportTo, silentLog } from './host-log.ts';
import { type ServedLines, serveLines } from './line/serve-lines.ts';
import type { ServeLinesSettings } from './serve-stdio.ts';

export interface ServeSocketOptions extends ServeLinesSettings {
  /** Where the Unix socket is made, in a folder that is its user's alone (0700); on Windows the name of a pipe. */
  readonly path: string;
  /** Neither the socket nor its connections keep the process alive: other work does. */
  readonly unref?: boolean;
}

export interface ServedSocket {
  readonly path: string;
  connections(): number;
  /** Takes no more connections, and closes each as {@link ServedLines.close} says. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** What fits into a socket's address on every system that has them. */
const MOST_PATH_BYTES = 103;

/**
 * Serves a runtime to other processes of the same user, over a socket that is theirs alone (0600): one frame a line.
 * A socket that a process left behind when it died is replaced.
 * @throws RondoError `input.invalid` for a folder that others can enter, a path too long, or one that another host serves.
 */
export async function serveSocket(runtime: Runtime, options: ServeSocketOptions): Promise<ServedSocket> {
  const { path, unref = false } = options;
  const limits = { ...defaultLimits, ...options.limits };
  const principal = options.principal === undefined ? unboundPrincipal('local') : givenPrincipal(options.principal);
  const served = new Set<ServedLines>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    if (unref) socket.unref();
    // Until it is served, nobody else hears that the other end has gone.
    socket.on('error', () => {});
    void serve(socket);
  });
  let isClosing = false;

  /** Most sockets that wait for another process wait in vain: what reads its frames is loaded for the first that comes. */
  async function serve(socket: Socket): Promise<void> {
    const decode = await loadEdgeDecoder();
    if (isClosing) {
      socket.destroy();
      return;
    }
    const lines = serveLines({
      runtime,
      decode,
      limits,
      clock: options.clock ?? systemClock,
      name: options.name ?? 'rondo',
      report: reportTo(options.log ?? silentLog),
      principal,
      input: socket,
      output: socket,
    });
    served.add(lines);
    void lines.closed.then(() => served.delete(lines));
  }
  server.maxConnections = limits.connections;
  if (process.platform !== 'win32') await makeRoom(path);
  await bind(server, path);
  if (unref) server.unref();
  // No one enters the folder between the two lines: it was checked to be this user's alone.
  if (process.platform !== 'win32') await chmod(path, 0o600);

  let closed: Promise<void> | undefined;
  async function close(): Promise<void> {
    isClosing = true;
    const ended = new Promise<void>((resolve) => server.close(() => resolve()));
    await Promise.all([...served].map((lines) => lines.close()));
    await ended;
  }
  return {
    path,
    connections: () => served.size,
    close: () => (closed ??= close()),
    [Symbol.asyncDispose]: () => (closed ??= close()),
  };
}

async function makeRoom(path: string): Promise<void> {
  if (Buffer.byteLength(path) > MOST_PATH_BYTES) {
    throw refused(path, `is longer than the ${MOST_PATH_BYTES} bytes that a socket's path may have`);
  }
  const folder = dirname(path);
  const { mode, uid } = await stat(folder);
  if ((mode & 0o077) !== 0 || uid !== process.getuid?.()) {
    throw refused(path, `lies in a folder that is not this user's alone; chmod 700 ${folder}`);
  }
  const there = await stat(path).catch(() => undefined);
  if (there === undefined) return;
  if (!there.isSocket()) throw refused(path, 'is a file that is no socket');
  if (await answers(path)) throw refused(path, 'is served by another process');
  await unlink(path);
}

/** Whether somebody listens at the socket. */
async function answers(path: string): Promise<boolean> {
  return await new Promise((resolve) => {
    const probe: Socket = connect(path, () => {
      probe.destroy();
      resolve(true);
    });
    probe.on('error', () => resolve(false));
  });
}

async function bind(server: Server, path: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function refused(path: string, why: string): RondoError {
  return new RondoError('input.invalid', `${path} ${why}`, { details: { path } });
}
