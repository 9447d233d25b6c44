import fs from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { LOG_FORMAT_VERSION } from '@rondo/protocol/values';
import { crc32 } from '../event/crc32.ts';
import type { LogState } from '../event/log-state.ts';
import { SUMMARY_VERSION } from '../event/session-summary.ts';
import { isCorrupt, loadSqlite } from './sqlite.ts';

/** What the log looked like when its state was taken. */
export interface LogStamp {
  readonly size: number;
  readonly modifiedMs: number;
  readonly inode: number;
}

/** What a list needs of every session; the state itself is asked for when the session is shown. */
export interface IndexHead {
  readonly stamp: LogStamp;
  readonly updatedAt: string;
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
  heads(): Promise<ReadonlyMap<string, IndexHead>>;
  entry(sessionId: string): Promise<IndexEntry | undefined>;
  put(entries: readonly IndexEntry[]): Promise<void>;
  close(): void;
}

const schema = `CREATE TABLE IF NOT EXISTS session (id TEXT PRIMARY KEY, head TEXT NOT NULL, body TEXT NOT NULL) STRICT`;

/** An index that knows nothing. */
export const noSessionIndex: SessionIndex = {
  heads: () => Promise.resolve(new Map()),
  entry: () => Promise.resolve(undefined),
  put: () => Promise.resolve(),
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
    heads: () => ask(readHeads, new Map()),
    entry: (sessionId) =>
      ask((database) => {
        const row = database.prepare('SELECT head, body FROM session WHERE id = ?').get(sessionId);
        const head = row === undefined ? undefined : readHead(sessionId, row['head']);
        const body = row === undefined ? undefined : readBody(sessionId, row['body']);
        return head === undefined || body === undefined ? undefined : { ...head, ...body, sessionId };
      }, undefined),
    put: (entries) => ask((database) => writeEntries(database, entries), undefined),
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

function readHeads(database: DatabaseSync): ReadonlyMap<string, IndexHead> {
  const heads = new Map<string, IndexHead>();
  for (const row of database.prepare('SELECT id, head FROM session').iterate()) {
    const id = String(row['id']);
    const head = readHead(id, row['head']);
    if (head !== undefined) heads.set(id, head);
  }
  return heads;
}

function writeEntries(database: DatabaseSync, entries: readonly IndexEntry[]): void {
  database.exec('BEGIN IMMEDIATE');
  const insert = database.prepare('INSERT OR REPLACE INTO session (id, head, body) VALUES (?, ?, ?)');
  for (const { sessionId, stamp, updatedAt, cwd, state, anchor } of entries) {
    const head = [stamp.size, stamp.modifiedMs, stamp.inode, updatedAt, cwd].join(' ');
    insert.run(sessionId, sealed(sessionId, head), sealed(sessionId, JSON.stringify({ state, anchor })));
  }
  database.exec('COMMIT');
}

function readHead(sessionId: string, text: unknown): IndexHead | undefined {
  const head = unsealed(sessionId, text);
  if (head === undefined) return undefined;
  const [size, modifiedMs, inode, updatedAt = '', ...cwd] = head.split(' ');
  return {
    stamp: { size: Number(size), modifiedMs: Number(modifiedMs), inode: Number(inode) },
    updatedAt,
    cwd: cwd.join(' '),
  };
}

// Sealed by us under this fold's version: what the checksum lets through is what was put in.
function readBody(sessionId: string, text: unknown): { readonly state: LogState; readonly anchor: string } | undefined {
  const body = unsealed(sessionId, text);
  return body === undefined ? undefined : JSON.parse(body);
}

/** SQLite does not notice a flipped byte in a text. The seal does, and holds for this session, format and fold only. */
function sealed(sessionId: string, text: string): string {
  return `${seal(sessionId, text)} ${text}`;
}

function unsealed(sessionId: string, sealedText: unknown): string | undefined {
  if (typeof sealedText !== 'string') return undefined;
  const text = sealedText.slice(9);
  return sealedText.slice(0, 8) === seal(sessionId, text) ? text : undefined;
}

const encoder = new TextEncoder();

function seal(sessionId: string, text: string): string {
  const bytes = encoder.encode(`${LOG_FORMAT_VERSION} ${SUMMARY_VERSION} ${sessionId} ${text}`);
  return crc32(bytes).toString(16).padStart(8, '0');
}
