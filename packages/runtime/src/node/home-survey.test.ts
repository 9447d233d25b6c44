import { copyFileSync, cpSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ListOptions, StoredSession } from '../event/event-store.ts';
import { createEventScript, sampleBinding } from '../testing/event-script.ts';
import type { FileSystem } from './file-system.ts';
import { createFileStore, type FileStore } from './file-store.ts';
import { createKernelOwners } from './kernel-owners.ts';
import { createLogCatalog } from './log-catalog.ts';
import { nodeFileSystem } from './node-file-system.ts';
import { createSessionIndex } from './session-index.ts';
import { sessionPlaces } from './session-place.ts';

const ids = ['a', 'b', 'c', 'd', 'e'].map((digit) => `${digit.repeat(8)}-0000-4000-8000-000000000000`);
const [first = '', second = '', third = '', , last = ''] = ids;
let home = '';
let stores: FileStore[] = [];
/** Each append is a day later. */
let appended = 0;

/** Trusts whatever the lease table lets it. */
function open(listLooksAt = 0): FileStore {
  const store = createFileStore({ home, listLooksAt });
  stores.push(store);
  return store;
}

async function make(store: FileStore, sessionId: string, index: number): Promise<void> {
  const script = createEventScript(sessionId, { startMs: Date.UTC(2026, 0, 1 + index) });
  const log = await store.create(sessionId);
  await log.append([script.next({ type: 'session.created', binding: sampleBinding(), title: `session ${index}` })]);
}

async function append(store: FileStore, sessionId: string, title: string): Promise<void> {
  const log = await store.acquire(sessionId);
  appended += 1;
  const script = createEventScript(sessionId, { lastSeq: log.lastSeq, startMs: Date.UTC(2026, 1, appended) });
  await log.append([script.next({ type: 'session.updated', title })]);
  await log.release();
}

/** As a folder looks some time after the last session was made or removed. */
function settle(): void {
  const long = new Date(Date.now() - 60_000 - Math.random() * 60_000);
  utimesSync(join(home, 'sessions'), long, long);
}

async function list(options?: ListOptions): Promise<readonly StoredSession[]> {
  return (await open().list({ limit: 2, ...options })).sessions;
}

/** What a store says that has nothing but the logs. */
async function truth(): Promise<readonly StoredSession[]> {
  copyFileSync(indexPath(), `${indexPath()}.kept`);
  rmSync(indexPath());
  const { sessions } = await open().list({ limit: 2 });
  renameSync(`${indexPath()}.kept`, indexPath());
  return sessions;
}

const indexPath = (): string => join(home, 'index.db');
const folder = (sessionId: string): string => join(home, 'sessions', sessionId);
const logPath = (sessionId: string): string => join(folder(sessionId), 'log.jsonl');
const closeAll = async (): Promise<void> => {
  for (const store of stores.splice(0)) await store.close();
};

beforeEach(async () => {
  stores = [];
  appended = 0;
  home = await mkdtemp(join(tmpdir(), 'rondo-survey-'));
  const store = open();
  for (const [index, sessionId] of ids.entries()) await make(store, sessionId, index);
  await closeAll();
  settle();
  await list();
  await closeAll();
});

afterEach(async () => {
  await closeAll();
  await rm(home, { recursive: true });
});

test('issue 4, accept 6: a first page looks at its own logs and no others, and reads no folder', async () => {
  const asked: string[] = [];
  const fileSystem: FileSystem = {
    ...nodeFileSystem,
    status: (path) => {
      asked.push(path);
      return nodeFileSystem.status(path);
    },
    names: (path) => {
      asked.push(`names of ${path}`);
      return nodeFileSystem.names(path);
    },
  };
  const index = createSessionIndex(home);
  const places = sessionPlaces(home);
  const owners = createKernelOwners({ home });
  const catalog = createLogCatalog({
    fileSystem,
    index,
    places,
    committed: () => undefined,
    changes: owners.changes,
    share: 0,
  });
  const { sessions } = await catalog.list({ limit: 2 });
  expect(sessions.map(({ title }) => title)).toEqual(['session 4', 'session 3']);
  expect(new Set(asked)).toEqual(new Set([places.sessions, logPath(last), logPath(ids[3] ?? '')]));
  index.close();
  owners.close();
});

