import assert from 'node:assert/strict';
import { assertRejects, assertStored, storeCase } from './conformance-case.ts';
import { createEventScript, sampleBinding } from './event-script.ts';

const sessionId = '0c6c3d0e-7f0b-4f43-8b6e-35a1a1b7c2d4';

export const ownerConformance = [
  storeCase('makes a session once', async (open) => {
    const store = await open();
    const log = await store.create(sessionId);
    await log.append([createEventScript(sessionId).next({ type: 'session.created', binding: sampleBinding() })]);
    await assertRejects(store.create(sessionId), 'session.exists');
    await log.release();
    await assertRejects(store.create(sessionId), 'session.exists');
  }),

  storeCase('removes a session that nobody owns, with its blobs, for all hosts', async (open) => {
    const one = await open();
    const other = await open();
    const log = await one.create(sessionId);
    await log.append([createEventScript(sessionId).next({ type: 'session.created', binding: sampleBinding() })]);
    const { hash } = await one.blobs(sessionId).write(new TextEncoder().encode('beside it'));
    await assertRejects(one.remove(sessionId), 'session.in_use');
    await assertRejects(other.remove(sessionId), 'session.in_use');
    await log.release();
    assert.equal((await one.list()).sessions.length, 1);
    await other.remove(sessionId);
    for (const store of [one, other]) {
      assert.equal(await store.describe(sessionId), undefined);
      assert.deepEqual((await store.list()).sessions, []);
      await assertRejects(store.acquire(sessionId), 'session.not_found');
      await assertRejects(store.remove(sessionId), 'session.not_found');
    }
    const again = await one.create(sessionId);
    assert.equal(again.lastSeq, 0);
    await again.append([createEventScript(sessionId).next({ type: 'session.created', binding: sampleBinding() })]);
    await assertRejects(one.blobs(sessionId).read(hash), 'blob.not_found');
  }),

  storeCase('has one owner at a time, among all hosts', async (open) => {
    const one = await open();
    const other = await open();
    const log = await one.create(sessionId);
    const script = createEventScript(sessionId);
    const first = [script.next({ type: 'session.created', binding: sampleBinding() })];
    await log.append(first);
    await assertRejects(one.acquire(sessionId), 'session.in_use');
    await assertRejects(other.acquire(sessionId), 'session.in_use');
    await log.release();
    const next = await other.acquire(sessionId);
    const second = [script.next({ type: 'notice', level: 'info', message: 'by the next owner' })];
    await next.append(second);
    await assertStored(one, sessionId, [...first, ...second]);
  }),

  storeCase('gives the next owner the last number, a greater epoch and no damage', async (open) => {
    const store = await open();
    const log = await store.create(sessionId);
    assert.deepEqual([log.sessionId, log.lastSeq, log.damage, log.readOnly], [sessionId, 0, undefined, false]);
    const script = createEventScript(sessionId);
    await log.append([
      script.next({ type: 'session.created', binding: sampleBinding() }),
      script.next({ type: 'notice', level: 'info', message: 'x' }),
    ]);
    await log.release();
    let epoch = log.epoch;
    for (let owner = 0; owner < 3; owner += 1) {
      const next = await store.acquire(sessionId);
      assert.deepEqual([next.sessionId, next.lastSeq, next.damage, next.readOnly], [sessionId, 2, undefined, false]);
      assert.ok(next.epoch > epoch, `epoch ${next.epoch} follows ${epoch}`);
      epoch = next.epoch;
      await next.release();
    }
  }),

  storeCase('an epoch is greater than every one the log has recorded', async (open) => {
    const store = await open();
    const log = await store.create(sessionId);
    const script = createEventScript(sessionId);
    await log.append([
      script.next({ type: 'session.created', binding: sampleBinding() }),
      script.next({ type: 'session.acquired', epoch: 40, host: { id: 'elsewhere' } }),
    ]);
    await log.release();
    const next = await store.acquire(sessionId);
    assert.ok(next.epoch > 40, `epoch ${next.epoch} follows 40`);
  }),

  storeCase('finishes what was appended before it gives a log up', async (open) => {
    const store = await open();
    const log = await store.create(sessionId);
    const script = createEventScript(sessionId);
    const events = [
      script.next({ type: 'session.created', binding: sampleBinding() }),
      script.next({ type: 'notice', level: 'info', message: 'x' }),
    ];
    const appended = events.map((event) => log.append([event]));
    await log.release();
    await Promise.all(appended);
    const next = await open();
    await assertStored(next, sessionId, events);
  }),

  storeCase('refuses appends to a log that was given up', async (open) => {
    const store = await open();
    const log = await store.create(sessionId);
    const script = createEventScript(sessionId);
    const first = [script.next({ type: 'session.created', binding: sampleBinding() })];
    await log.append(first);
    await log.release();
    await log.release();
    await assertRejects(
      log.append([script.next({ type: 'notice', level: 'info', message: 'late' })]),
      'session.write_failed',
    );
    await assertStored(store, sessionId, first);
  }),

  storeCase('closing a host gives all of its logs up', async (open) => {
    const one = await open();
    const other = '5a8f7b1e-93a7-4a8c-9a43-5b0f4a1f0c11';
    for (const id of [sessionId, other]) {
      const log = await one.create(id);
      await log.append([createEventScript(id).next({ type: 'session.created', binding: sampleBinding() })]);
    }
    await one.close();
    const next = await open();
    for (const id of [sessionId, other]) assert.equal((await next.acquire(id)).lastSeq, 1);
  }),
];
