import { hash, randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { createMemoryStore, createRuntime, type EventStore, type Runtime } from '@rondo/runtime';
import { createFileStore, resolvePath } from '@rondo/runtime/node';
import { createReach } from './reach.ts';
import { createRoutedRuntime } from './routed-runtime.ts';
import { withSessionBindings } from './session-bindings.ts';

/** An engine over a home, as two kinds of users have it. Closing either closes it. */
export interface FileRuntime {
  /** Which other processes reach, and which reaches sessions of theirs. */
  readonly routed: Runtime;
  /** For whoever works with a session by rules of its own: one of another process is `session.in_use`. */
  readonly own: Runtime;
}

/** An engine over the sessions of a home. Opens nothing before it is used. */
export function openFileRuntime(home: string): FileRuntime {
  const store = createFileStore({ home });
  const reach = createReach({ home, announce: store.announce, runtime: () => own });
  const own = withSessionBindings(runtimeOver(reach.watch(store)));
  const runtime = createRoutedRuntime({ runtime: own, store });
  async function close(): Promise<void> {
    await reach.close();
    await runtime.close();
  }
  return { routed: { ...runtime, close }, own: { ...own, close } };
}

/** An engine whose sessions end with it. */
export function openMemoryRuntime(): Runtime {
  return runtimeOver(createMemoryStore());
}

/** Asked for once: every query without stored sessions makes a runtime. */
let machine: string | undefined;

function runtimeOver(store: EventStore): Runtime {
  const host = { id: (machine ??= hostname()), pid: process.pid };
  // The global `crypto` would give UUIDs as well, and load all of Web Crypto for them.
  const foldCase = process.platform === 'darwin' || process.platform === 'win32';
  return createRuntime({
    store,
    resolvePath,
    foldCase,
    host,
    newId: randomUUID,
    sha256: (text) => hash('sha256', text),
  });
}
