import { appendFileSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isRondoError } from '@rondo/protocol/values';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { EventStore, OwnedLog } from '../event/event-store.ts';
import { collect } from '../testing/conformance-case.ts';
import { createEventScript, sampleBinding } from '../testing/event-script.ts';
import { createFileStore, type FileStore } from './file-store.ts';
import { createKernelOwners } from './kernel-owners.ts';

const sessionId = 'e0000000-0000-4000-8000-000000000003';
let home = '';
let stores: FileStore[] = [];

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'rondo-leases-'));
  stores = [];
});

afterEach(async () => {
  for (const store of stores) await store.close();
  await rm(home, { recursive: true });
});

function open(): FileStore {
  const store = createFileStore({ home });
  stores.push(store);
  return store;
}

async function createSession(store: EventStore): Promise<OwnedLog> {
  const log = await store.create(sessionId);
  await log.append([createEventScript(sessionId).next({ type: 'session.created', binding: sampleBinding() })]);
  return log;
}

const notice = (lastSeq: number) =>
  createEventScript(sessionId, { lastSeq }).next({ type: 'notice', level: 'info', message: 'x' });
const coded = (code: 'session.in_use' | 'session.write_failed' | 'store.unavailable') =>
  expect.toSatisfy((error: unknown) => isRondoError(error, code));
const tablePath = () => join(home, 'leases.db');
const logPath = () => join(home, 'sessions', sessionId, 'log.jsonl');

test('a home on NFS is refused, with the way on', async () => {
  const owners = createKernelOwners({ home, fileSystemType: () => 0x6969 });
  await expect(owners.claim(sessionId)).rejects.toThrow(/NFS.*RONDO_HOME/);
  owners.close();
});

test('nothing is opened before the first claim', async () => {
  const store = open();
  await store.list();
  expect(readdirSync(home).filter((name) => !name.startsWith('index'))).toEqual([]);
});

test('everything is made for the user alone', async () => {
  await createSession(open());
  const modes: string[] = [];
  for (const entry of readdirSync(home, { recursive: true, withFileTypes: true })) {
    const mode = statSync(join(entry.parentPath, entry.name)).mode & 0o777;
    if (mode !== (entry.isDirectory() ? 0o700 : 0o600)) modes.push(`${entry.name} ${mode.toString(8)}`);
  }
  expect(modes).toEqual([]);
});

test('two stores of one process are two hosts', async () => {
  const log = await createSession(open());
  await expect(open().acquire(sessionId)).rejects.toEqual(coded('session.in_use'));
  await log.append([notice(1)]);
});

test('epochs grow on when the lease table is lost', async () => {
  const first = open();
  const log = await createSession(first);
  await log.append([
    createEventScript(sessionId, { lastSeq: 1 }).next({ type: 'session.acquired', epoch: 7, host: { id: 'x' } }),
  ]);
  await first.close();
  rmSync(tablePath());
  expect((await open().acquire(sessionId)).epoch).toBe(8);
});

test('an owner keeps its session when the lease table is deleted under it', async () => {
  const log = await createSession(open());
  rmSync(tablePath());
  await log.append([notice(1)]);
  await expect(open().acquire(sessionId)).rejects.toEqual(coded('session.in_use'));
});

test('an owner that lost its session to another writes nothing more', async () => {
  const one = open();
  const log = await createSession(one);
  rmSync(tablePath());
  const other = open();
  const next = await other.acquire(sessionId);
  await expect(log.append([notice(1)])).rejects.toEqual(coded('session.write_failed'));
  await next.append([notice(1)]);
  expect((await collect(other.read(sessionId))).length).toBe(2);
});

test('an owner of several sessions loses those that were taken, and keeps the others', async () => {
  const one = open();
  const kept = await createSession(one);
  const second = 'e0000000-0000-4000-8000-000000000005';
  const lost = await one.create(second);
  await lost.append([createEventScript(second).next({ type: 'session.created', binding: sampleBinding() })]);
  rmSync(tablePath());
  await open().acquire(second);
  await kept.append([notice(1)]);
  await expect(lost.append([notice(1)])).rejects.toEqual(coded('session.write_failed'));
});

test('an owner whose row was changed by hand notices that after a second at the latest', async () => {
  const log = await createSession(open());
  const uptime = process.uptime();
  using later = vi.spyOn(process, 'uptime');
  writeLease({ file: 'other.lock', inode: 1, pid: 1, host: 'another-machine' });
  later.mockReturnValue(uptime + 1.5);
  await expect(log.append([notice(1)])).rejects.toThrow(/process 1 on another-machine has it/);
});

