import { comparePlaces, type ListPlace } from '../event/list-place.ts';
import type { LogState } from '../event/log-state.ts';
import { storedSession } from '../event/session-summary.ts';
import type { FileStatus, FileSystem } from './file-system.ts';
import type { LeaseChanges } from './lease-table.ts';
import { unknownTime, type IndexEntry, type IndexHead, type SessionIndex } from './session-index.ts';
import { isSessionId, type SessionPlaces } from './session-place.ts';

/** Logs that are looked at before others get their turn. */
const STRIDE = 512;
/** Logs that are read before what they say is put into the index. */
const READ_AT_ONCE = 64;
const PUT_AT_ONCE = 4096;
/** Logs that each survey looks at though no lease says that they changed. */
const SHARE = 1024;
/** A folder that changed this lately may change once more without another time. */
const SETTLED_MS = 2000;

export interface HomeSurveyOptions {
  readonly fileSystem: FileSystem;
  readonly index: SessionIndex;
  readonly places: SessionPlaces;
  /** What this host has committed, for the sessions that it owns. */
  readonly committed: (sessionId: string) => LogState | undefined;
  /** What the log says, as of now. Undefined for a log that is gone or that this version cannot read. */
  readonly inspect: (sessionId: string) => Promise<IndexEntry | undefined>;
  /** Whose lease changed. Absent where nobody can tell: then every log is looked at. */
  readonly changes?: ((place: number) => Promise<LeaseChanges | undefined>) | undefined;
  readonly share?: number | undefined;
}

/** A session's place in the list. */
export interface Row extends ListPlace {
  readonly cwd: string;
  /** Of a row that was not looked at, perhaps: how its log looked when it was. */
  readonly stamp?: string;
  /** Absent where the index has it. */
  readonly state?: LogState;
}

/** What is to be looked at, and how its log looked before. */
type Doubted = Pick<Row, 'sessionId' | 'stamp'>;

export interface Survey {
  /** Every session, in the order of the list. */
  rows(): readonly Row[];
  /** Looks at the logs of these rows, if it did not. True when one was not what its row said: the rows are others now. */
  look(rows: readonly Row[]): Promise<boolean>;
}

/** The lease table and the folder of sessions, as they were when every head of the index was right. */
interface AsOf {
  readonly table: string;
  readonly place: number;
  /** Of the folder whose names are just the heads'; empty where they are not. */
  readonly folder: string;
}

interface Found {
  /** Of those that are in the home, as far as is known. */
  readonly heads: readonly IndexHead[];
  /** In the index, and not in the home any more. */
  readonly gone: readonly string[];
  /** In the home, and not in the index. */
  readonly unknown: readonly string[];
  /** Their lease changed, and they are neither in the index nor, as far as is known, in the home. */
  readonly nameless: readonly string[];
  /** Undefined where all have to be looked at: nobody knows whose log changed. */
  readonly changed: ReadonlySet<string> | undefined;
  readonly asOf: AsOf | undefined;
}

/**
 * Finds out what is in a home without looking at all of it. Only its owner writes a log, and an owner has a lease: a
 * log whose lease did not change since its row was right has a row that is right. What changed without a lease, by a
 * hand or a backup, is found when its session is on the page or opened, when its folder was replaced, and by the share
 * of all logs that each survey looks at: of a home with no more sessions than that, every log is.
 */
