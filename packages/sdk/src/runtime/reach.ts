import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import type { EventStore, OwnedLog, Runtime } from '@rondo/runtime';

/** A host that owns a session for that long can be reached, whatever it does. */
const LATEST_MS = 1000;
/** What a socket's path may have on every system that has them. */
const MOST_PATH_BYTES = 103;

export interface ReachOptions {
  readonly home: string;
  /** What is served to other processes of this user. */
  readonly runtime: () => Runtime;
  /** Makes the address known to whoever wants a session that is owned here. */
  readonly announce: (address: string) => Promise<void>;
}

/** The way in for other processes. */
export interface Reach {
  /** The store, watched for the moment when somebody may want in: a session is owned here and takes its time. */
  watch(store: EventStore): EventStore;
  /** Tells those who came in, and closes. */
  close(): Promise<void>;
}

/**
 * Off the start-up path: the socket is made while the first model request is on its way, when a question opens, or a
 * second after the first session was owned. A process that ends before costs nothing.
 */
export function createReach({ home, runtime, announce }: ReachOptions): Reach {
  let opening: Promise<{ close(): Promise<void> } | undefined> | undefined;
  let latest: NodeJS.Timeout | undefined;
  let closed = false;

  async function listen(): Promise<{ close(): Promise<void> } | undefined> {
    try {
      const path = socketPath(home);
      const { serveSocket } = await import('@rondo/host/node');
      if (closed) return undefined;
      const served = await serveSocket(runtime(), { path, unref: true });
      await announce(path);
      return served;
    } catch {
      // Others read of an owner without an address, and wait for it or leave.
      return undefined;
    }
  }

  /** Where that fails, this host is not reached, and works on. */
  function open(): void {
    clearTimeout(latest);
    if (!closed) opening ??= listen();
  }

  function owned(log: OwnedLog): OwnedLog {
    if (opening !== undefined || closed) return log;
    latest ??= setTimeout(open, LATEST_MS).unref();
    return {
      ...log,
      append(events, options) {
        const asks = opening === undefined && events.some(({ event }) => wakers.has(event.type));
        // What this append is for goes first.
        if (asks) setImmediate(open);
        return log.append(events, options);
      },
    };
  }

  return {
    watch: (store) => ({
      ...store,
      create: async (sessionId) => owned(await store.create(sessionId)),
      acquire: async (sessionId, options) => owned(await store.acquire(sessionId, options)),
    }),
    async close() {
      closed = true;
      clearTimeout(latest);
      await (await opening)?.close();
    },
  };
}

/** From here on somebody may wait for this host, and it for somebody. */
const wakers: ReadonlySet<string> = new Set(['model.requested', 'callback.opened']);

/** A socket of this host's own in a folder that is its user's alone. */
function socketPath(home: string): string {
  const name = randomUUID().slice(0, 13);
  if (process.platform === 'win32') return `\\\\.\\pipe\\rondo-${randomUUID()}`;
  const inHome = join(home, 'sockets');
  const folder =
    Buffer.byteLength(join(inHome, name)) <= MOST_PATH_BYTES ? inHome : join(tmpdir(), `rondo-${userInfo().uid}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return join(folder, name);
}
