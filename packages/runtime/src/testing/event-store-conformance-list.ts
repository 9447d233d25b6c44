import assert from 'node:assert/strict';
import type { EventStore, OwnedLog } from '../event/event-store.ts';
import { assertRejects, storeCase } from './conformance-case.ts';
import { createEventScript, sampleBinding, type EventScript } from './event-script.ts';

const callbackId = 'b4b1f2b0-54c8-4a33-a11f-6e8b4f1d3c55';

export const listConformance = [
  storeCase('lists by the last event, newest first, page by page', async (open) => {
    const store = await open();
    const days = [3, 1, 5, 2, 4];
    for (const day of days) await createSession(store, sessionOn(day), { startMs: Date.UTC(2026, 0, day) });
    const newestFirst = [5, 4, 3, 2, 1].map(sessionOn);
    assert.deepEqual(idsOf(await store.list()), newestFirst);

    const first = await store.list({ limit: 2 });
    const second = await store.list({ limit: 2, ...(first.next === undefined ? {} : { before: first.next }) });
    const third = await store.list({ limit: 2, ...(second.next === undefined ? {} : { before: second.next }) });
    assert.deepEqual([...idsOf(first), ...idsOf(second), ...idsOf(third)], newestFirst);
    assert.equal(third.next, undefined);
  }),

  storeCase('an event moves its session to the front', async (open) => {
    const store = await open();
    const old = await createSession(store, sessionOn(1), { startMs: Date.UTC(2026, 0, 1) });
    await createSession(store, sessionOn(2), { startMs: Date.UTC(2026, 0, 2) });
    assert.deepEqual(idsOf(await store.list()), [sessionOn(2), sessionOn(1)]);
    const later = createEventScript(sessionOn(1), { lastSeq: 1, startMs: Date.UTC(2026, 0, 3) });
    await old.log.append([later.next({ type: 'notice', level: 'info', message: 'x' })]);
    assert.deepEqual(idsOf(await store.list()), [sessionOn(1), sessionOn(2)]);
  }),

  storeCase('lists the sessions of one folder', async (open) => {
    const store = await open();
    await createSession(store, sessionOn(1), { cwd: '/work/one' });
    await createSession(store, sessionOn(2), { cwd: '/work/two words' });
    assert.deepEqual(idsOf(await store.list({ cwd: '/work/two words' })), [sessionOn(2)]);
    assert.deepEqual(idsOf(await store.list({ cwd: '/work' })), []);
  }),

  storeCase('refuses a place that is none', async (open) => {
    const store = await open();
    await assertRejects(store.list({ before: 'nowhere' }), 'cursor.invalid');
  }),

  storeCase('describes a session as its events leave it', async (open) => {
    const store = await open();
    const sessionId = sessionOn(1);
    const { log, script } = await createSession(store, sessionId, {});
    const binding = sampleBinding();
    const started = new Date(Date.UTC(2026, 0, 1) + 1000).toISOString();
    const expected = {
      sessionId,
      binding,
      createdAt: started,
      updatedAt: started,
      lastSeq: 1,
      turns: 0,
      status: 'waiting',
    };
    // How large its log is, a store may say.
    const { logBytes: _size, ...described } = (await store.describe(sessionId)) ?? {};
    assert.deepEqual(described, expected);

    const turn = { turnId: 'turn-1' };
    await log.append([
      script.next({ type: 'turn.started', ...turn, binding }),
      script.next({
        type: 'entry.completed',
        ...turn,
        entry: {
          type: 'message',
          id: 'entry-1',
          role: 'user',
          content: [{ type: 'text', text: `${'x'.repeat(199)}👍 and more` }],
        },
      }),
    ]);
    await assertDescribed(store, sessionId, {
      status: 'running',
      turns: 1,
      activeTurnId: 'turn-1',
      lastTurnId: 'turn-1',
      firstPrompt: 'x'.repeat(199),
    });

    await log.append([script.next({ type: 'callback.opened', ...turn, callback: question(sessionId) })]);
    await assertDescribed(store, sessionId, { status: 'blocked' });
    await log.append([script.next({ type: 'callback.resolved', ...turn, callbackId, resolution: 'answered' })]);
    await assertDescribed(store, sessionId, { status: 'running' });

    const record = {
      type: 'completed' as const,
      sessionId,
      ...turn,
      cursor: 'c',
      text: '',
      toolCalls: [],
      usage: [],
      terminalReason: 'completed',
      stopReason: 'end_turn',
    };
    await log.append([
      script.next({ type: 'turn.ended', ...turn, record }),
      script.next({ type: 'session.updated', title: 'A title', tag: 'a-tag' }),
    ]);
    await assertDescribed(store, sessionId, {
      status: 'waiting',
      title: 'A title',
      tag: 'a-tag',
      lastTurnId: 'turn-1',
      lastSeq: 7,
    });
    assert.equal((await store.describe(sessionId))?.activeTurnId, undefined);

    await log.append([script.next({ type: 'session.updated', status: 'terminated', tag: null })]);
    await assertDescribed(store, sessionId, { status: 'terminated', title: 'A title' });
    assert.equal((await store.describe(sessionId))?.tag, undefined);
    await log.release();
    const next = await open();
    await assertDescribed(next, sessionId, { status: 'terminated', title: 'A title', lastSeq: 8 });
  }),

  storeCase('shows the root of a tree, and that a descendant is blocked', async (open) => {
    const store = await open();
    const sessionId = sessionOn(1);
    const child = sessionOn(2);
    const { log, script } = await createSession(store, sessionId, {});
    await log.append([
      script.next({ type: 'turn.started', turnId: 'root-turn', binding: sampleBinding() }),
      script.next({
        type: 'session.created',
        sessionId: child,
        parentId: sessionId,
        binding: sampleBinding({ cwd: '/child' }),
      }),
      script.next({
        type: 'turn.started',
        sessionId: child,
        turnId: 'child-turn',
        binding: sampleBinding({ cwd: '/child' }),
      }),
      script.next({ type: 'callback.opened', sessionId: child, turnId: 'child-turn', callback: question(child) }),
    ]);
    await assertDescribed(store, sessionId, { status: 'blocked', turns: 1, activeTurnId: 'root-turn' });
    assert.equal((await store.describe(sessionId))?.binding.cwd, '/work');
    assert.deepEqual(idsOf(await store.list()), [sessionId]);
  }),
];