describe('issue 4, accept 6: a list says what the logs say after', () => {
  const titles = async (options?: ListOptions): Promise<(string | undefined)[]> =>
    (await list(options)).map(({ title }) => title);

  test('an owner wrote to a log, and while it still does', async () => {
    const owner = open();
    await append(owner, first, 'given up');
    expect(await titles()).toEqual(['given up', 'session 4']);
    const log = await owner.acquire(second);
    const script = createEventScript(second, { lastSeq: 1, startMs: Date.UTC(2026, 2, 1) });
    await log.append([script.next({ type: 'session.updated', title: 'held' })]);
    expect(await titles()).toEqual(['held', 'given up']);
    await log.append([script.next({ type: 'session.updated', title: 'held on' })]);
    expect(await titles()).toEqual(['held on', 'given up']);
    expect((await owner.list({ limit: 2 })).sessions.map(({ title }) => title)).toEqual(['held on', 'given up']);
    await log.release();
    expect(await titles()).toEqual(['held on', 'given up']);
    expect(await list()).toEqual(await truth());
  });

  test('a session was made, with the folder’s times as coarse as may be', async () => {
    const { atime, mtime } = statSync(join(home, 'sessions'));
    const made = '99999999-0000-4000-8000-000000000000';
    await make(open(), made, 30);
    utimesSync(join(home, 'sessions'), atime, mtime);
    expect(await titles()).toEqual(['session 30', 'session 4']);
    await closeAll();
    utimesSync(join(home, 'sessions'), atime, mtime);
    expect(await titles()).toEqual(['session 30', 'session 4']);
    expect(await titles()).toEqual(['session 30', 'session 4']);
  });

  test('a session was removed, and made once more', async () => {
    await open().remove(last);
    expect(await titles()).toEqual(['session 3', 'session 2']);
    settle();
    expect(await titles()).toEqual(['session 3', 'session 2']);
    await make(open(), last, 20);
    expect(await titles()).toEqual(['session 20', 'session 3']);
  });

  test('the lease table was deleted, or put back as it was, and a log written to meanwhile', async () => {
    const leases = join(home, 'leases.db');
    copyFileSync(leases, `${leases}.old`);
    await append(open(), first, 'one');
    await closeAll();
    expect(await titles()).toEqual(['one', 'session 4']);
    await append(open(), second, 'two');
    await closeAll();
    rmSync(leases);
    expect(await titles()).toEqual(['two', 'one']);
    await closeAll();
    await append(open(), third, 'three');
    await closeAll();
    rmSync(leases);
    renameSync(`${leases}.old`, leases);
    expect(await titles({ limit: 3 })).toEqual(['three', 'two', 'one']);
  });

  test('the index was put back as it was', async () => {
    copyFileSync(indexPath(), `${indexPath()}.old`);
    await append(open(), first, 'later');
    expect(await titles()).toEqual(['later', 'session 4']);
    await closeAll();
    copyFileSync(`${indexPath()}.old`, indexPath());
    expect(await titles()).toEqual(['later', 'session 4']);
  });

  test('the index lost its heads, and got one of them back', async () => {
    const bytes = readFileSync(indexPath());
    const at = bytes.indexOf(`${last}\t`);
    expect(at).toBeGreaterThan(0);
    bytes[at + 40] = (bytes[at + 40] ?? 0) ^ 1;
    writeFileSync(indexPath(), bytes);
    const owner = open();
    await append(owner, first, 'x'.repeat(1024 * 1024 + 1));
    expect((await list({ limit: 5 })).map(({ sessionId }) => sessionId)).toEqual([first, ...ids.slice(1).toReversed()]);
  });

  test('a folder was copied in, or moved out', async () => {
    await rm(join(home, 'other'), { recursive: true, force: true });
    renameSync(folder(last), join(home, 'other'));
    expect(await titles()).toEqual(['session 3', 'session 2']);
    settle();
    expect(await titles()).toEqual(['session 3', 'session 2']);
    renameSync(join(home, 'other'), folder(last));
    expect(await titles()).toEqual(['session 4', 'session 3']);
  });

  test('a folder came without its log, which came later', async () => {
    renameSync(logPath(last), join(home, 'log'));
    expect(await titles()).toEqual(['session 3', 'session 2']);
    settle();
    expect(await titles()).toEqual(['session 3', 'session 2']);
    renameSync(join(home, 'log'), logPath(last));
    expect(await titles()).toEqual(['session 4', 'session 3']);
  });

  test('a folder was replaced by one of a backup', async () => {
    await append(open(), first, 'to be saved');
    cpSync(folder(first), join(home, 'backup'), { recursive: true });
    await append(open(), first, 'to be lost');
    expect(await titles()).toEqual(['to be lost', 'session 4']);
    await closeAll();
    settle();
    await append(open(), second, 'newest');
    await append(open(), third, 'newest too');
    expect(await titles()).toEqual(['newest too', 'newest']);
    await closeAll();
    await rm(folder(first), { recursive: true });
    renameSync(join(home, 'backup'), folder(first));
    expect(await titles({ limit: 3 })).toContain('to be saved');
    expect(await list()).toEqual(await truth());
  });
});

describe('a log that changed in its place, with nothing to tell', () => {
  const writeOver = async (): Promise<void> => {
    // What an owner would have written, without its lease.
    const bytes = readFileSync(join(home, 'index.db'));
    const leases = join(home, 'leases.db');
    copyFileSync(leases, `${leases}.old`);
    await append(open(), first, 'by hand');
    await closeAll();
    // Over the same file, which is the same table then.
    writeFileSync(leases, readFileSync(`${leases}.old`));
    writeFileSync(join(home, 'index.db'), bytes);
  };

  test('is shown as it is once it is on the page or asked for by itself', async () => {
    await writeOver();
    expect((await list()).map(({ title }) => title)).toEqual(['session 4', 'session 3']);
    expect(await open().describe(first)).toMatchObject({ title: 'by hand' });
    expect((await list({ limit: 5 }))[0]).toMatchObject({ title: 'by hand' });
    expect((await list())[0]).toMatchObject({ title: 'by hand' });
  });

  test('is found by as many lists as it takes to look at every log', async () => {
    await writeOver();
    const store = open(1);
    for (const _ of ids) await store.list({ limit: 1 });
    expect((await store.list({ limit: 1 })).sessions[0]).toMatchObject({ title: 'by hand' });
  });

  test('is found at once in a home of few sessions', async () => {
    await writeOver();
    expect((await open(1024).list({ limit: 1 })).sessions[0]).toMatchObject({ title: 'by hand' });
  });
});
