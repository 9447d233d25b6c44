import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createEventScript, sampleBinding } from '../testing/event-script.ts';
import { createFileStore } from './file-store.ts';
import { createSessionIndex } from './session-index.ts';
import { storedSessionIds, verifySession } from './verify-session.ts';

const sessionId = '0c6c3d0e-7f0b-4f43-8b6e-35a1a1b7c2d4';
let home: string;
let log: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'rondo-verify-'));
  log = join(home, 'sessions', sessionId, 'log.jsonl');
  const store = createFileStore({ home });
  const script = createEventScript(sessionId);
  const owned = await store.create(sessionId);
  await owned.append([script.next({ type: 'session.created', binding: sampleBinding() })]);
  const spilled = await store.blobs(sessionId).write(new TextEncoder().encode('kept beside it'));
  await owned.append([script.next({ type: 'notice', level: 'info', message: 'x', details: { spilled } })]);
  await owned.append([script.next({ type: 'notice', level: 'info', message: 'last' })]);
  await store.close();
});
afterEach(() => rm(home, { recursive: true }));

test('a sound session has no problem, and checking it changes nothing', async () => {
  const before = await readFile(log);
  expect(await storedSessionIds(home)).toEqual([sessionId]);
  expect(await verifySession(home, sessionId)).toEqual({ events: 3, blobs: 1, problems: [] });
  expect(await readFile(log)).toEqual(before);
  await expect(verifySession(home, '../x')).rejects.toMatchObject({ code: 'session.not_found' });
});

test('a flipped byte, a missing number, a cut-off end and a changed blob are each said with their place', async () => {
  const text = await readFile(log, 'utf8');
  await writeFile(log, `${text.replace('"message":"x"', '"message":"y"')}{"type":"not`);
  const { problems } = await verifySession(home, sessionId);
  expect(problems.map(({ what }) => what)).toEqual([
    'a line is damaged or gone',
    'event 3 follows 1',
    'no whole batch: it was cut off, or a process is writing it now',
    'belongs to no event that can be read',
  ]);
  expect(problems[2]?.where).toBe(`log.jsonl, bytes ${text.length} to ${text.length + 12}`);

  await writeFile(log, text);
  const blobs = join(home, 'sessions', sessionId, 'blobs');
  const [blob = ''] = await readdir(blobs);
  await writeFile(join(blobs, blob), 'something else');
  expect((await verifySession(home, sessionId)).problems).toMatchObject([
    { where: `blobs/${blob}`, what: 'is not what was written' },
  ]);
});

test('a blob of no event, and caches that are of no use or say something else, are named', async () => {
  const kept = join(home, 'sessions', sessionId);
  const store = createFileStore({ home });
  await store.blobs(sessionId).write(new TextEncoder().encode('never referred to'));
  await store.list();
  await store.close();
  expect((await verifySession(home, sessionId)).problems.map(({ what }) => what)).toEqual([
    'belongs to no event that can be read',
  ]);
  await writeFile(join(kept, 'snapshot'), 'no snapshot');
  const index = createSessionIndex(home);
  const entry = await index.entry(sessionId);
  if (entry === undefined) throw new Error('the list was not put into the index');
  await index.put({ entries: [{ ...entry, state: { ...entry.state, seq: 2 } }] });
  index.close();
  expect((await verifySession(home, sessionId)).problems.map(({ where }) => where)).toEqual([
    'snapshot',
    "index.db, this session's row",
    expect.stringMatching(/^blobs\//),
  ]);
});
