import fs from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { RondoError } from '@rondo/protocol/values';
import { afterThisTurn } from './after-this-turn.ts';
import { takeHostLock, takeOver, takeStaleLocks, type HostLock } from './host-lock.ts';
import { openLeaseTable, type LeaseOwner, type LeaseRow, type LeaseTable } from './lease-table.ts';
import { makeDirectories } from './make-directories.ts';
import { nodeFileSystem } from './node-file-system.ts';
import { inUse, ownershipLost, type Lease, type Owners } from './owners.ts';
import { openSoundLeaseTable, RECOVERY_LOCK } from './recover-lease-table.ts';
import { isCorrupt, loadSqlite, whileBusy, type Sqlite } from './sqlite.ts';
import { createWriteTogether, type WriteTogether } from './write-together.ts';

const NFS_MAGIC = 0x6969;
/** How long a lease that stood in the table is taken to stand, while the table is the same file. */
const TRUSTED_SECONDS = 1;
/** Files of dead hosts that one start cleans away. */
const CLEANED_AT_START = 8;

export interface KernelOwnersOptions {
  readonly home: string;
  /** The file system's magic number, as `statfs` tells it. */
  readonly fileSystemType?: (path: string) => number;
}

interface Host {
  readonly sqlite: Sqlite;
  readonly lock: HostLock;
  table: LeaseTable;
  /** Claims and releases of one moment are one transaction. */
  readonly write: WriteTogether;
}

/** A lease while it is held, by session. */
interface Held {
  epoch: number;
  readonly since: string;
  /** By `process.uptime()`: when its row was last seen to be ours. */
  seenAt: number;
}

/**
 * Owners among all processes of this machine that use a home. A host's claim stands as long as its process holds its
 * kernel lock: stopped, sleeping or debugged it keeps its sessions, killed it loses them at once. Nothing is opened
 * before the first claim.
 */
export function createKernelOwners({ home, fileSystemType = statfsType }: KernelOwnersOptions): Owners {
  const folder = join(home, 'locks');
  const tablePath = join(home, 'leases.db');
  const machine = hostname();
  const held = new Map<string, Held>();
  let starting: Promise<Host> | undefined;
  let running: Host | undefined;
  let address: string | undefined;
  let closed = false;

  const start = async (): Promise<Host> => {
    const sqlite = await loadSqlite();
    await makeDirectories(nodeFileSystem, folder);
    refuseNetworkHome(home, fileSystemType(home));
    const lock = takeHostLock(sqlite, folder);
    const table = await openSoundLeaseTable(sqlite, { folder, path: tablePath, own: lock.file });
    const host: Host = { sqlite, lock, table, write: createWriteTogether((work) => transact(host, work)) };
    running = host;
    if (closed) end(host);
    else afterThisTurn(clean, host);
    if (address !== undefined) await announceFor(host, address);
    return host;
  };

  const clean = (host: Host): void => {
    if (closed) return;
    try {
      const { stale } = takeStaleLocks(host.sqlite, folder, {
        except: [host.lock.file, RECOVERY_LOCK],
        most: CLEANED_AT_START,
      });
      for (const lock of stale) {
        removeSocket(host.table.addressOf(lock.file));
        forget(host.table, lock);
      }
    } catch {
      // A busy table or a folder in change: the next start cleans.
    }
  };

  const ownerRecord = (host: Host, since: string): LeaseOwner => ({
    file: host.lock.file,
    inode: host.lock.inode,
    pid: process.pid,
    host: machine,
    since,
  });

  const announceFor = (host: Host, at: string): Promise<void> =>
    whileBusy(() => host.table.announce(host.lock.file, at));

  /** In one transaction: the row is ours, or the error says whose it is. */
  const take = (host: Host, sessionId: string, fresh: boolean): Held => {
    const row = host.table.read(sessionId);
    const owner = row?.owner;
    const ours = owner?.file === host.lock.file && !held.has(sessionId);
    if (owner !== undefined && !ours) evict(host, folder, sessionId, owner);
    const epoch = fresh ? 1 : (row?.epoch ?? 0) + 1;
    const lease = { epoch, since: new Date().toISOString(), seenAt: process.uptime() };
    host.table.put(sessionId, lease.epoch, ownerRecord(host, lease.since));
    return lease;
  };

  const transact = async (host: Host, work: () => void): Promise<void> => {
    const write = (): void => {
      if (closed) throw storeClosed();
      host.table.write(work);
    };
    if (!closed && !host.table.isCurrent()) await whileBusy(() => restore(host));
    try {
      await whileBusy(write);
    } catch (error) {
      if (!isCorrupt(error) || held.size > 0) throw error;
      host.table.close();
      host.table = await openSoundLeaseTable(host.sqlite, { folder, path: tablePath, own: host.lock.file });
      if (address !== undefined) await announceFor(host, address);
      await whileBusy(write);
    }
  };

  /** Somebody deleted the table under us: what we hold goes into the new one, unless it was taken meanwhile. */
  const restore = (host: Host): void => {
    const table = openLeaseTable(host.sqlite, tablePath);
    table.write(() => {
      if (address !== undefined) table.announce(host.lock.file, address);
      for (const [sessionId, lease] of held) {
        lease.seenAt = Number.NEGATIVE_INFINITY;
        const row = table.read(sessionId);
        if (row?.owner === undefined && (row?.epoch ?? 0) <= lease.epoch)
          table.put(sessionId, lease.epoch, ownerRecord(host, lease.since));
      }
    });
    host.table.close();
    host.table = table;
  };

  /**
   * While we hold our kernel lock no host takes our rows out of the table: it can only be that the table itself was
   * deleted or replaced, which its inode tells, or that somebody meddled with it, for which the row is read now and then.
   */
  const assertOwned = (host: Host, sessionId: string, lease: Held): void => {
    if (held.get(sessionId) !== lease) throw ownershipLost(sessionId, 'it was released');
    const now = process.uptime();
    let row: LeaseRow | undefined;
    try {
      if (!host.table.isCurrent()) restore(host);
      else if (now - lease.seenAt < TRUSTED_SECONDS) return;
      row = host.table.read(sessionId);
    } catch (error) {
      throw ownershipLost(
        sessionId,
        `the lease table cannot be read (${error instanceof Error ? error.message : String(error)})`,
      );
    }
    if (row?.owner?.file === host.lock.file && row.epoch === lease.epoch) {
      lease.seenAt = now;
      return;
    }
    const owner =
      row?.owner === undefined
        ? 'it stands in the lease table no more'
        : `process ${row.owner.pid} on ${row.owner.host} has it`;
    throw ownershipLost(sessionId, owner);
  };

  /** Asks the table, which is made where there is none. A look is no reason to become a host. */
  const look = async <Answer>(question: (table: LeaseTable) => Answer): Promise<Answer> => {
    if (closed) throw storeClosed();
    const host = await starting;
    if (host !== undefined && host.table.isCurrent()) return question(host.table);
    const table = openLeaseTable(await loadSqlite(), tablePath);
    try {
      return question(table);
    } finally {
      table.close();
    }
  };

  const end = (host: Host): void => {
    forget(host.table, host.lock);
    host.table.close();
  };

  return {
    async claim(sessionId, { fresh = false } = {}) {
      if (closed) throw storeClosed();
      const host = await (starting ??= start().catch((error: unknown) => {
        starting = undefined;
        throw unavailable(home, error);
      }));
      if (closed) throw storeClosed();
      const lease = await host
        .write(() => take(host, sessionId, fresh))
        .catch((error: unknown) => {
          throw unavailable(home, error);
        });
      held.set(sessionId, lease);
      return leaseOf(host, sessionId, lease);
    },
    async announce(at) {
      address = at;
      const host = await starting;
      if (host !== undefined && !closed) await announceFor(host, at);
    },
    async ownerOf(sessionId) {
      if (!fs.existsSync(tablePath)) return undefined;
      const owner = await look((table) => table.read(sessionId)?.owner);
      return owner?.file === running?.lock.file ? undefined : owner;
    },
    async changes(place) {
      try {
        return await look((table) => table.changes(place));
      } catch {
        // Busy or damaged: whoever asks looks at the logs themselves.
        return undefined;
      }
    },
    close() {
      closed = true;
      held.clear();
      if (running !== undefined) end(running);
      running = undefined;
    },
  };

  function leaseOf(host: Host, sessionId: string, lease: Held): Lease {
    return {
      get epoch() {
        return lease.epoch;
      },
      raise(recorded) {
        if (lease.epoch > recorded) return;
        lease.epoch = recorded + 1;
        host.table.put(sessionId, lease.epoch, ownerRecord(host, lease.since));
      },
      assertOwned: () => assertOwned(host, sessionId, lease),
      async release() {
        if (held.get(sessionId) !== lease) return;
        held.delete(sessionId);
        // Where that fails, the row stays ours until this process ends, which frees it as well.
        await host.write(() => host.table.clear(host.lock.file, sessionId)).catch(ignore);
      },
    };
  }
}

