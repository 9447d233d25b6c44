import { RondoError } from '@rondo/protocol/values';
import type { AcquireOptions, OwnedLog, Replay } from '../event/event-store.ts';
import { emptyLogState, type LogState } from '../event/log-state.ts';
import { afterThisTurn } from './after-this-turn.ts';
import type { FileSystem, OpenFile } from './file-system.ts';
import type { LogCatalog } from './log-catalog.ts';
import { foldLog } from './log-reader.ts';
import { createLogWriter, logChanged, writeFailed, type LogWriter, type WritableLog } from './log-writer.ts';
import { makeDirectories } from './make-directories.ts';
import { inUse, type Lease, type Owners } from './owners.ts';
import { createSnapshotKeeper, type SnapshotKeeper } from './snapshot-keeper.ts';
import { isSessionId, sessionNotFound, type SessionPlaces } from './session-place.ts';

/** A log that grew by this much is put into the index when it is given up, so that the next owner need not read it all. */
const WORTH_REMEMBERING_BYTES = 1024 * 1024;

export interface OwnedLogsOptions {
  readonly fileSystem: FileSystem;
  readonly owners: Owners;
  readonly places: SessionPlaces;
  readonly catalog: Pick<LogCatalog, 'state' | 'replay' | 'remember'>;
  /** Bytes that a log grows by between two snapshots, at least. */
  readonly snapshotEveryBytes: number;
  readonly onCommit: (sessionId: string) => void;
}

/** The logs that this host writes. */
export interface OwnedLogs {
  create(sessionId: string): Promise<OwnedLog>;
  acquire(sessionId: string, options?: AcquireOptions): Promise<OwnedLog>;
  /** Removes a log that nobody owns, and what is beside it. It need not be readable. */
  remove(sessionId: string): Promise<void>;
  /** True from the first call of `create` or `acquire` on, until the log is given up. */
  has(sessionId: string): boolean;
  /** What is committed of a log of ours; undefined while it is being opened. */
  committed(sessionId: string): LogState | undefined;
  close(): Promise<void>;
}

interface Claimed {
  readonly since: string;
  log?: OwnedLog;
  writer?: LogWriter;
}

