import fs from 'node:fs';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Sqlite } from './sqlite.ts';

/** A row: which host has the tree, or had it last. */
export interface LeaseRow {
  readonly epoch: number;
  /** The owner, null when it gave the tree up. */
  readonly owner: LeaseOwner | undefined;
}

export interface LeaseOwner {
  /** Lock file of the host, which is also its name. */
  readonly file: string;
  readonly inode: number;
  readonly pid: number;
  readonly host: string;
  readonly since: string;
  /** Where the host listens, once it does. */
  readonly address?: string;
}

/** What became of leases since a place in the table's history. */
export interface LeaseChanges {
  /** The table's identity, and the place that it stands at now. */
  readonly table: string;
  readonly place: number;
  /** Trees whose lease was taken, moved or given up behind the place that was asked about, and all that are held. */
  readonly sessionIds: readonly string[];
}

/** One connection to the table of leases. Every call is one statement; `write` makes several one transaction. */
export interface LeaseTable {
  read(sessionId: string): LeaseRow | undefined;
  put(sessionId: string, epoch: number, owner: LeaseOwner): void;
  /** Ends one lease of the host, or all of them and what is said of the host. The epochs stay. */
  clear(file: string, sessionId?: string): void;
  /** Says where a host listens: every lease of it names that. */
  announce(file: string, address: string): void;
  addressOf(file: string): string | undefined;
  /** Whatever a tree's log got behind `place`, some owner wrote between two changes of its lease: the tree is among them. */
  changes(place: number): LeaseChanges;
  /** @throws SQLite's busy error while another host writes. */
  write<Result>(change: () => Result): Result;
  /** False when the file was deleted or replaced: what it says counts for nobody any more. */
  isCurrent(): boolean;
  close(): void;
}

const schema = `
  CREATE TABLE IF NOT EXISTS lease (
    session TEXT PRIMARY KEY,
    epoch INTEGER NOT NULL,
    file TEXT, inode INTEGER, pid INTEGER, host TEXT, since TEXT
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS lease_file ON lease (file) WHERE file IS NOT NULL;
  CREATE TABLE IF NOT EXISTS host (file TEXT PRIMARY KEY, address TEXT NOT NULL) STRICT, WITHOUT ROWID`;

// By triggers, so that no statement forgets it. No row goes, so that the greatest number is the last one given.
const next = '(SELECT coalesce(max(number), 0) + 1 FROM change)';
const history = `
  CREATE TABLE IF NOT EXISTS change (session TEXT PRIMARY KEY, number INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS change_number ON change (number);
  CREATE TABLE IF NOT EXISTS origin (one INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT;
  CREATE TRIGGER IF NOT EXISTS lease_put AFTER INSERT ON lease BEGIN
    INSERT OR REPLACE INTO change (session, number) VALUES (NEW.session, ${next});
  END;
  CREATE TRIGGER IF NOT EXISTS lease_cleared AFTER UPDATE ON lease BEGIN
    INSERT OR REPLACE INTO change (session, number) VALUES (NEW.session, ${next});
  END;
  INSERT OR IGNORE INTO origin (one, name) VALUES (1, lower(hex(randomblob(8))))`;

/**
 * Opens the table. It is in WAL mode, so that a stopped writer never holds up a reader, and unsynced: after a power
 * cut no host lives, and epochs also stand in the logs.
 */
export function openLeaseTable(sqlite: Sqlite, path: string): LeaseTable {
  const database = new sqlite.DatabaseSync(path);
  try {
    fs.chmodSync(path, 0o600);
    database.exec('PRAGMA busy_timeout = 50; PRAGMA synchronous = OFF; PRAGMA journal_mode = WAL');
    const made = database.prepare("SELECT count(*) AS made FROM sqlite_schema WHERE name IN ('host', 'lease_cleared')");
    if (made.get()?.['made'] !== 2) database.exec(`BEGIN IMMEDIATE; ${schema}; ${history}; COMMIT`);
    return leaseTable(database, path);
  } catch (error) {
    database.close();
    throw error;
  }
}

export function deleteLeaseTable(path: string): void {
  for (const suffix of ['', '-wal', '-shm']) fs.rmSync(path + suffix, { force: true });
}

function leaseTable(database: DatabaseSync, path: string): LeaseTable {
  const inode = fs.statSync(path).ino;
  const statements = new Map<string, StatementSync>();
  const statement = (sql: string): StatementSync => {
    const known = statements.get(sql) ?? database.prepare(sql);
    statements.set(sql, known);
    return known;
  };
  return {
    read(sessionId) {
      const sql =
        'SELECT epoch, file, inode, pid, host, since, address FROM lease LEFT JOIN host USING (file) WHERE session = ?';
      const row = statement(sql).get(sessionId);
      return row === undefined ? undefined : { epoch: Number(row['epoch']), owner: ownerOf(row) };
    },
    put(sessionId, epoch, { file, inode: lockInode, pid, host, since }) {
      const sql =
        'INSERT OR REPLACE INTO lease (session, epoch, file, inode, pid, host, since) VALUES (?, ?, ?, ?, ?, ?, ?)';
      statement(sql).run(sessionId, epoch, file, lockInode, pid, host, since);
    },
    clear(file, sessionId) {
      if (sessionId !== undefined) {
        statement('UPDATE lease SET file = NULL WHERE file = ? AND session = ?').run(file, sessionId);
        return;
      }
      statement('UPDATE lease SET file = NULL WHERE file = ?').run(file);
      statement('DELETE FROM host WHERE file = ?').run(file);
    },
    announce: (file, address) =>
      void statement('INSERT OR REPLACE INTO host (file, address) VALUES (?, ?)').run(file, address),
    addressOf(file) {
      const address = statement('SELECT address FROM host WHERE file = ?').get(file)?.['address'];
      return typeof address === 'string' ? address : undefined;
    },
    changes(place) {
      const row = statement('SELECT name, (SELECT max(number) FROM change) AS place FROM origin').get();
      // Asked first: what changes meanwhile is behind it, and told the next time as well.
      const now = Number(row?.['place'] ?? 0);
      const sql = 'SELECT session FROM change WHERE number > ? UNION SELECT session FROM lease WHERE file IS NOT NULL';
      const sessionIds = statement(sql)
        .all(place)
        .map((changed) => String(changed['session']));
      return { table: `${String(row?.['name'])}.${inode}`, place: now, sessionIds };
    },
    write(change) {
      database.exec('BEGIN IMMEDIATE');
      try {
        const result = change();
        database.exec('COMMIT');
        return result;
      } catch (error) {
        rollBack(database);
        throw error;
      }
    },
    isCurrent: () => fs.statSync(path, { throwIfNoEntry: false })?.ino === inode,
    close: () => database.close(),
  };
}

/** Some failures have ended the transaction already. */
function rollBack(database: DatabaseSync): void {
  try {
    database.exec('ROLLBACK');
  } catch {
    // There was nothing to roll back; the failure itself is what the caller hears of.
  }
}

function ownerOf(row: Readonly<Record<string, unknown>>): LeaseOwner | undefined {
  const { file, inode, pid, host, since, address } = row;
  if (typeof file !== 'string') return undefined;
  return {
    file,
    inode: Number(inode),
    pid: Number(pid),
    host: String(host),
    since: String(since),
    ...(typeof address === 'string' ? { address } : {}),
  };
}