test('a lease is void when its host’s lock file is gone and so is its process', async () => {
  await (await createSession(open())).release();
  writeLease({ file: 'gone.lock', inode: 1, pid: 2 ** 30, host: (await import('node:os')).hostname() });
  expect((await open().acquire(sessionId)).epoch).toBe(10);
});

test('a lease stands when its host’s lock file is gone and nobody can tell', async () => {
  await (await createSession(open())).release();
  for (const owner of [
    { pid: process.pid, host: (await import('node:os')).hostname() },
    { pid: 2 ** 30, host: 'another-machine' },
  ]) {
    writeLease({ file: 'gone.lock', inode: 1, ...owner });
    await expect(open().acquire(sessionId)).rejects.toMatchObject({ code: 'session.in_use', details: owner });
  }
});

test('a damaged lease table is made anew when no other host lives, and is an error while one does', async () => {
  await (await createSession(open())).release();
  await stores[0]?.close();
  writeFileSync(tablePath(), 'no database, but long enough to be taken for one'.repeat(50));
  const next = open();
  expect((await next.acquire(sessionId)).lastSeq).toBe(1);
  writeFileSync(tablePath(), 'no database, but long enough to be taken for one'.repeat(50));
  for (const suffix of ['-wal', '-shm']) rmSync(tablePath() + suffix);
  await expect(open().acquire(sessionId)).rejects.toEqual(coded('store.unavailable'));
});

test('lock files of dead hosts are cleaned away', async () => {
  const first = open();
  await createSession(first);
  for (const name of ['one.lock', 'two.lock']) writeFileSync(join(home, 'locks', name), '');
  const next = open();
  await next.create('e0000000-0000-4000-8000-000000000004').then((log) => log.release());
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  expect(readdirSync(join(home, 'locks')).filter((name) => name === 'one.lock' || name === 'two.lock')).toEqual([]);
  expect(readdirSync(join(home, 'locks')).length).toBe(2);
});

test('an owner whose log another program changed or deleted stops, and leaves it alone', async () => {
  const log = await createSession(open());
  appendFileSync(logPath(), 'somebody else was here\n');
  const changed = readFileSync(logPath());
  await expect(log.append([notice(1)])).rejects.toEqual(coded('session.write_failed'));
  expect(readFileSync(logPath())).toEqual(changed);
  await log.release();

  truncateSync(logPath(), changed.length - 23);
  const again = await open().acquire(sessionId);
  rmSync(logPath());
  await expect(again.append([notice(1)])).rejects.toThrow(/deleted/);
});

function writeLease(owner: {
  readonly file: string;
  readonly inode: number;
  readonly pid: number;
  readonly host: string;
}): void {
  const database = new DatabaseSync(tablePath());
  const sql =
    "UPDATE lease SET epoch = 9, file = ?, inode = ?, pid = ?, host = ?, since = '2026-01-01T00:00:00.000Z' WHERE session = ?";
  database.prepare(sql).run(owner.file, owner.inode, owner.pid, owner.host, sessionId);
  database.close();
}

test('a lease names where its host listens, from when it does, and its socket goes when the host is found dead', async () => {
  const one = open();
  await createSession(one);
  const other = open();
  expect(await other.ownerOf(sessionId)).toMatchObject({ pid: process.pid });
  expect((await other.ownerOf(sessionId))?.address).toBeUndefined();
  await one.announce('/run/a.sock');
  expect(await one.ownerOf(sessionId)).toBeUndefined();
  // Whoever asks for a subagent asks for the tree's owner.
  expect(await other.ownerOf(`${sessionId}.0000000a`)).toMatchObject({ address: '/run/a.sock' });
  await expect(other.acquire(sessionId)).rejects.toMatchObject({ details: { address: '/run/a.sock' } });
  await one.close();
  expect(await other.ownerOf(sessionId)).toBeUndefined();
});

test('an address that is told before the first claim stands from then on, also in a table that was made anew', async () => {
  const one = open();
  await one.announce('/run/a.sock');
  expect(readdirSync(home)).toEqual([]);
  const log = await createSession(one);
  rmSync(tablePath());
  await log.append([notice(1)]);
  await expect(open().acquire(sessionId)).rejects.toMatchObject({ details: { address: '/run/a.sock' } });
});

test('a table of an earlier version gets what it lacks', async () => {
  await createSession(open());
  const database = new DatabaseSync(tablePath());
  database.exec('DROP TABLE host');
  database.close();
  const other = open();
  await expect(other.acquire(sessionId)).rejects.toEqual(coded('session.in_use'));
});