export function createOwnedLogs(options: OwnedLogsOptions): OwnedLogs {
  const { fileSystem, owners, places, catalog, onCommit } = options;
  const claims = new Map<string, Claimed>();
  /** Where logs end whose last write failed: what may still stand behind it was refused. */
  const ends = new Map<string, number>();

  const claim = (sessionId: string): Claimed => {
    const known = claims.get(sessionId);
    if (known !== undefined) throw inUse(sessionId, { pid: process.pid, host: 'this host', since: known.since });
    const claimed: Claimed = { since: new Date().toISOString() };
    claims.set(sessionId, claimed);
    return claimed;
  };

  const own = (
    claimed: Claimed,
    facts: Pick<OwnedLog, 'sessionId' | 'epoch' | 'lastSeq' | 'damage' | 'readOnly' | 'replayed'> & {
      readonly opening: Promise<WritableLog>;
      readonly from: number;
      readonly keptAt: number;
    },
  ): OwnedLog => {
    const { sessionId, opening, from, keptAt, ...rest } = facts;
    const writer = createLogWriter(sessionId, opening, () => onCommit(sessionId));
    const keeper = createSnapshotKeeper({
      fileSystem,
      sessionId,
      log: places.log(sessionId),
      path: places.snapshot(sessionId),
      everyBytes: options.snapshotEveryBytes,
      keptAt,
    });
    let releasing: Promise<void> | undefined;
    const log: OwnedLog = {
      sessionId,
      ...rest,
      append: (events, options) =>
        facts.readOnly ? Promise.reject(readOnly(sessionId)) : writer.append(events, options),
      hurry: () => writer.hurry(),
      keep: (offer) => keeper.offer(offer, writer.state()),
      release: () => (releasing ??= release(sessionId, { writer, keeper, from })),
    };
    claimed.writer = writer;
    claimed.log = log;
    return log;
  };

  const release = async (
    sessionId: string,
    { writer, keeper, from }: { writer: LogWriter; keeper: SnapshotKeeper; from: number },
  ): Promise<void> => {
    const lease = await writer.close();
    await keeper.settled();
    const state = writer.state();
    if (state !== undefined && writer.isUncertain()) ends.set(sessionId, state.offset);
    else if (state !== undefined && state.offset - from > WORTH_REMEMBERING_BYTES) {
      // The index is a cache: a log that is gone by now is simply not in it.
      await catalog.remember(sessionId, state).catch(() => undefined);
    }
    await lease?.release();
    claims.delete(sessionId);
  };

  /** Opens a log of ours that was closed while nobody wrote to it. */
  const reopen = async (sessionId: string, inode: number): Promise<OpenFile> => {
    const path = places.log(sessionId);
    const status = fileSystem.status(path);
    // Opening would make a new one.
    if (status === undefined) throw logChanged(sessionId, 'was deleted');
    if (status.inode !== inode) throw logChanged(sessionId, 'was replaced');
    return await fileSystem.open(path, 'update');
  };

  const openNew = async (sessionId: string): Promise<WritableLog> => {
    // Whoever creates a session is about to send its first request: that goes first.
    await new Promise((resolve) => afterThisTurn(resolve));
    const lease = await owners.claim(sessionId, { fresh: true });
    try {
      const above = await makeDirectories(fileSystem, places.folder(sessionId));
      const file = await fileSystem.open(places.log(sessionId), 'update');
      // In a folder that was not there a moment ago there is nothing to clear.
      if (!above.includes(places.sessions)) await clearUnborn(file, sessionId);
      // All of them, whoever made them: a blob of the session may have made its folder a moment ago.
      const entries = new Set([places.folder(sessionId), places.sessions, places.home, ...above]);
      // Begun here, where sessions that are made at once share the syncs of what is above them.
      const entriesSynced = syncAll(fileSystem, [...entries]);
      entriesSynced.catch(() => undefined);
      return { file, reopen: (inode) => reopen(sessionId, inode), lease, state: emptyLogState, entriesSynced };
    } catch (error) {
      await lease.release();
      throw error;
    }
  };

  /** The log as it is, cut behind its last whole batch, with everything that is read from it durable. */
  const openExisting = async (
    sessionId: string,
    lease: Lease,
    replay: Replay | undefined,
  ): Promise<{ file: OpenFile; state: LogState; dropped: number; kept: number }> => {
    const file = await fileSystem.open(places.log(sessionId), 'update');
    try {
      const { size } = file.status();
      const limit = Math.min(size, ends.get(sessionId) ?? size);
      const { state, kept } =
        replay === undefined
          ? { state: await catalog.state(sessionId, file, limit), kept: 0 }
          : await catalog.replay(sessionId, file, limit, replay);
      if (state.offset === 0)
        throw sessionNotFound(
          sessionId,
          `its log has ${size} bytes and no whole batch in them, so nothing of it was ever accepted`,
        );
      lease.raise(state.epoch);
      if (!state.readOnly) {
        if (size > state.offset) await file.truncate(state.offset);
        await Promise.all([file.sync(), syncAll(fileSystem, [places.folder(sessionId), places.sessions, places.home])]);
      }
      ends.delete(sessionId);
      return { file, state, dropped: size - state.offset, kept };
    } catch (error) {
      await file.close();
      throw error;
    }
  };

  const acquireClaimed = async (sessionId: string, claimed: Claimed, replay: Replay | undefined): Promise<OwnedLog> => {
    const lease = await owners.claim(sessionId);
    try {
      const { file, state, dropped, kept } = await openExisting(sessionId, lease, replay);
      const damaged = dropped > 0 || state.damagedLines > 0;
      return own(claimed, {
        sessionId,
        epoch: lease.epoch,
        lastSeq: state.seq,
        damage: damaged ? { droppedBytes: dropped, damagedLines: state.damagedLines } : undefined,
        readOnly: state.readOnly,
        replayed: replay !== undefined,
        opening: Promise.resolve({ file, reopen: (inode) => reopen(sessionId, inode), lease, state }),
        from: state.offset,
        keptAt: kept,
      });
    } catch (error) {
      await lease.release();
      if (error instanceof RondoError) throw error;
      throw isNoEntry(error) ? sessionNotFound(sessionId) : writeFailed(sessionId, error);
    }
  };

  const assertThere = (sessionId: string): void => {
    const there = isSessionId(sessionId) && (claims.has(sessionId) || fileSystem.status(places.log(sessionId)));
    if (there === false || there === undefined) throw sessionNotFound(sessionId);
  };

  /** The log goes first, so that what a crash leaves of the rest belongs to no session. */
  const removeOwned = async (sessionId: string): Promise<void> => {
    const folder = places.folder(sessionId);
    await fileSystem.remove(places.log(sessionId));
    await fileSystem.syncDirectory(folder);
    await fileSystem.removeTree(folder);
    await fileSystem.syncDirectory(places.sessions);
  };

  return {
    async create(sessionId) {
      if (!isSessionId(sessionId)) throw invalidId(sessionId);
      if (claims.has(sessionId)) throw sessionExists(sessionId);
      const claimed = claim(sessionId);
      try {
        await assertUnborn(fileSystem, places.log(sessionId), sessionId);
        return own(claimed, {
          sessionId,
          epoch: 1,
          lastSeq: 0,
          damage: undefined,
          readOnly: false,
          opening: openNew(sessionId),
          from: 0,
          keptAt: 0,
        });
      } catch (error) {
        claims.delete(sessionId);
        throw error;
      }
    },
    async acquire(sessionId, { replay } = {}) {
      assertThere(sessionId);
      const claimed = claim(sessionId);
      try {
        return await acquireClaimed(sessionId, claimed, replay);
      } catch (error) {
        claims.delete(sessionId);
        throw error;
      }
    },
    async remove(sessionId) {
      assertThere(sessionId);
      claim(sessionId);
      try {
        const lease = await owners.claim(sessionId);
        try {
          await removeOwned(sessionId);
          ends.delete(sessionId);
        } catch (error) {
          throw isNoEntry(error) ? sessionNotFound(sessionId) : error;
        } finally {
          await lease.release();
        }
      } finally {
        claims.delete(sessionId);
      }
    },
    has: (sessionId) => claims.has(sessionId),
    committed: (sessionId) => claims.get(sessionId)?.writer?.state(),
    async close() {
      await Promise.all([...claims.values()].map(async (claimed) => claimed.log?.release()));
    },
  };
}

