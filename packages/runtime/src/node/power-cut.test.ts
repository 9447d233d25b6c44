import { isRondoError } from '@rondo/protocol/values';
import type { AnyEvent } from '@rondo/protocol';
import { expect, test } from 'vitest';
import type { EventStore } from '../event/event-store.ts';
import { collect } from '../testing/conformance-case.ts';
import { createEventScript, sampleBinding, type EventScript } from '../testing/event-script.ts';
import { createPowerCutFileSystem, type PowerCutFileSystem } from '../testing/power-cut-file-system.ts';
import type { PowerLoss } from '../testing/power-cut-disk.ts';
import { createFileStore } from './file-store.ts';

const sessionId = 'e0000000-0000-4000-8000-000000000001';
const home = '/home/user/.rondo';
/** Thousands of logs are opened; a busy machine takes its time. */
const timeout = 60_000;
const blobText = 'the whole of a large output';

/** What the session's user knows: the events that were acknowledged, in order, and those that were refused. */
interface Ledger {
  readonly acknowledged: AnyEvent[];
  readonly refused: AnyEvent[];
}

/** A session with three parallel tool calls, a blob and batches of several events, some of them appended together. */
async function work(store: EventStore): Promise<Ledger> {
  const script = createEventScript(sessionId);
  const acknowledged: AnyEvent[] = [];
  const refused: AnyEvent[] = [];
  const append = async (
    log: Awaited<ReturnType<EventStore['create']>>,
    events: ReturnType<EventScript['next']>[],
  ): Promise<void> => {
    await log.append(events).then(
      () => acknowledged.push(...events.map(({ event }) => event)),
      () => refused.push(...events.map(({ event }) => event)),
    );
  };
  const turn = { turnId: 'turn-1' };
  const log = await store.create(sessionId);
  await append(log, [
    script.next({ type: 'session.created', binding: sampleBinding() }),
    script.next({ type: 'turn.started', ...turn, binding: sampleBinding() }),
  ]);
  const calls = ['a', 'b', 'c'].map((callId) => ({ ...turn, callId, toolCallId: callId, name: 'Read' }));
  await append(
    log,
    calls.map((call) => script.next({ type: 'tool.started', ...call, effect: 'none' })),
  );
  const blob = await store
    .blobs(sessionId)
    .write(new TextEncoder().encode(blobText))
    .catch(() => undefined);
  await Promise.all(
    calls.map((call, index) => {
      const spilled = index === 0 && blob !== undefined ? { spilled: blob } : {};
      const content = [{ type: 'text' as const, text: 'x'.repeat(40), ...spilled }];
      return append(log, [
        script.next({ type: 'tool.completed', ...call, isError: false, outcome: 'success', content }),
      ]);
    }),
  );
  await append(log, [
    script.next({ type: 'notice', level: 'info', message: 'the last batch' }),
    script.next({ type: 'notice', level: 'info', message: 'two lines' }),
  ]);
  return { acknowledged, refused };
}

async function workUntilCut(fileSystem: PowerCutFileSystem): Promise<Ledger> {
  return work(createFileStore({ home, fileSystem }));
}

/** Everything that was acknowledged is there, nothing else but what was written, and the session goes on. */
async function assertReopens(fileSystem: PowerCutFileSystem, ledger: Ledger): Promise<void> {
  const store = createFileStore({ home, fileSystem });
  let log: Awaited<ReturnType<EventStore['acquire']>>;
  try {
    log = await store.acquire(sessionId);
  } catch (error) {
    if (!isRondoError(error, 'session.not_found') || ledger.acknowledged.length > 0) throw error;
    // Nothing was acknowledged, so the same session may be made.
    log = await store.create(sessionId);
    await log.append([createEventScript(sessionId).next({ type: 'session.created', binding: sampleBinding() })]);
    expect((await collect(store.read(sessionId))).length).toBe(1);
    return;
  }
  const found = await collect(store.read(sessionId));
  expectSame(found.slice(0, ledger.acknowledged.length), ledger.acknowledged);
  expect(log.lastSeq).toBe(found.at(-1)?.seq);
  for (const event of found) {
    if (event.type !== 'tool.completed') continue;
    const spilled = event.content[0]?.type === 'text' ? event.content[0].spilled : undefined;
    if (spilled !== undefined)
      expect(new TextDecoder().decode(await store.blobs(sessionId).read(spilled.hash))).toBe(blobText);
  }
  const next = createEventScript(sessionId, { lastSeq: log.lastSeq }).next({
    type: 'notice',
    level: 'warning',
    message: 'reopened',
  });
  await log.append([next]);
  await log.release();
  const again = await store.acquire(sessionId);
  expect(again.damage).toBeUndefined();
  expectSame(await collect(store.read(sessionId)), [...found, next.event]);
}

/** Compares thousands of logs: the runner's own comparison is asked only to show a difference. */
function expectSame(found: readonly AnyEvent[], expected: readonly AnyEvent[]): void {
  if (JSON.stringify(found) !== JSON.stringify(expected)) expect(found).toEqual(expected);
}

async function operationsOf(run: (fileSystem: PowerCutFileSystem) => Promise<unknown>): Promise<PowerCutFileSystem> {
  const fileSystem = createPowerCutFileSystem();
  await run(fileSystem);
  return fileSystem;
}

