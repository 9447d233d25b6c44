import fs from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { LOG_FORMAT_VERSION } from '@rondo/protocol/values';
import { crc32 } from './crc32.ts';
import { comparePlaces, type ListPlace } from '../event/list-place.ts';
import type { LogState } from '../event/log-state.ts';
import { SUMMARY_VERSION } from '../event/session-summary.ts';
import { isCorrupt, loadSqlite } from './sqlite.ts';

/** What a list needs of every session; the state itself is asked for when the session is shown. */
export interface IndexHead extends ListPlace {
  /** What the log's file looked like when its state was taken: equal texts, equal logs. */
  readonly stamp: string;
  readonly cwd: string;
}

export interface IndexEntry extends IndexHead {
  readonly sessionId: string;
  readonly state: LogState;
  /** The log's last bytes before the state's offset: who continues from there compares them first. */
  readonly anchor: string;
}

export interface IndexHeads {
  /** In the order of the list. */
  readonly heads: readonly IndexHead[];
  /** What the heads are as new as: a text that only its writer reads. Empty where nobody knows. */
  readonly asOf: string;
}

/** What is put, and what the heads are then as new as, where they still are as new as they were when they were read. */
export interface IndexChange {
  readonly entries: readonly IndexEntry[];
  /** Sessions that are not there any more. */
  readonly gone?: readonly string[];
  readonly asOf?: { readonly from: string; readonly to: string };
}

/** A cache of log states. Whatever is wrong with it, it answers with less, never with something else, and never throws. */
export interface SessionIndex {
  heads(): Promise<IndexHeads>;
  entry(sessionId: string): Promise<IndexEntry | undefined>;
  /** Without `asOf`, what the heads are as new as stays: the entry's log has to be its caller's own. */
  put(change: IndexChange): Promise<void>;
  /** Leaves nothing of the session in the index. */
  forget(sessionId: string): Promise<void>;
  close(): void;
}

/** Grows whenever a row is shaped differently: rows of other versions are not read. */
const INDEX_VERSION = 3;

// The heads are one value, because a list needs all of them at once: twenty thousand rows cost more than all the rest of
// it. It is bytes rather than a text, which would be encoded once more for its seal.
const schema = `
  CREATE TABLE IF NOT EXISTS session (id TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS head_lines (one INTEGER PRIMARY KEY CHECK (one = 1), seal TEXT NOT NULL, lines BLOB NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS as_of (one INTEGER PRIMARY KEY CHECK (one = 1), text TEXT NOT NULL) STRICT`;

const unknownHeads: IndexHeads = { heads: [], asOf: '' };

/** An index that knows nothing. */
export const noSessionIndex: SessionIndex = {
  heads: () => Promise.resolve(unknownHeads),
  entry: () => Promise.resolve(undefined),
  put: () => Promise.resolve(),
  forget: () => Promise.resolve(),
  close: () => undefined,
};

/** The index of a home, in one SQLite file that may be deleted at any time. */
export function createSessionIndex(home: string): SessionIndex {
  const path = join(home, 'index.db');
  let opening: Promise<DatabaseSync | undefined> | undefined;
  let opened: DatabaseSync | undefined;
  let closed = false;

  const open = async (): Promise<DatabaseSync | undefined> => {
    const { DatabaseSync } = await loadSqlite();
    for (let attempt = 0; attempt < 2; attempt += 1) {
      try {
        return openDatabase(new DatabaseSync(path), path);
      } catch (error) {
        if (!isCorrupt(error)) break;
        deleteDatabase(path);
      }
    }
    return undefined;
  };

  const ask = async <Answer>(question: (database: DatabaseSync) => Answer, otherwise: Answer): Promise<Answer> => {
    if (closed) return otherwise;
    opened = await (opening ??= open());
    // Without a file yet, or busy: asked again next time.
    if (opened === undefined) opening = undefined;
    if (opened === undefined || closed) return otherwise;
    try {
      return question(opened);
    } catch (error) {
      opened.close();
      opening = undefined;
      if (isCorrupt(error)) deleteDatabase(path);
      return otherwise;
    }
  };

  return {
    heads: () => ask(readIndex, unknownHeads),
    entry: (sessionId) => ask((database) => readEntry(database, sessionId), undefined),
    put: (change) => ask((database) => writeChange(database, change), undefined),
    forget: (sessionId) => ask((database) => writeChange(database, { entries: [], gone: [sessionId] }), undefined),
    close() {
      closed = true;
      if (opened?.isOpen === true) opened.close();
    },
  };
}