/** A log without a whole batch was never acknowledged: it may be begun again. */
async function clearUnborn(file: OpenFile, sessionId: string): Promise<void> {
  const { size } = file.status();
  if (size === 0) return;
  const { offset } = await foldLog(file, sessionId, emptyLogState, size);
  if (offset > 0) {
    await file.close();
    throw sessionExists(sessionId);
  }
  await file.truncate(0);
}

async function assertUnborn(fileSystem: FileSystem, path: string, sessionId: string): Promise<void> {
  const status = fileSystem.status(path);
  if (status === undefined || status.size === 0) return;
  const file = await fileSystem.open(path, 'read');
  try {
    if ((await foldLog(file, sessionId, emptyLogState, status.size)).offset > 0) throw sessionExists(sessionId);
  } finally {
    await file.close();
  }
}

async function syncAll(fileSystem: FileSystem, directories: readonly string[]): Promise<void> {
  await Promise.all(directories.map((directory) => fileSystem.syncDirectory(directory)));
}

function sessionExists(sessionId: string): RondoError {
  return new RondoError('session.exists', `Session ${sessionId} exists already. Open it, or choose another ID.`, {
    details: { sessionId },
  });
}

function invalidId(sessionId: string): RondoError {
  return new RondoError(
    'input.invalid',
    `"${sessionId}" cannot be a session's ID: use letters, digits, "-", "_" and ".", at most 128.`,
    {
      details: { sessionId },
    },
  );
}

function readOnly(sessionId: string): RondoError {
  return new RondoError(
    'session.read_only',
    `Session ${sessionId} holds an event of a newer version that must be understood to continue it. Open it with that version; here it can be read.`,
    { details: { sessionId } },
  );
}

function isNoEntry(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
