import { join } from 'node:path';
import type { AnyEvent } from '@rondo/protocol';
import { rootIdOf } from '../event/session-tree-id.ts';
import type { BlobStore, EventStore, ReadOptions } from '../event/event-store.ts';
import { createChangeSignal } from './change-signal.ts';
import { createFileBlobs } from './file-blobs.ts';
import type { FileSystem, OpenFile } from './file-system.ts';
import { followEvents, readEvents, type LogSource } from './follow-log.ts';
import { createKernelOwners } from './kernel-owners.ts';
import { createLogCatalog } from './log-catalog.ts';
import { nodeFileSystem } from './node-file-system.ts';
import { createOwnedLogs } from './owned-logs.ts';
import type { Owner, Owners } from './owners.ts';
import { createProcessOwners } from './process-owners.ts';
import { createSessionIndex, noSessionIndex } from './session-index.ts';
import { isSessionId, sessionNotFound, sessionPlaces } from './session-place.ts';
import { SNAPSHOT_EVERY_BYTES } from './snapshot-keeper.ts';

/** How long a reader of another process's log waits at most before it looks again, should the watch have missed it. */
const POLL_MS = 1000;

const noWholeBatch = 'its log has no whole batch';

export interface FileStoreOptions {
  readonly home: string;
  /** The machine's files by default. With another one, ownership is among this process's stores and there is no index. */
  readonly fileSystem?: FileSystem;
  /** Who owns what, where it is to be shared by several stores over such a file system. */
  readonly owners?: Owners;
  /** Bytes that a log grows by before a snapshot of it is kept again; a megabyte unless said. */
  readonly snapshotEveryBytes?: number;
  /** Logs that a list looks at though no lease says that they changed; 1024 unless said. */
  readonly listLooksAt?: number;
}

/** A store whose sessions other processes of the machine may own. */
export interface FileStore extends EventStore {
  /** Says where this host listens: `session.in_use` names it to whoever wants a session that this store owns. */
  announce(address: string): Promise<void>;
  /** Another process that has the session, or had it when it died: whether it lives, its address tells. */
  ownerOf(sessionId: string): Promise<Owner | undefined>;
}

/**
 * Sessions as folders of a home: `<home>/sessions/<id>/log.jsonl`, blobs and outputs beside it. One store is one host:
 * two stores, of one process or of many, never own a session at once.
 */
export function createFileStore(options: FileStoreOptions): FileStore {
  const { home, fileSystem = nodeFileSystem, owners: given, snapshotEveryBytes = SNAPSHOT_EVERY_BYTES } = options;
  const onDisk = fileSystem === nodeFileSystem;
  const owners = given ?? (onDisk ? createKernelOwners({ home }) : createProcessOwners());
  const index = onDisk ? createSessionIndex(home) : noSessionIndex;
  const places = sessionPlaces(home);
  const listeners = new Map<string, Set<() => void>>();
  const blobs = new Map<string, BlobStore>();
  const catalog = createLogCatalog({
    fileSystem,
    index,
    places,
    committed: (sessionId) => owned.committed(sessionId),
    changes: owners.changes,
    share: options.listLooksAt,
  });
  const owned = createOwnedLogs({
    fileSystem,
    owners,
    places,
    catalog,
    snapshotEveryBytes,
    onCommit: (sessionId) => listeners.get(sessionId)?.forEach((listener) => listener()),
  });

  /** Undefined while the session is being made here and nothing of it is committed. */
  const openSource = async (sessionId: string): Promise<LogSource | undefined> => {
    if (!isSessionId(sessionId)) throw sessionNotFound(sessionId);
    if (
      owned.has(sessionId) &&
      owned.committed(sessionId) === undefined &&
      fileSystem.status(places.log(sessionId)) === undefined
    )
      return undefined;
    const file = await fileSystem.open(places.log(sessionId), 'read').catch(() => {
      throw sessionNotFound(sessionId);
    });
    return { sessionId, file, limit: () => owned.committed(sessionId)?.offset ?? file.status().size };
  };

  async function* read(sessionId: string, { after = 0, signal }: ReadOptions = {}): AsyncGenerator<AnyEvent, void> {
    const source = await openSource(sessionId);
    if (source === undefined) return;
    try {
      const end = yield* readEvents(source, { after, signal });
      if (end.offset === 0 && !owned.has(sessionId)) throw sessionNotFound(sessionId, noWholeBatch);
    } finally {
      await source.file.close();
    }
  }

  async function* tail(
    sessionId: string,
    options: ReadOptions & { readonly signal: AbortSignal },
  ): AsyncGenerator<AnyEvent, void> {
    const { after = 0, signal } = options;
    const change = createChangeSignal(signal, POLL_MS);
    const stopListening = listen(sessionId, change.changed);
    let file: OpenFile | undefined;
    let stopWatching: (() => void) | undefined;
    try {
      let source = await openSource(sessionId);
      while (source === undefined && !signal.aborted) {
        await change.next();
        source = await openSource(sessionId);
      }
      if (source === undefined) return;
      file = source.file;
      stopWatching = fileSystem.watch(places.log(sessionId), change.changed);
      yield* followEvents(source, { after, signal, changed: change.next });
    } finally {
      stopWatching?.();
      stopListening();
      change.stop();
      await file?.close();
    }
  }

  const listen = (sessionId: string, listener: () => void): (() => void) => {
    const known = listeners.get(sessionId) ?? new Set();
    listeners.set(sessionId, known.add(listener));
    return () => {
      known.delete(listener);
      if (known.size === 0) listeners.delete(sessionId);
    };
  };

  return {
    create: (sessionId) => owned.create(sessionId),
    acquire: (sessionId, acquiring) => owned.acquire(sessionId, acquiring),
    async remove(sessionId) {
      await owned.remove(sessionId);
      blobs.delete(sessionId);
      await index.forget(sessionId);
    },
    read,
    async replay(sessionId, replay) {
      const source = await openSource(sessionId);
      if (source === undefined) return;
      try {
        const { state } = await catalog.replay(sessionId, source.file, source.limit(), replay);
        if (state.offset === 0 && !owned.has(sessionId)) throw sessionNotFound(sessionId, noWholeBatch);
      } finally {
        await source.file.close();
      }
    },
    tail,
    list: (options = {}) => catalog.list(options),
    describe: async (sessionId) => (isSessionId(sessionId) ? catalog.describe(sessionId) : undefined),
    blobs(sessionId) {
      if (!isSessionId(sessionId)) throw sessionNotFound(sessionId);
      const known = blobs.get(sessionId) ?? createFileBlobs(fileSystem, join(places.folder(sessionId), 'blobs'));
      blobs.set(sessionId, known);
      return known;
    },
    logPath: (sessionId) => (isSessionId(sessionId) ? places.log(sessionId) : undefined),
    outputDirectory: (sessionId) => (isSessionId(sessionId) ? join(places.folder(sessionId), 'outputs') : undefined),
    announce: async (address) => owners.announce?.(address),
    ownerOf: async (sessionId) => owners.ownerOf?.(rootIdOf(sessionId)),
    async close() {
      await owned.close();
      // Owners that were given belong to several stores: releasing our logs has ended our part.
      if (given === undefined) owners.close();
      index.close();
    },
  };
}
