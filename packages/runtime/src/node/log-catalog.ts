import { RondoError } from '@rondo/protocol/values';
import type { ListOptions, StoredSession } from '../event/event-store.ts';
import { comparePlaces, formatPlace, readPlace, type ListPlace } from '../event/list-place.ts';
import { emptyLogState, type LogState } from '../event/log-state.ts';
import { storedSession } from '../event/session-summary.ts';
import type { FileStatus, FileSystem, OpenFile } from './file-system.ts';
import { foldLog } from './log-reader.ts';
import type { SessionPlaces } from './session-place.ts';
import type { IndexEntry, LogStamp, SessionIndex } from './session-index.ts';

/** Stats, and cached rows, that are looked at before others get their turn. */
const STRIDE = 512;
const ANCHOR_BYTES = 32;

export interface CatalogOptions {
  readonly fileSystem: FileSystem;
  readonly index: SessionIndex;
  readonly places: SessionPlaces;
  /** What this host has committed, for the sessions that it owns. */
  readonly committed: (sessionId: string) => LogState | undefined;
}

/** What the logs of a home say, answered from the index where that is as new as the log. */
export interface LogCatalog {
  /** The state of a log that is open, as far as `limit`. */
  state(sessionId: string, file: OpenFile, limit: number): Promise<LogState>;
  /** Puts a state of the log, as it is now, into the index. */
  remember(sessionId: string, state: LogState): Promise<void>;
  describe(sessionId: string): Promise<StoredSession | undefined>;
  list(options: ListOptions): Promise<{ readonly sessions: readonly StoredSession[]; readonly next?: string }>;
}

/** A session's place in the list. */
interface Row extends ListPlace {
  readonly cwd: string;
  readonly state?: LogState;
}

export function createLogCatalog({ fileSystem, index, places, committed }: CatalogOptions): LogCatalog {
  const state = async (sessionId: string, file: OpenFile, limit: number): Promise<LogState> => {
    const cached = await index.entry(sessionId);
    const usable = cached !== undefined && (await continues(cached, file, limit));
    return foldLog(file, sessionId, usable ? cached.state : emptyLogState, limit);
  };

  const entryOf = async (
    sessionId: string,
    file: OpenFile,
    status: FileStatus,
    known: LogState,
  ): Promise<IndexEntry> => ({
    sessionId,
    stamp: stampOf(status),
    updatedAt: storedSession(sessionId, known.summary, known)?.updatedAt ?? '',
    cwd: known.summary.binding?.cwd ?? '',
    state: known,
    anchor: await readAnchor(file, known.offset),
  });

  /** Reads what the index does not know. Undefined for a log that is gone or that this version cannot read. */
  const inspect = async (sessionId: string): Promise<IndexEntry | undefined> => {
    let file: OpenFile;
    try {
      file = await fileSystem.open(places.log(sessionId), 'read');
    } catch {
      return undefined;
    }
    try {
      const status = file.status();
      return await entryOf(sessionId, file, status, await state(sessionId, file, status.size));
    } catch (error) {
      if (error instanceof RondoError) return undefined;
      throw error;
    } finally {
      await file.close();
    }
  };

  const current = async (sessionId: string): Promise<LogState | undefined> => {
    const own = committed(sessionId);
    if (own !== undefined) return own;
    const status = fileSystem.status(places.log(sessionId));
    if (status === undefined) return undefined;
    const cached = await index.entry(sessionId);
    if (cached !== undefined && isSame(cached.stamp, status)) return cached.state;
    return (await inspect(sessionId))?.state;
  };

  const rows = async (): Promise<Row[]> => {
    const heads = await index.heads();
    const found: Row[] = [];
    const stale: string[] = [];
    let looked = 0;
    for (const sessionId of await fileSystem.names(places.sessions)) {
      looked += 1;
      if (looked % STRIDE === 0) await turn();
      const own = committed(sessionId);
      const status = own === undefined ? fileSystem.status(places.log(sessionId)) : undefined;
      const head = heads.get(sessionId);
      if (own !== undefined) found.push(rowOf(sessionId, own));
      else if (status === undefined) continue;
      else if (head !== undefined && isSame(head.stamp, status))
        found.push({ sessionId, updatedAt: head.updatedAt, cwd: head.cwd });
      else stale.push(sessionId);
    }
    for (let start = 0; start < stale.length; start += STRIDE) {
      const read = (await Promise.all(stale.slice(start, start + STRIDE).map(inspect))).filter(
        (entry) => entry !== undefined,
      );
      await index.put(read);
      found.push(...read.map((entry) => rowOf(entry.sessionId, entry.state)));
    }
    return found.filter((row) => row.updatedAt !== '');
  };

  return {
    state,
    async remember(sessionId, known) {
      const file = await fileSystem.open(places.log(sessionId), 'read');
      try {
        await index.put([await entryOf(sessionId, file, file.status(), known)]);
      } finally {
        await file.close();
      }
    },
    async describe(sessionId) {
      const known = await current(sessionId);
      return known === undefined ? undefined : storedSession(sessionId, known.summary, known);
    },
    async list({ cwd, limit = Number.POSITIVE_INFINITY, before }) {
      const last = before === undefined ? undefined : readPlace(before);
      const all = (await rows())
        .filter((row) => (cwd === undefined || row.cwd === cwd) && (last === undefined || comparePlaces(last, row) < 0))
        .sort(comparePlaces);
      const page = all.slice(0, limit);
      const sessions: StoredSession[] = [];
      for (const row of page) {
        const known = row.state ?? (await current(row.sessionId));
        const session = known === undefined ? undefined : storedSession(row.sessionId, known.summary, known);
        if (session !== undefined) sessions.push(session);
      }
      const end = page.at(-1);
      return end === undefined || page.length === all.length ? { sessions } : { sessions, next: formatPlace(end) };
    },
  };
}

function rowOf(sessionId: string, state: LogState): Row {
  const session = storedSession(sessionId, state.summary, state);
  return { sessionId, updatedAt: session?.updatedAt ?? '', cwd: session?.binding.cwd ?? '', state };
}

/** A log only grows behind what was whole: the cached state holds when its last bytes are still where they were. */
async function continues(cached: IndexEntry, file: OpenFile, limit: number): Promise<boolean> {
  const { offset } = cached.state;
  if (file.status().inode !== cached.stamp.inode || offset === 0 || offset > limit) return false;
  return (await readAnchor(file, offset)) === cached.anchor;
}

async function readAnchor(file: OpenFile, offset: number): Promise<string> {
  const bytes = new Uint8Array(Math.min(ANCHOR_BYTES, offset));
  await file.read(bytes, offset - bytes.length);
  return String.fromCharCode(...bytes);
}

function stampOf({ size, modifiedMs, inode }: FileStatus): LogStamp {
  return { size, modifiedMs, inode };
}

function isSame(stamp: LogStamp, status: FileStatus): boolean {
  return stamp.size === status.size && stamp.modifiedMs === status.modifiedMs && stamp.inode === status.inode;
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
