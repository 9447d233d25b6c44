import fs from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { LOG_FORMAT_VERSION } from '@rondo/protocol/values';
import { crc32 } from '../event/crc32.ts';
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

/** A cache of log states. Whatever is wrong with it, it answers with less, never with something else, and never throws. */
export interface SessionIndex {
  /** In the order of the list. */
  heads(): Promise<readonly IndexHead[]>;
  entry(sessionId: string): Promise<IndexEntry | undefined>;
  put(entries: readonly IndexEntry[]): Promise<void>;
  /** Leaves nothing of the session in the index. */
  forget(sessionId: string): Promise<void>;
  close(): void;
}

/** Grows whenever a row is shaped differently: rows of other versions are not read. */
const INDEX_VERSION = 2;

// The heads are one text, because a list needs all of them at once: twenty thousand rows cost more than all the rest of it.
const schema = `
  CREATE TABLE IF NOT EXISTS session (id TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS heads (one INTEGER PRIMARY KEY CHECK (one = 1), text TEXT NOT NULL) STRICT`;

/** An index that knows nothing. */
export const noSessionIndex: SessionIndex = {
  heads: () => Promise.resolve([]),
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
    heads: () => ask(readHeads, []),
    entry: (sessionId) => ask((database) => readEntry(database, sessionId), undefined),
    put: (entries) => ask((database) => writeEntries(database, entries), undefined),
    forget: (sessionId) => ask((database) => deleteEntry(database, sessionId), undefined),
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

function readHeads(database: DatabaseSync): IndexHead[] {
  const text = unsealed('heads', database.prepare('SELECT text FROM heads').get()?.['text']);
  const heads: IndexHead[] = [];
  if (text === undefined) return heads;
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
  database.prepare('INSERT OR REPLACE INTO heads (one, text) VALUES (1, ?)').run(sealed('heads', text));
}

// Sealed by us under this fold's version: what the checksum lets through is what was put in.
function readEntry(database: DatabaseSync, sessionId: string): IndexEntry | undefined {
  const row = database.prepare('SELECT body FROM session WHERE id = ?').get(sessionId);
  const body = unsealed(sessionId, row?.['body']);
  return body === undefined ? undefined : JSON.parse(body);
}

function writeEntries(database: DatabaseSync, entries: readonly IndexEntry[]): void {
  if (entries.length === 0) return;
  database.exec('BEGIN IMMEDIATE');
  const heads = new Map(readHeads(database).map((head) => [head.sessionId, head]));
  const insert = database.prepare('INSERT OR REPLACE INTO session (id, body) VALUES (?, ?)');
  for (const entry of entries) {
    insert.run(entry.sessionId, sealed(entry.sessionId, JSON.stringify(entry)));
    heads.set(entry.sessionId, entry);
  }
  writeHeads(database, [...heads.values()].sort(comparePlaces));
  database.exec('COMMIT');
}

function deleteEntry(database: DatabaseSync, sessionId: string): void {
  database.exec('BEGIN IMMEDIATE');
  database.prepare('DELETE FROM session WHERE id = ?').run(sessionId);
  const heads = readHeads(database);
  const others = heads.filter((head) => head.sessionId !== sessionId);
  if (others.length < heads.length) writeHeads(database, others);
  database.exec('COMMIT');
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
  const bytes = encoder.encode(`${INDEX_VERSION} ${LOG_FORMAT_VERSION} ${SUMMARY_VERSION} ${name} ${text}`);
  return crc32(bytes).toString(16).padStart(8, '0');
}