test('a power cut at any operation loses nothing that was acknowledged', { timeout }, async () => {
  const { operations } = await operationsOf(workUntilCut);
  expect(operations.filter((operation) => operation === 'write').length).toBeGreaterThanOrEqual(5);
  for (let operation = 0; operation <= operations.length; operation += 1) {
    const fileSystem = createPowerCutFileSystem();
    fileSystem.cutPowerAt(operation);
    const ledger = await workUntilCut(fileSystem);
    const losses: PowerLoss[] = [
      { keep: 0 },
      { keep: 'all' },
      { keep: 0, entries: 'lost' },
      { keep: 'all', entries: 'lost' },
    ];
    for (const loss of losses) await assertReopens(fileSystem.restart(loss), ledger);
  }
});

test('a power cut that tears any batch at any byte loses nothing that was acknowledged, and is reported', {
  timeout,
}, async () => {
  const { operations } = await operationsOf(workUntilCut);
  for (const [operation, what] of operations.entries()) {
    if (what !== 'sync') continue;
    const fileSystem = createPowerCutFileSystem();
    fileSystem.cutPowerAt(operation);
    const ledger = await workUntilCut(fileSystem);
    const step = operation === operations.lastIndexOf('sync') ? 1 : 5;
    for (let keep = 1; keep < fileSystem.unsyncedBytes(); keep += step) await assertTorn(fileSystem, ledger, { keep });
    for (let zeroed = 1; zeroed <= fileSystem.unsyncedBytes(); zeroed += step)
      await assertTorn(fileSystem, ledger, { keep: 'all', zeroed });
  }
});

async function assertTorn(fileSystem: PowerCutFileSystem, ledger: Ledger, loss: PowerLoss): Promise<void> {
  const disk = fileSystem.restart(loss);
  const store = createFileStore({ home, fileSystem: disk });
  const status = disk.status(`${home}/sessions/${sessionId}/log.jsonl`);
  if (ledger.acknowledged.length === 0) {
    await expect(store.acquire(sessionId)).rejects.toSatisfy((error) => isRondoError(error, 'session.not_found'));
    return;
  }
  const log = await store.acquire(sessionId);
  const found = await collect(store.read(sessionId));
  expectSame(found, ledger.acknowledged);
  const kept = disk.status(`${home}/sessions/${sessionId}/log.jsonl`)?.size ?? 0;
  const dropped = (status?.size ?? 0) - kept;
  expect(log.damage).toEqual(dropped === 0 ? undefined : { droppedBytes: dropped, damagedLines: 0 });
}

for (const code of ['EIO', 'ENOSPC'] as const) {
  test(`a write or sync that fails with ${code}, at any call, is told, and the session reopens in the same process`, {
    timeout,
  }, async () => {
    const calls = (await operationsOf(workUntilCut)).operations.filter((operation) =>
      /^write$|^sync/.test(operation),
    ).length;
    for (let call = 0; call < calls; call += 1) {
      const fileSystem = createPowerCutFileSystem();
      fileSystem.failAt(call, code);
      const store = createFileStore({ home, fileSystem });
      const ledger = await work(store);
      await store.close();
      await assertReopens(fileSystem.restart({ keep: 'all' }), ledger);
      await assertReopens(fileSystem.restart({ keep: 0 }), ledger);
      await assertReopens(fileSystem, ledger);
    }
  });
}

test('an append behind a failed sync is refused, and nothing refused is read later', async () => {
  const fileSystem = createPowerCutFileSystem();
  const store = createFileStore({ home, fileSystem });
  const script = createEventScript(sessionId);
  const log = await store.create(sessionId);
  const first = script.next({ type: 'session.created', binding: sampleBinding() });
  await log.append([first]);
  fileSystem.failAt(fileSystem.operations.filter((operation) => /^write$|^sync/.test(operation)).length + 1, 'EIO');
  const refused = [
    script.next({ type: 'notice', level: 'info', message: 'a' }),
    script.next({ type: 'notice', level: 'info', message: 'b' }),
  ];
  const appends = refused.map((event) => log.append([event]));
  for (const append of appends)
    await expect(append).rejects.toSatisfy((error) => isRondoError(error, 'session.write_failed'));
  const syncs = fileSystem.operations.filter((operation) => operation === 'sync').length;
  await expect(log.append(refused)).rejects.toSatisfy((error) => isRondoError(error, 'session.write_failed'));
  expect(fileSystem.operations.filter((operation) => operation === 'sync').length).toBe(syncs);
  await log.release();
  const again = await store.acquire(sessionId);
  expect(await collect(store.read(sessionId))).toEqual([first.event]);
  expect(again.damage).toBeUndefined();
});

test('appends that wait for one commit become one batch: the disk is asked once', async () => {
  const fileSystem = createPowerCutFileSystem();
  const store = createFileStore({ home, fileSystem });
  const script = createEventScript(sessionId);
  const log = await store.create(sessionId);
  await log.append([script.next({ type: 'session.created', binding: sampleBinding() })]);
  const before = fileSystem.operations.length;
  const events = Array.from({ length: 50 }, (_, index) =>
    script.next({ type: 'notice', level: 'info', message: `${index}` }),
  );
  await Promise.all(events.map((event) => log.append([event])));
  expect(fileSystem.operations.slice(before)).toEqual(['write', 'sync']);
});