export function createHomeSurvey(options: HomeSurveyOptions): () => Promise<Survey> {
  const { fileSystem, index, places, committed, inspect, share = SHARE } = options;
  /** Where the share of the next survey starts. Each process starts somewhere, since many ask once and end. */
  let shareAt: number | undefined;

  const find = async (heads: readonly IndexHead[], known: AsOf | undefined): Promise<Found> => {
    const status = fileSystem.status(places.sessions);
    const changes = status && (await options.changes?.(known?.place ?? Number.MAX_SAFE_INTEGER));
    const follows = known !== undefined && changes?.table === known.table && changes.place >= known.place;
    const folder = status === undefined ? '' : `${status.inode}.${status.modifiedMs}`;
    const sameFolder = follows && known.folder !== '' && known.folder === folder;
    // Names alone: nothing is asked about each.
    const names = sameFolder ? undefined : new Set((await fileSystem.names(places.sessions)).filter(isSessionId));
    const there = names === undefined ? heads : heads.filter(({ sessionId }) => names.delete(sessionId));
    const gone = there.length === heads.length ? [] : without(heads, there);
    const changed = new Set(changes?.sessionIds);
    const nameless = changed.size === 0 ? changed : new Set(changed);
    for (const { sessionId } of changed.size === 0 ? [] : there) nameless.delete(sessionId);
    for (const sessionId of names ?? []) nameless.delete(sessionId);
    // Folders were moved, and the names are the same: some were replaced.
    const moved = names !== undefined && follows && known.folder !== '' && known.folder !== folder;
    const replaced = moved && names.size + gone.length + nameless.size === 0;
    return {
      heads: there,
      gone,
      unknown: [...(names ?? [])],
      nameless: [...nameless],
      changed: follows && !replaced ? changed : undefined,
      asOf: changes && { table: changes.table, place: changes.place, folder: isSettled(status) ? folder : '' },
    };
  };

  /** Those whose turn it is among logs that nothing says has changed. */
  const takeShare = (heads: readonly IndexHead[]): readonly IndexHead[] => {
    if (heads.length <= share) return heads;
    const start = (shareAt ?? Math.floor(Math.random() * heads.length)) % heads.length;
    shareAt = start + share;
    const taken = heads.slice(start, shareAt);
    return [...taken, ...heads.slice(0, share - taken.length)];
  };

  return async () => {
    const { heads, asOf: read } = await index.heads();
    const found = await find(heads, parseAsOf(read));
    const looked = new Set<string>();
    /** Of sessions whose row is not their head. */
    const others = new Map<string, Row | undefined>(found.gone.map((sessionId) => [sessionId, undefined]));
    let written = read;

    const put = async (entries: readonly IndexEntry[], to: string, gone: readonly string[] = []): Promise<void> => {
      await index.put({ entries, gone, asOf: { from: written, to } });
      written = to;
    };

    const inspectAll = async (sessionIds: readonly string[]): Promise<IndexEntry[]> => {
      let unsaved: IndexEntry[] = [];
      for (let start = 0; start < sessionIds.length; start += READ_AT_ONCE) {
        const asked = sessionIds.slice(start, start + READ_AT_ONCE);
        const entries = await Promise.all(asked.map(inspect));
        for (const [place, entry] of entries.entries()) {
          others.set(asked[place] ?? '', entry && rowOf(entry.sessionId, entry.state));
          if (entry !== undefined) unsaved.push(entry);
        }
        if (unsaved.length < PUT_AT_ONCE) continue;
        await put(unsaved, unknownTime());
        unsaved = [];
      }
      return unsaved;
    };

    /** Logs that are not as their heads say, or have none. */
    const staleOf = async (doubted: readonly Doubted[]): Promise<string[]> => {
      const stale: string[] = [];
      let count = 0;
      for (const { sessionId, stamp } of doubted) {
        if (looked.has(sessionId)) continue;
        looked.add(sessionId);
        count += 1;
        if (count % STRIDE === 0) await turn();
        const own = committed(sessionId);
        const status = own === undefined ? fileSystem.status(places.log(sessionId)) : undefined;
        if (own !== undefined) others.set(sessionId, rowOf(sessionId, own));
        else if (status === undefined) others.set(sessionId, undefined);
        else if (stamp !== stampOf(status)) stale.push(sessionId);
      }
      return stale;
    };

    const isGone = (sessionId: string): boolean => others.has(sessionId) && others.get(sessionId) === undefined;

    const { changed } = found;
    const doubtful = found.heads.filter(({ sessionId }) => changed === undefined || changed.has(sessionId));
    const headless = [...found.unknown, ...found.nameless].map((sessionId) => ({ sessionId }));
    const stale = await staleOf([...doubtful, ...takeShare(found.heads), ...headless]);
    const unsaved = await inspectAll(stale);
    // Then the names are not just the heads'.
    const unlike = [...found.unknown, ...doubtful.map(({ sessionId }) => sessionId)].some(isGone);
    const asOf = found.asOf && (unlike ? { ...found.asOf, folder: '' } : found.asOf);
    await put(unsaved, asOf === undefined ? written : formatAsOf(asOf), found.gone);

    const order = (): readonly Row[] => {
      if (others.size === 0) return found.heads;
      const rows: Row[] = found.heads.filter(({ sessionId }) => !others.has(sessionId));
      for (const row of others.values()) if (row !== undefined) rows.push(row);
      return rows.sort(comparePlaces);
    };
    let rows: readonly Row[] | undefined;

    return {
      // Without a time, it does not say how it was created.
      rows: () => (rows ??= order().filter((row) => row.updatedAt !== '')),
      async look(page) {
        const before = others.size;
        const stale = await staleOf(page);
        if (stale.length > 0) await put(await inspectAll(stale), written);
        if (others.size > before) rows = undefined;
        return others.size > before;
      },
    };
  };
}

export function rowOf(sessionId: string, state: LogState): Row {
  const session = storedSession(sessionId, state.summary, state, state.offset);
  return { sessionId, updatedAt: session?.updatedAt ?? '', cwd: session?.binding.cwd ?? '', state };
}

export function stampOf({ size, modifiedMs, inode }: FileStatus): string {
  return `${inode} ${size} ${modifiedMs}`;
}

function without(all: readonly IndexHead[], some: readonly IndexHead[]): string[] {
  const left = new Set(all.map(({ sessionId }) => sessionId));
  for (const { sessionId } of some) left.delete(sessionId);
  return [...left];
}

function isSettled(status: FileStatus | undefined): boolean {
  return status !== undefined && Date.now() - status.modifiedMs > SETTLED_MS;
}

function formatAsOf({ table, place, folder }: AsOf): string {
  return `${table} ${place} ${folder}`;
}

function parseAsOf(text: string): AsOf | undefined {
  const [table = '', place = '', folder = ''] = text.split(' ');
  return /^\d+$/.test(place) ? { table, place: Number(place), folder } : undefined;
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
