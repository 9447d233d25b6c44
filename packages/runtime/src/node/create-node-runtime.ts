import { hash, randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { createRuntime, type RuntimeOptions } from '../create-runtime.ts';
import type { EventStore } from '../event/event-store.ts';
import type { Runtime } from '../runtime.ts';
import { createFileStore } from './file-store.ts';
import { resolveHome } from './resolve-home.ts';
import { resolvePath } from './resolve-path.ts';

export type NodeRuntimeOptions = Partial<Omit<RuntimeOptions, 'store'>> & {
  /** Where sessions live; a file store over `home` when absent. */
  readonly store?: EventStore;
  /** `RONDO_HOME`, else `~/.rondo`, when absent. */
  readonly home?: string;
};

/** A runtime with Node's hashing and file system, over the sessions of a home unless a store is given. */
export function createNodeRuntime({ store, home, ...options }: NodeRuntimeOptions = {}): Runtime {
  return createRuntime({
    store: store ?? createFileStore({ home: home ?? resolveHome() }),
    sha256: (text) => hash('sha256', text),
    newId: randomUUID,
    resolvePath,
    foldCase: process.platform === 'darwin' || process.platform === 'win32',
    host: { id: hostname(), pid: process.pid },
    ...options,
  });
}
