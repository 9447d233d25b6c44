import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { isRondoError } from '@rondo/protocol/values';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { collect } from '../testing/conformance-case.ts';
import { createEventScript, sampleBinding } from '../testing/event-script.ts';
import { createFileStore } from './file-store.ts';

const fixture = join(import.meta.dirname, '..', '..', 'fixtures', 'own-session.ts');
const sessionId = 'e0000000-0000-4000-8000-000000000002';
const timeout = 60_000;

let home = '';
let started: OwnerProcess[] = [];

interface OwnerProcess {
  readonly child: ChildProcessByStdio<Writable, Readable, null>;
  /** What became of its claim. */
  readonly claim: Promise<{
    readonly pid: number;
    readonly owned: boolean;
    readonly epoch?: number;
    readonly code?: string;
    readonly details?: object;
  }>;
  readonly exited: Promise<void>;
}

function start(how: 'create' | 'acquire' = 'acquire'): OwnerProcess {
  const child = spawn(process.execPath, ['--conditions=@rondo/source', fixture, home, sessionId, how], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const claim = new Promise<Awaited<OwnerProcess['claim']>>((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', (line) => resolve(JSON.parse(line)));
    void exited.then(() => reject(new Error('the process ended without a word')));
  });
  const owner = { child, claim, exited };
  started.push(owner);
  return owner;
}

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'rondo-owners-'));
  started = [];
  const store = createFileStore({ home });
  const log = await store.create(sessionId);
  await log.append([createEventScript(sessionId).next({ type: 'session.created', binding: sampleBinding() })]);
  await store.close();
});

afterEach(async () => {
  for (const { child } of started) child.kill('SIGKILL');
  await Promise.all(started.map(({ exited }) => exited));
  await rm(home, { recursive: true });
});

describe('a session among processes', () => {
  test('has one owner; the other is told who, while the owner runs and while it is stopped; a kill frees it', {
    timeout,
  }, async () => {
    const owner = start();
    const { pid, owned, epoch } = await owner.claim;
    expect([owned, epoch]).toEqual([true, 2]);

    const store = createFileStore({ home });
    const named = {
      code: 'session.in_use',
      details: { sessionId, pid, host: hostname(), since: expect.stringMatching(/^\d{4}-.*Z$/) },
    };
    await expect(store.acquire(sessionId)).rejects.toMatchObject(named);
    owner.child.kill('SIGSTOP');
    await expect(store.acquire(sessionId)).rejects.toMatchObject(named);
    expect((await collect(store.read(sessionId))).length).toBe(2);

    owner.child.kill('SIGKILL');
    await owner.exited;
    const log = await store.acquire(sessionId);
    expect([log.lastSeq, log.epoch, log.damage]).toEqual([2, 3, undefined]);
    await store.close();
    expect(await readdir(join(home, 'locks'))).toEqual([]);
  });

  test('is free as soon as its owner has closed', { timeout }, async () => {
    const owner = start();
    expect((await owner.claim).owned).toBe(true);
    owner.child.stdin.end();
    await owner.exited;
    const store = createFileStore({ home });
    expect((await store.acquire(sessionId)).epoch).toBe(3);
    await store.close();
  });

  test('never has two owners, with eight racing for it, first alive and then killed', { timeout }, async () => {
    const racers = Array.from({ length: 8 }, () => start());
    const claims = await Promise.all(racers.map(({ claim }) => claim));
    const winners = claims.filter(({ owned }) => owned);
    expect(winners.length).toBe(1);
    for (const { owned, code, details } of claims) {
      if (!owned)
        expect({ code, details }).toMatchObject({ code: 'session.in_use', details: { pid: winners[0]?.pid } });
    }
    for (const { child } of racers) child.kill('SIGKILL');
    await Promise.all(racers.map(({ exited }) => exited));

    const store = createFileStore({ home });
    const log = await store.acquire(sessionId);
    expect([log.lastSeq, log.damage]).toEqual([2, undefined]);
    await store.close();
  });

  test('is made by one process only', { timeout }, async () => {
    await rm(join(home, 'sessions', sessionId), { recursive: true });
    const claims = await Promise.all([start('create'), start('create'), start('create')].map(({ claim }) => claim));
    expect(claims.filter(({ owned }) => owned).length).toBe(1);
    for (const { owned, code } of claims) if (!owned) expect(code).toMatch(/^session\.(in_use|exists)$/);
  });

  test('is followed while another process writes it', { timeout }, async () => {
    const store = createFileStore({ home });
    const stop = new AbortController();
    const types: string[] = [];
    for await (const event of store.tail(sessionId, { signal: stop.signal })) {
      types.push(event.type);
      if (types.length === 1) start();
      if (types.length === 2) stop.abort();
    }
    expect(types).toEqual(['session.created', 'session.acquired']);
    // What it wrote is seen before it says so.
    await Promise.all(started.map(({ claim }) => claim));
    await store.close();
  });
});

test('a killed owner’s unfinished batch is cut off by the next one', { timeout }, async () => {
  const { appendFile } = await import('node:fs/promises');
  const log = join(home, 'sessions', sessionId, 'log.jsonl');
  await appendFile(log, '{"seq":2,"torn":true');
  const store = createFileStore({ home });
  const reader = await collect(store.read(sessionId));
  expect(reader.length).toBe(1);
  const owned = await store.acquire(sessionId);
  expect(owned.damage).toEqual({ droppedBytes: 20, damagedLines: 0 });
  await owned.release();
  expect((await store.acquire(sessionId)).damage).toBeUndefined();
  await expect(store.acquire(sessionId)).rejects.toSatisfy((error) => isRondoError(error, 'session.in_use'));
  await store.close();
});
