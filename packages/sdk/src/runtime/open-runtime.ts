import { hash, randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { createMemoryStore, createRuntime, type EventStore, type Runtime } from '@rondo/runtime';
import { createFileStore, resolvePath } from '@rondo/runtime/node';
import { createReach } from './reach.ts';
import { createRoutedRuntime } from './routed-runtime.ts';
import { withSessionBindings } from './session-bindings.ts';

/** An engine over the sessions of a home, which other processes reach and which reaches theirs. Opens nothing before it is used. */
export function openFileRuntime(home: string): Runtime {
  const store = createFileStore({ home });
  const reach = createReach({ home, announce: store.announce, runtime: () => own });
  const own = withSessionBindings(runtimeOver(reach.watch(store)));
  const runtime = createRoutedRuntime({ runtime: own, store });
  return {
    ...runtime,
    async close() {
      await reach.close();
      await runtime.close();
    },
  };
}

/** An engine whose sessions end with it. */
export function openMemoryRuntime(): Runtime {
  return runtimeOver(createMemoryStore());
}

function runtimeOver(store: EventStore): Runtime {
  const host = { id: hostname(), pid: process.pid };
  // The global `crypto` would give UUIDs as well, and load all of Web Crypto for them.
  return createRuntime({ store, resolvePath, host, newId: randomUUID, sha256: (text) => hash('sha256', text) });
}