async function createSession(
  store: EventStore,
  sessionId: string,
  options: { readonly startMs?: number; readonly cwd?: string },
): Promise<{ readonly log: OwnedLog; readonly script: EventScript }> {
  const script = createEventScript(sessionId, options.startMs === undefined ? {} : { startMs: options.startMs });
  const log = await store.create(sessionId);
  await log.append([
    script.next({
      type: 'session.created',
      binding: sampleBinding(options.cwd === undefined ? {} : { cwd: options.cwd }),
    }),
  ]);
  return { log, script };
}

async function assertDescribed(store: EventStore, sessionId: string, expected: Record<string, unknown>): Promise<void> {
  const described: Record<string, unknown> = { ...(await store.describe(sessionId)) };
  for (const [field, value] of Object.entries(expected))
    assert.deepEqual(described[field], value, `${field} of the described session`);
}

function question(sessionId: string) {
  return {
    type: 'sign_in' as const,
    id: callbackId,
    sessionId,
    turnId: 'turn-1',
    title: 'Sign in',
    openedAt: '2026-01-01T00:00:00.000Z',
    requests: [{ sourceId: 'source' }],
  };
}

function sessionOn(day: number): string {
  return `00000000-0000-4000-8000-00000000000${day}`;
}

function idsOf(page: { readonly sessions: readonly { readonly sessionId: string }[] }): string[] {
  return page.sessions.map((session) => session.sessionId);
}