/** @throws RondoError `session.in_use` while the owner lives. Else its leases are void, and its lock file goes. */
function evict(host: Host, folder: string, sessionId: string, owner: LeaseOwner): void {
  if (owner.file === host.lock.file) throw inUse(sessionId, owner);
  const lock = takeOver(host.sqlite, folder, owner);
  if (lock === 'held' || (lock === 'missing' && mayLive(owner))) throw inUse(sessionId, owner);
  host.table.clear(owner.file);
  removeSocket(owner.address);
  if (typeof lock === 'object') lock.release();
}

/** What a host that died left in the file system. A named pipe left nothing. */
function removeSocket(address: string | undefined): void {
  if (address === undefined || process.platform === 'win32') return;
  if (fs.lstatSync(address, { throwIfNoEntry: false })?.isSocket() === true) fs.rmSync(address, { force: true });
}

/** Without the lock's file only the process itself can tell, and only on its own machine. */
function mayLive(owner: LeaseOwner): boolean {
  if (owner.host !== hostname()) return true;
  try {
    process.kill(owner.pid, 0);
    return true;
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}

/** Ends every lease of a host whose lock we hold, then its lock. Without its file, a row that was left would be hard to judge. */
function forget(table: LeaseTable, lock: HostLock): void {
  try {
    table.clear(lock.file);
  } catch {
    lock.abandon();
    return;
  }
  lock.release();
}

function refuseNetworkHome(home: string, type: number): void {
  if (type !== NFS_MAGIC) return;
  throw new RondoError(
    'store.unavailable',
    `${home} is on NFS, where a lock does not tell whether its holder lives. Set RONDO_HOME to a folder on a local disk.`,
    { details: { home }, retryable: false },
  );
}

function storeClosed(): RondoError {
  return new RondoError('store.unavailable', 'The store was closed; make a new one.', { retryable: false });
}

function unavailable(home: string, error: unknown): unknown {
  if (error instanceof RondoError) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return new RondoError('store.unavailable', `The locks of ${home} cannot be used: ${reason}.`, {
    details: { home, reason },
    cause: error,
  });
}

const ignore = (): void => {};

function statfsType(path: string): number {
  return fs.statfsSync(path).type;
}
