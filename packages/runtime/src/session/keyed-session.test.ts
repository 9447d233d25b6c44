import { expect, test } from 'vitest';
import { createRuntime } from '../create-runtime.ts';
import { createMemoryStore } from '../event/memory-store.ts';
import { scriptedModel } from '../testing/scripted-model.ts';
import { say } from '../testing/scripted-step.ts';
import { sceneBinding } from '../testing/session-scene.ts';
import { sha256 } from '../testing/temporary-binding.ts';
import { keyedSessionId } from './keyed-session.ts';

const store = () => ({ ...createMemoryStore(), close: () => Promise.resolve() });

function process(shared: ReturnType<typeof store>, agent = { name: 'test', fingerprint: 'f1' }) {
  const runtime = createRuntime({ store: shared, sha256 });
  const bindingId = runtime.bind(sceneBinding({ model: scriptedModel([say('ok')]), binding: { agent } }));
  return { runtime, bindingId };
}

test('a key makes one session, at once, after a restart and in another process', async () => {
  const shared = store();
  const { runtime, bindingId } = process(shared);
  const params = { bindingId, idempotencyKey: 'alert:4711', title: 'an alert' };
  const [first, second] = await Promise.all([runtime.createSession(params), runtime.createSession(params)]);
  expect(second).toEqual(first);
  const other = process(shared);
  expect(await other.runtime.createSession({ ...params, bindingId: other.bindingId })).toEqual(first);
  await runtime.close();
  const restarted = process(shared);
  expect(await restarted.runtime.createSession({ ...params, bindingId: restarted.bindingId })).toEqual(first);
  // The agent has been worked on since: the event that comes again is still the same.
  const changed = process(shared, { name: 'test', fingerprint: 'f2' });
  expect(await changed.runtime.createSession({ ...params, bindingId: changed.bindingId })).toEqual(first);
  expect((await restarted.runtime.listSessions({})).sessions).toHaveLength(1);
});

test('a key that comes again keeps nobody from the session meanwhile', async () => {
  const { runtime, bindingId } = process(store());
  const { sessionId } = await runtime.createSession({ bindingId, idempotencyKey: 'k' });
  await runtime.closeSession({ sessionId });
  const content = [{ type: 'text' as const, text: 'go' }];
  const [again, started] = await Promise.all([
    runtime.createSession({ bindingId, idempotencyKey: 'k' }),
    runtime.startTurn({ sessionId, bindingId, content }),
  ]);
  expect(again).toEqual({ sessionId });
  expect(started.type).toBe('started');
});

test('a key that is used with other content is refused, also after a restart, and nothing is created', async () => {
  const shared = store();
  const { runtime, bindingId } = process(shared);
  const { sessionId } = await runtime.createSession({ bindingId, idempotencyKey: 'k', title: 'one' });
  const conflict = { code: 'session.idempotency_conflict', details: { sessionId, idempotencyKey: 'k' } };
  const other = { bindingId, idempotencyKey: 'k', title: 'two' };
  await expect(runtime.createSession(other)).rejects.toMatchObject(conflict);
  await runtime.close();
  const again = process(shared);
  await expect(again.runtime.createSession({ ...other, bindingId: again.bindingId })).rejects.toMatchObject(conflict);
  expect((await again.runtime.listSessions({})).sessions).toHaveLength(1);
});

test('the same key of another agent is another session, which still exists when it has ended', async () => {
  const shared = store();
  const one = process(shared);
  const two = process(shared, { name: 'other', fingerprint: 'f1' });
  const first = await one.runtime.createSession({ bindingId: one.bindingId, idempotencyKey: 'k' });
  const second = await two.runtime.createSession({ bindingId: two.bindingId, idempotencyKey: 'k' });
  expect(second).not.toEqual(first);
  await one.runtime.cancelSession(first);
  expect(await one.runtime.createSession({ bindingId: one.bindingId, idempotencyKey: 'k' })).toEqual(first);
});

test('a session that was created without the key is not its session', async () => {
  const { runtime, bindingId } = process(store());
  const sessionId = keyedSessionId('test', 'k', sha256);
  await runtime.createSession({ bindingId, sessionId });
  await expect(runtime.createSession({ bindingId, idempotencyKey: 'k' })).rejects.toMatchObject({
    code: 'session.exists',
  });
});

test('a keyed session is named by a UUID', () => {
  for (const key of ['a', 'b', 'c', 'alert:4711'])
    expect(keyedSessionId('agent', key, sha256)).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
});
