import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import { join } from 'node:path';
import { isBusy, type Sqlite } from './sqlite.ts';

// Lock files are opened by this module alone, and by SQLite alone: when a process closes any descriptor of a file, it
// loses the POSIX locks that it holds on it, and SQLite is what keeps count of that.

const suffix = '.lock';

/** The kernel lock that says a host lives. The kernel frees it when the process is gone, and not before. */
export interface HostLock {
  readonly file: string;
  readonly inode: number;
  /** Deletes the file and frees the lock. */
  release(): void;
  /** Frees the lock and leaves the file, for others to find that its holder is gone. */
  abandon(): void;
}

/** Takes a lock of its own, on a new file with a random name. */
export function takeHostLock(sqlite: Sqlite, folder: string): HostLock {
  for (;;) {
    const file = `${randomUUID()}${suffix}`;
    const lock = tryLock(sqlite, folder, file);
    // Cleaners take a new file for a stale one until it is locked: then another name it is.
    if (lock !== undefined) return lock;
  }
}

/** The lock of a host that is gone, `held` while it lives, or `missing` when its file is not there any more. */
export function takeOver(
  sqlite: Sqlite,
  folder: string,
  owner: { readonly file: string; readonly inode: number },
): HostLock | 'held' | 'missing' {
  if (inodeOf(join(folder, owner.file)) !== owner.inode) return 'missing';
  const lock = tryLock(sqlite, folder, owner.file);
  if (lock === undefined) return inodeOf(join(folder, owner.file)) === owner.inode ? 'held' : 'missing';
  if (lock.inode === owner.inode) return lock;
  lock.release();
  return 'missing';
}

/** Takes the locks of hosts that are gone, looking at so many files, and says how many of these are held by a live host. */
export function takeStaleLocks(
  sqlite: Sqlite,
  folder: string,
  options: { readonly except: readonly string[]; readonly most: number },
): { readonly stale: readonly HostLock[]; readonly held: number } {
  const others = fs.readdirSync(folder).filter((name) => name.endsWith(suffix) && !options.except.includes(name));
  const stale: HostLock[] = [];
  let held = 0;
  for (const name of others.slice(0, options.most)) {
    const lock = tryLock(sqlite, folder, name);
    if (lock === undefined) held += 1;
    else stale.push(lock);
  }
  return { stale, held };
}

/** A lock that hosts take in turn. @throws SQLite's busy error while another host has it. */
export function takeTurnLock(sqlite: Sqlite, folder: string, file: string): HostLock {
  const lock = tryLock(sqlite, folder, file);
  if (lock !== undefined) return lock;
  throw Object.assign(new Error(`another process holds the lock ${file}`), { errcode: 5 });
}

function tryLock(sqlite: Sqlite, folder: string, file: string): HostLock | undefined {
  const path = join(folder, file);
  const database = new sqlite.DatabaseSync(path);
  try {
    fs.chmodSync(path, 0o600);
    database.exec('PRAGMA busy_timeout = 0; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if (isBusy(error) || isMissing(error)) return undefined;
    throw error;
  }
  const inode = inodeOf(path);
  if (inode === undefined) {
    // Deleted between opening and locking: this is a lock on a file that nobody else will find.
    database.close();
    return undefined;
  }
  return {
    file,
    inode,
    release() {
      fs.rmSync(path, { force: true });
      database.close();
    },
    abandon: () => database.close(),
  };
}

function inodeOf(path: string): number | undefined {
  return fs.statSync(path, { throwIfNoEntry: false })?.ino;
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
