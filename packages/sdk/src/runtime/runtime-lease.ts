import { randomUUID } from 'node:crypto';
import { connect, type Client } from '@rondo/client';
import { serveRuntime } from '@rondo/host';
import { createMemoryChannel } from '@rondo/protocol/values';
import type { Runtime } from '@rondo/runtime';
import { type FileRuntime, openFileRuntime, openMemoryRuntime } from './open-runtime.ts';
import { sweepOfStart } from './sweep-of-start.ts';

/** A runtime of this process and a client of one's own, over a memory channel, until released. */
export interface RuntimeLease {
  readonly runtime: Runtime;
  readonly client: Client;
  /** Closes the client, and the runtime with its last user. Resolves when nothing is held any more. */
  release(): Promise<void>;
}

interface SharedRuntime {
  readonly runtime: FileRuntime;
  users: number;
}

export interface LeaseOptions {
  /** Sessions of other processes are refused rather than worked with through their owners. */
  readonly ownOnly?: boolean;
}

/** By home. A home has one owner of a session's log at a time, so the process has one runtime for it. */
const sharedRuntimes = new Map<string, SharedRuntime>();
/** Homes that are being given up: who comes now waits, or would find its own process in the way. */
const closing = new Map<string, Promise<void>>();

/** Leases the process's runtime over a home. It is opened for its first user and closed with its last. */
export async function leaseRuntime(home: string, { ownOnly = false }: LeaseOptions = {}): Promise<RuntimeLease> {
  while (closing.has(home)) await closing.get(home);
  const shared = sharedRuntimes.get(home) ?? { runtime: openFileRuntime(home), users: 0 };
  sharedRuntimes.set(home, shared);
  shared.users += 1;
  void sweepOfStart();
  return lease(ownOnly ? shared.runtime.own : shared.runtime.routed, `home:${home}`, () => leaveShared(home, shared));
}

/** Leases a runtime of its own that keeps everything in memory and nothing after. */
export function leaseMemoryRuntime(): RuntimeLease {
  const runtime = openMemoryRuntime();
  void sweepOfStart();
  // The client would take its name from Web Crypto, which is loaded for nothing else.
  return lease(runtime, `memory:${randomUUID()}`, () => runtime.close());
}

function lease(runtime: Runtime, place: string, leave: () => Promise<void>): RuntimeLease {
  const [ours, theirs] = createMemoryChannel();
  const served = serveRuntime(runtime, theirs, { trusted: true });
  const client = connect(ours, { trusted: true, place });
  let released: Promise<void> | undefined;
  return {
    runtime,
    client,
    release() {
      released ??= (async () => {
        client.close();
        await served.closed;
        await leave();
        await sweepOfStart();
      })();
      return released;
    },
  };
}

async function leaveShared(home: string, shared: SharedRuntime): Promise<void> {
  shared.users -= 1;
  if (shared.users > 0) return;
  sharedRuntimes.delete(home);
  const closed = shared.runtime.routed.close().finally(() => closing.delete(home));
  closing.set(
    home,
    closed.catch(() => {}),
  );
  await closed;
}
