import { copyFileSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { StoredSession } from '../event/event-store.ts';
import { createEventScript, sampleBinding } from '../testing/event-script.ts';
import { createFileStore } from './file-store.ts';

const ids = ['a', 'b', 'c', 'd', 'e'].map((digit) => `${digit.repeat(8)}-0000-4000-8000-000000000000`);
let home = '';

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'rondo-index-'));
  const store = createFileStore({ home });
  for (const [index, id] of ids.entries()) {
    const script = createEventScript(id, { startMs: Date.UTC(2026, 0, 1 + index) });
    const log = await store.create(id);
    await log.append([
      script.next({
        type: 'session.created',
        binding: sampleBinding({ cwd: `/work/${index % 2}` }),
        title: `session ${index}`,
      }),
    ]);
  }
  await store.close();
});

afterEach(() => rm(home, { recursive: true }));

const indexPath = () => join(home, 'index.db');
const logPath = (id: string) => join(home, 'sessions', id, 'log.jsonl');

async function answers(): Promise<{
  all: readonly StoredSession[];
  folder: readonly StoredSession[];
  one: StoredSession | undefined;
}> {
  const store = createFileStore({ home });
  try {
    const all = await store.list();
    const folder = await store.list({ cwd: '/work/1', limit: 3 });
    return { all: all.sessions, folder: folder.sessions, one: await store.describe(ids[2] ?? '') };
  } finally {
    await store.close();
  }
}

async function append(id: string, lastSeq: number, title: string): Promise<void> {
  const store = createFileStore({ home });
  const log = await store.acquire(id);
  const script = createEventScript(id, { lastSeq, startMs: Date.UTC(2026, 1, 1) });
  await log.append([script.next({ type: 'session.updated', title })]);
  await store.close();
}

function indexedSessions(): number {
  const database = new DatabaseSync(indexPath());
  const row = database.prepare('SELECT count(*) AS sessions FROM session').get();
  database.close();
  return Number(row?.['sessions']);
}

describe('the index is a cache: the answers stay the same when it', () => {
  test('is deleted', async () => {
    const before = await answers();
    expect(before.all.map(({ sessionId }) => sessionId)).toEqual([...ids].reverse());
    rmSync(indexPath());
    expect(await answers()).toEqual(before);
  });

  test('has any page overwritten', async () => {
    const before = await answers();
    const whole = readFileSync(indexPath());
    for (let start = 0; start < whole.length; start += 512) {
      const damaged = Buffer.from(whole);
      damaged.fill(0xa5, start, start + 512);
      writeFileSync(indexPath(), damaged);
      expect(await answers(), `bytes from ${start}`).toEqual(before);
    }
  });

  test('has single bytes flipped in its rows', async () => {
    const before = await answers();
    const whole = readFileSync(indexPath());
    const titleAt = whole.indexOf('session 3');
    const timeAt = whole.indexOf('2026-01-02');
    expect(Math.min(titleAt, timeAt)).toBeGreaterThan(0);
    for (const at of [titleAt + 8, timeAt + 9, timeAt - 2]) {
      const damaged = Buffer.from(whole);
      damaged[at] = (damaged[at] ?? 0) ^ 1;
      writeFileSync(indexPath(), damaged);
      expect(await answers(), `byte ${at}`).toEqual(before);
    }
  });

  test('is no database, or empty', async () => {
    const before = await answers();
    for (const text of ['no database at all, but long enough to be read as one'.repeat(40), '']) {
      writeFileSync(indexPath(), text);
      expect(await answers()).toEqual(before);
      expect(indexedSessions()).toBe(ids.length);
    }
  });

  test('says one session’s state of another', async () => {
    const before = await answers();
    const database = new DatabaseSync(indexPath());
    database.prepare('DELETE FROM head_lines').run();
    database
      .prepare('UPDATE session SET body = (SELECT body FROM session WHERE id = ?) WHERE id = ?')
      .run(ids[0] ?? '', ids[1] ?? '');
    database.close();
    expect(await answers()).toEqual(before);
  });

  test('is older than the logs', async () => {
    await answers();
    copyFileSync(indexPath(), `${indexPath()}.old`);
    await append(ids[0] ?? '', 1, 'a later title');
    const after = await answers();
    expect(after.all[0]).toMatchObject({ sessionId: ids[0], title: 'a later title', lastSeq: 2 });
    copyFileSync(`${indexPath()}.old`, indexPath());
    expect(await answers()).toEqual(after);
  });

  test('knows sessions that are gone', async () => {
    const before = await answers();
    await rm(join(home, 'sessions', ids[4] ?? ''), { recursive: true });
    expect((await answers()).all).toEqual(before.all.slice(1));
  });
});

test('the order is that of the last events, whatever the files’ times', async () => {
  const before = await answers();
  utimesSync(logPath(ids[0] ?? ''), new Date(), new Date());
  expect(await answers()).toEqual(before);
});

test('what is cached is continued, not read again', async () => {
  await append(ids[0] ?? '', 1, 'x'.repeat(300 * 1024));
  await answers();
  await append(ids[0] ?? '', 2, 'two');
  // The first batch is read by nobody any more: damage in it goes unseen where the cached state is continued from behind it.
  const bytes = readFileSync(logPath(ids[0] ?? ''));
  bytes[bytes.indexOf('scripted/test')] = 0x53;
  writeFileSync(logPath(ids[0] ?? ''), bytes);
  expect((await answers()).all[0]).toMatchObject({ title: 'two', createdAt: '2026-01-01T00:00:01.000Z' });
});

test('a log that was replaced by another one is read from its start', async () => {
  await answers();
  await rm(join(home, 'sessions', ids[0] ?? ''), { recursive: true });
  const store = createFileStore({ home });
  const script = createEventScript(ids[0] ?? '', { startMs: Date.UTC(2026, 2, 1) });
  const log = await store.create(ids[0] ?? '');
  await log.append([
    script.next({ type: 'session.created', binding: sampleBinding({ cwd: '/elsewhere' }), title: 'another' }),
    script.next({ type: 'session.updated', tag: 'new' }),
  ]);
  await store.close();
  expect((await answers()).all[0]).toMatchObject({
    sessionId: ids[0],
    title: 'another',
    tag: 'new',
    binding: { cwd: '/elsewhere' },
  });
});
