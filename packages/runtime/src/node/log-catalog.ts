import { RondoError } from '@rondo/protocol/values';
import type { ListOptions, Replay, StoredSession } from '../event/event-store.ts';
import { comparePlaces, formatPlace, readPlace } from '../event/list-place.ts';
import { emptyLogState, type LogState } from '../event/log-state.ts';
import { storedSession } from '../event/session-summary.ts';
import type { FileStatus, FileSystem, OpenFile } from './file-system.ts';
import { createHomeSurvey, stampOf, type HomeSurveyOptions, type Row } from './home-survey.ts';
import { foldLog } from './log-reader.ts';
import { readSnapshot, readSnapshotState } from './log-snapshot.ts';
import type { SessionPlaces } from './session-place.ts';
import type { IndexEntry, SessionIndex } from './session-index.ts';

const ANCHOR_BYTES = 32;
const WORTH_CONTINUING_BYTES = 256 * 1024;

export interface CatalogOptions {
  readonly fileSystem: FileSystem;
  readonly index: SessionIndex;
  readonly places: SessionPlaces;
  /** What this host has committed, for the sessions that it owns. */
  readonly committed: (sessionId: string) => LogState | undefined;
  readonly changes?: HomeSurveyOptions['changes'];
  readonly share?: number | undefined;
}

/** What the logs of a home say, answered from the index where that is as new as the log. */
export interface LogCatalog {
  /** The state of a log that is open, as far as `limit`. */
  state(sessionId: string, file: OpenFile, limit: number): Promise<LogState>;
  /** The same, and tells the replay what the log says. `kept` is where the log ended when its snapshot was taken. */
  replay(sessionId: string, file: OpenFile, limit: number, replay: Replay): Promise<{ state: LogState; kept: number }>;
  /** Puts a state of the log, as it is now, into the index. */
  remember(sessionId: string, state: LogState): Promise<void>;
  describe(sessionId: string): Promise<StoredSession | undefined>;
  list(options: ListOptions): Promise<{ readonly sessions: readonly StoredSession[]; readonly next?: string }>;
}

export function createLogCatalog({ fileSystem, index, places, committed, changes, share }: CatalogOptions): LogCatalog {
  const snapshotOf = (sessionId: string, log: OpenFile, limit: number) => ({
    fileSystem,
    path: places.snapshot(sessionId),
    sessionId,
    log,
    limit,
  });

  const state = async (sessionId: string, file: OpenFile, limit: number): Promise<LogState> => {
    // A short log is read faster than the index is opened.
    if (limit < WORTH_CONTINUING_BYTES) return foldLog(file, sessionId, emptyLogState, limit);
    const cached = await index.entry(sessionId);
    const indexed = cached !== undefined && (await continues(cached, file, limit)) ? cached.state : emptyLogState;
    const kept = (await readSnapshotState(snapshotOf(sessionId, file, limit))) ?? emptyLogState;
    return foldLog(file, sessionId, kept.offset > indexed.offset ? kept : indexed, limit);
  };

  const replay = async (sessionId: string, file: OpenFile, limit: number, told: Replay) => {
    const snapshot = await readSnapshot(snapshotOf(sessionId, file, limit), told.version);
    const from = snapshot !== undefined && told.restore(snapshot.value) ? snapshot.state : emptyLogState;
    const replayed = await foldLog(file, sessionId, from, limit, told);
    return { state: replayed, kept: from.offset };
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

  const read = async (sessionId: string, file: OpenFile): Promise<IndexEntry | undefined> => {
    try {
      const status = file.status();
      return await entryOf(sessionId, file, status, await state(sessionId, file, status.size));
    } catch (error) {
      // Of a newer format, or not this session's: no list can show it, and opening it says why.
      if (error instanceof RondoError) return undefined;
      throw error;
    } finally {
      await file.close();
    }
  };

  /** What the log says, as of now. Undefined for a log that is gone or that this version cannot read. */
  const inspect = async (sessionId: string): Promise<IndexEntry | undefined> => {
    const status = fileSystem.status(places.log(sessionId));
    if (status === undefined) return undefined;
    const cached = await index.entry(sessionId);
    if (cached !== undefined && cached.stamp === stampOf(status)) return cached;
    const file = await fileSystem.open(places.log(sessionId), 'read').catch(() => undefined);
    return file === undefined ? undefined : read(sessionId, file);
  };

  const current = async (sessionId: string): Promise<LogState | undefined> =>
    committed(sessionId) ?? (await inspect(sessionId))?.state;

  const survey = createHomeSurvey({ fileSystem, index, places, committed, inspect, changes, share });

  return {
    state,
    replay,
    async remember(sessionId, known) {
      const file = await fileSystem.open(places.log(sessionId), 'read');
      try {
        await index.put({ entries: [await entryOf(sessionId, file, file.status(), known)] });
      } finally {
        await file.close();
      }
    },
    async describe(sessionId) {
      const known = await current(sessionId);
      return known === undefined ? undefined : storedSession(sessionId, known.summary, known, known.offset);
    },
    async list({ cwd, limit = Number.POSITIVE_INFINITY, before }) {
      const last = before === undefined ? undefined : readPlace(before);
      const home = await survey();
      const select = (): readonly Row[] =>
        cwd === undefined && last === undefined
          ? home.rows()
          : home
              .rows()
              .filter(
                (row) => (cwd === undefined || row.cwd === cwd) && (last === undefined || comparePlaces(last, row) < 0),
              );
      let all = select();
      // What is shown was looked at, whatever is trusted: a row that turns out otherwise may leave its page.
      while (await home.look(all.slice(0, limit))) all = select();
      const page = all.slice(0, limit);
      const sessions: StoredSession[] = [];
      for (const row of page) {
        const known = row.state ?? (await current(row.sessionId));
        const session =
          known === undefined ? undefined : storedSession(row.sessionId, known.summary, known, known.offset);
        if (session !== undefined) sessions.push(session);
      }
      const end = page.at(-1);
      return end === undefined || page.length === all.length ? { sessions } : { sessions, next: formatPlace(end) };
    },
  };
}

/** A log only grows behind what was whole: the cached state holds when its last bytes are still where they were. */
async function continues(cached: IndexEntry, file: OpenFile, limit: number): Promise<boolean> {
  const { offset } = cached.state;
  if (!cached.stamp.startsWith(`${file.status().inode} `) || offset === 0 || offset > limit) return false;
  return (await readAnchor(file, offset)) === cached.anchor;
}

async function readAnchor(file: OpenFile, offset: number): Promise<string> {
  const bytes = new Uint8Array(Math.min(ANCHOR_BYTES, offset));
  await file.read(bytes, offset - bytes.length);
  return String.fromCharCode(...bytes);
}
