import { hash, randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { createMemoryStore, createRuntime, type EventStore, type Runtime } from '@rondo/runtime';
import { createFileStore, resolvePath } from '@rondo/runtime/node';

/** An engine over the sessions of a home. Opens nothing before it is used. */
export function openFileRuntime(home: string): Runtime {
  return runtimeOver(createFileStore({ home }));
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
