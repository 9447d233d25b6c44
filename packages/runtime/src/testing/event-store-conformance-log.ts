import assert from 'node:assert/strict';
import { assertRejects, assertStored, collect, storeCase } from './conformance-case.ts';
import { createEventScript, sampleBinding } from './event-script.ts';

const sessionId = '6f1c4a52-0b5e-4e3b-9c0e-0d4f6a7b8c91';

/** Texts that break readers which frame by anything but a line feed, or decode before they have whole characters. */
const awkwardTexts = [
  'a\u2028b\u2029c\u0085d',
  'line\r\nline\n',
  '\u0000\u0007\u001b[31m',
  '漢字 👩‍👩‍👧 é',
  '\ud83d',
  '"sum":"00000000","end":1}',
  '',
];

export const logConformance = [
  storeCase('reads batches back in order', async (open) => {
    const store = await open();
    const log = await store.create(sessionId);
    const script = createEventScript(sessionId);
    const first = [script.next({ type: 'session.created', binding: sampleBinding() }), notice(script, 'one')];
    const second = [notice(script, 'two')];
    await log.append(first);
    await log.append(second);
    await assertStored(store, sessionId, [...first, ...second]);
  }),

  storeCase('keeps the order of appends that nobody waited for', async (open) => {
    const store = await open();
    const log = await store.create(sessionId);
    const script = createEventScript(sessionId);
    const events = [script.next({ type: 'session.created', binding: sampleBinding() })];
    for (let index = 0; index < 100; index += 1) events.push(notice(script, `${index}`));
    await Promise.all(events.map((event) => log.append([event])));
    await assertStored(store, sessionId, events);
  }),

  storeCase('stores what lingers: by itself, with what somebody waits for, and when told to hurry', async (open) => {
    const store = await open();
    const log = await store.create(sessionId);
    const script = createEventScript(sessionId);
    const events = [script.next({ type: 'session.created', binding: sampleBinding() })];
    for (let index = 0; index < 6; index += 1) events.push(notice(script, `${index}`));
    const [created, ...notices] = events.map((event) => [event]);
    const inBackground = (batch: typeof events = []): Promise<void> => log.append(batch, { background: true });
    await log.append(created ?? []);
    await inBackground(notices[0]);
    const lingering = [inBackground(notices[1]), inBackground(notices[2])];
    await log.append(notices[3] ?? []);
    await Promise.all(lingering);
    await assertStored(store, sessionId, events.slice(0, 5));
    const hurried = inBackground(notices[4]);
    log.hurry?.();
    await hurried;
    void inBackground(notices[5]);
    await log.release();
    await assertStored(store, sessionId, events);
  }),

  storeCase('an empty append resolves and stores nothing', async (open) => {
    const store = await open();
    const log = await store.create(sessionId);
    const script = createEventScript(sessionId);
    const events = [script.next({ type: 'session.created', binding: sampleBinding() })];
    await log.append([]);
    await log.append(events);
    await log.append([]);
    await assertStored(store, sessionId, events);
  }),

  storeCase('shows nothing that is not durable', async (open) => {
    const store = await open();
    const log = await store.create(sessionId);
    const script = createEventScript(sessionId);
    const first = [script.next({ type: 'session.created', binding: sampleBinding() })];
    await log.append(first);
    const second = [notice(script, 'two')];
    const appended = log.append(second);
    for (const event of await collect(store.read(sessionId, { after: 1 }))) assert.deepEqual(event, second[0]?.event);
    await appended;
    await assertStored(store, sessionId, [...first, ...second]);
  }),

  storeCase('reads after a number', async (open) => {
    const store = await open();
    const log = await store.create(sessionId);
    const script = createEventScript(sessionId);
    const events = [script.next({ type: 'session.created', binding: sampleBinding() })];
    for (let index = 0; index < 20; index += 1) events.push(notice(script, `${index}`));
    await log.append(events.slice(0, 7));
    await log.append(events.slice(7));
    for (let after = 0; after <= events.length + 1; after += 1)
      await assertStored(store, sessionId, events.slice(after), { after });
  }),

  storeCase('keeps every character', async (open) => {
    const store = await open();
    const log = await store.create(sessionId);
    const script = createEventScript(sessionId);
    const events = [
      script.next({ type: 'session.created', binding: sampleBinding() }),
      ...awkwardTexts.map((text) => notice(script, text)),
    ];
    await log.append(events);
    await log.release();
    const next = await open();
    await assertStored(next, sessionId, events);
  }),

  storeCase('keeps an event of an unknown type whole', async (open) => {
    const store = await open();
    const log = await store.create(sessionId);
    const script = createEventScript(sessionId);
    const events = [
      script.next({ type: 'session.created', binding: sampleBinding() }),
      script.unknown({ type: 'moon.risen', phase: { name: 'full', days: [14, 15] } }),
      notice(script, 'after'),
    ];
    await log.append(events);
    await assertStored(store, sessionId, events);
  }),

  storeCase('opens a log with a required unknown event for reading only', async (open) => {
    const store = await open();
    const log = await store.create(sessionId);
    const script = createEventScript(sessionId);
    const events = [
      script.next({ type: 'session.created', binding: sampleBinding() }),
      script.unknown({ type: 'moon.risen', required: true }),
    ];
    await log.append(events);
    await log.release();
    const again = await store.acquire(sessionId);
    assert.equal(again.readOnly, true);
    await assertRejects(again.append([notice(script, 'no')]), 'session.read_only');
    await assertStored(store, sessionId, events);
  }),

  storeCase('follows a log as it grows, and ends with the signal', async (open) => {
    const store = await open();
    const log = await store.create(sessionId);
    const script = createEventScript(sessionId);
    const events = [
      script.next({ type: 'session.created', binding: sampleBinding() }),
      notice(script, 'one'),
      notice(script, 'two'),
    ];
    await log.append(events.slice(0, 1));
    const stop = new AbortController();
    const seen: unknown[] = [];
    for await (const event of store.tail(sessionId, { signal: stop.signal })) {
      seen.push(event);
      if (seen.length === 1) await log.append(events.slice(1));
      if (seen.length === events.length) stop.abort();
    }
    assert.deepEqual(
      seen,
      events.map(({ event }) => event),
    );
  }),

  storeCase('follows after a number', async (open) => {
    const store = await open();
    const log = await store.create(sessionId);
    const script = createEventScript(sessionId);
    const events = [
      script.next({ type: 'session.created', binding: sampleBinding() }),
      notice(script, 'one'),
      notice(script, 'two'),
    ];
    await log.append(events);
    const stop = new AbortController();
    for await (const event of store.tail(sessionId, { after: 2, signal: stop.signal })) {
      assert.deepEqual(event, events[2]?.event);
      stop.abort();
    }
  }),

  storeCase('following ends at once when the signal is aborted already', async (open) => {
    const store = await open();
    const log = await store.create(sessionId);
    await log.append([createEventScript(sessionId).next({ type: 'session.created', binding: sampleBinding() })]);
    assert.deepEqual(await collect(store.tail(sessionId, { signal: AbortSignal.abort() })), []);
  }),

  storeCase('reading stops with the signal', async (open) => {
    const store = await open();
    const log = await store.create(sessionId);
    await log.append([createEventScript(sessionId).next({ type: 'session.created', binding: sampleBinding() })]);
    await assertRejects(collect(store.read(sessionId, { signal: AbortSignal.abort() })), 'operation.aborted');
  }),

  storeCase('says that a session is not there', async (open) => {
    const store = await open();
    await assertRejects(collect(store.read(sessionId)), 'session.not_found');
    await assertRejects(collect(store.tail(sessionId, { signal: new AbortController().signal })), 'session.not_found');
    await assertRejects(store.acquire(sessionId), 'session.not_found');
    assert.equal(await store.describe(sessionId), undefined);
    assert.deepEqual(await store.list(), { sessions: [] });
  }),
];

function notice(script: ReturnType<typeof createEventScript>, message: string) {
  return script.next({ type: 'notice', level: 'info', message });
}