function openDatabase(database: DatabaseSync, path: string): DatabaseSync {
  try {
    fs.chmodSync(path, 0o600);
    database.exec(`PRAGMA busy_timeout = 100; PRAGMA synchronous = OFF; PRAGMA journal_mode = WAL; ${schema}`);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function deleteDatabase(path: string): void {
  for (const suffix of ['', '-wal', '-shm']) fs.rmSync(path + suffix, { force: true });
}

function readIndex(database: DatabaseSync): IndexHeads {
  // One statement, so that both are of the same moment.
  const row = database
    .prepare('SELECT head_lines.seal, head_lines.lines, as_of.text FROM head_lines LEFT JOIN as_of USING (one)')
    .get();
  const lines = row?.['lines'];
  if (!(lines instanceof Uint8Array) || row?.['seal'] !== sealOf('heads', lines)) return unknownHeads;
  return { heads: parseHeads(lines), asOf: unsealed('as of', row['text']) ?? '' };
}

function parseHeads(lines: Uint8Array): IndexHead[] {
  const text = Buffer.from(lines.buffer, lines.byteOffset, lines.byteLength).toString('latin1');
  const heads: IndexHead[] = [];
  // Cut by hand: there are twenty thousand of them, and splitting each line makes an array more of each.
  for (let start = 0; start < text.length; ) {
    const stampAt = text.indexOf('\t', start) + 1;
    const updatedAt = text.indexOf('\t', stampAt) + 1;
    const cwdAt = text.indexOf('\t', updatedAt) + 1;
    const end = text.indexOf('\n', cwdAt);
    const cwd = text.slice(cwdAt, end);
    heads.push({
      sessionId: text.slice(start, stampAt - 1),
      stamp: text.slice(stampAt, updatedAt - 1),
      updatedAt: text.slice(updatedAt, cwdAt - 1),
      cwd: cwd.includes('%') ? decodeURI(cwd) : cwd,
    });
    start = end + 1;
  }
  return heads;
}

function writeHeads(database: DatabaseSync, heads: readonly IndexHead[]): void {
  let text = '';
  for (const { sessionId, stamp, updatedAt, cwd } of heads)
    text += `${sessionId}\t${stamp}\t${updatedAt}\t${encodeURI(cwd.toWellFormed())}\n`;
  const lines = Buffer.from(text, 'latin1');
  database
    .prepare('INSERT OR REPLACE INTO head_lines (one, seal, lines) VALUES (1, ?, ?)')
    .run(sealOf('heads', lines), lines);
}

// Sealed by us under this fold's version: what the checksum lets through is what was put in.
function readEntry(database: DatabaseSync, sessionId: string): IndexEntry | undefined {
  const row = database.prepare('SELECT body FROM session WHERE id = ?').get(sessionId);
  const body = unsealed(sessionId, row?.['body']);
  return body === undefined ? undefined : JSON.parse(body);
}

/** Tells nobody anything, and is like no other: whoever read the heads before it was written sees that they changed. */
export function unknownTime(): string {
  return `unknown ${Math.random()}`;
}

function writeChange(database: DatabaseSync, { entries, gone = [], asOf }: IndexChange): void {
  if (entries.length === 0 && gone.length === 0 && asOf?.from === asOf?.to) return;
  database.exec('BEGIN IMMEDIATE');
  const before = readIndex(database);
  const to = before.asOf === (asOf?.from ?? before.asOf) ? (asOf?.to ?? before.asOf) : unknownTime();
  // Also where what stands there belongs to heads that could not be read.
  if (to !== before.asOf || to === '')
    database.prepare('INSERT OR REPLACE INTO as_of (one, text) VALUES (1, ?)').run(sealed('as of', to));
  if (entries.length > 0 || gone.length > 0) changeRows(database, before.heads, { entries, gone });
  database.exec('COMMIT');
}

function changeRows(
  database: DatabaseSync,
  before: readonly IndexHead[],
  { entries, gone }: { readonly entries: readonly IndexEntry[]; readonly gone: readonly string[] },
): void {
  const heads = new Map(before.map((head) => [head.sessionId, head]));
  const insert = database.prepare('INSERT OR REPLACE INTO session (id, body) VALUES (?, ?)');
  const remove = database.prepare('DELETE FROM session WHERE id = ?');
  for (const entry of entries) {
    insert.run(entry.sessionId, sealed(entry.sessionId, JSON.stringify(entry)));
    heads.set(entry.sessionId, entry);
  }
  for (const sessionId of gone) {
    remove.run(sessionId);
    heads.delete(sessionId);
  }
  writeHeads(database, [...heads.values()].sort(comparePlaces));
}

/** SQLite does not notice a flipped byte in a text. The seal does, and holds for this session, format and fold only. */
function sealed(name: string, text: string): string {
  return `${seal(name, text)} ${text}`;
}

function unsealed(name: string, sealedText: unknown): string | undefined {
  if (typeof sealedText !== 'string') return undefined;
  const text = sealedText.slice(9);
  return sealedText.slice(0, 8) === seal(name, text) ? text : undefined;
}

const encoder = new TextEncoder();

function seal(name: string, text: string): string {
  return sealOf(name, encoder.encode(text));
}

function sealOf(name: string, bytes: Uint8Array): string {
  const holds = encoder.encode(`${INDEX_VERSION} ${LOG_FORMAT_VERSION} ${SUMMARY_VERSION} ${name} ${crc32(bytes)}`);
  return crc32(holds).toString(16).padStart(8, '0');
}
