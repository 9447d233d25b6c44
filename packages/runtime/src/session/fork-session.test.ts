import { describe, expect, test } from 'vitest';
import { createMemoryStore } from '../event/memory-store.ts';
import type { EventStore } from '../event/event-store.ts';
import { recordingTool } from '../testing/recording-tool.ts';
import { scriptedModel } from '../testing/scripted-model.ts';
import { call, say, stall } from '../testing/scripted-step.ts';
import { sessionScene, storedEvents, type Scene } from '../testing/session-scene.ts';

async function runIn(scene: Scene, sessionId: string, text: string) {
  const { runtime, bindingId } = scene;
  const content = [{ type: 'text' as const, text }];
  const outcome = await runtime.startTurn({ sessionId, bindingId, content });
  if (outcome.type !== 'started') throw new Error('busy');
  const { signal } = new AbortController();
  for await (const batch of runtime.subscribe(sessionId, { signal })) {
    if (batch.some((event) => event.type === 'turn.ended' && event.turnId === outcome.turnId)) break;
  }
  return await runtime.readTurn({ sessionId, turnId: outcome.turnId });
}

describe('a fork', () => {
  test('without a binding was started with what its source was, is named, and is given up', async () => {
    const act = recordingTool({ name: 'act', results: ['acted'] });
    const scene = await sessionScene({ model: scriptedModel([call('act')]), tools: [act], allowed: [] });
    const turnId = await scene.start('go');
    await scene.until((event) => event.type === 'callback.opened');
    const { sessionId } = await scene.runtime.forkSession({ sessionId: scene.sessionId, title: 'A copy' });
    const info = await scene.runtime.readSession({ sessionId });
    expect(info).toMatchObject({ title: 'A copy', agentName: 'test', cwd: '/work', status: 'waiting', turns: 1 });
    expect(await scene.runtime.readTurn({ sessionId, turnId })).toMatchObject({ type: 'interrupted', cause: 'forked' });
    const created = async (id: string) =>
      (await storedEvents(scene.store, id)).find((event) => event.type === 'session.created');
    expect((await created(sessionId))?.binding).toEqual((await created(scene.sessionId))?.binding);
    // Nobody here holds it: any host may own it.
    expect((await scene.store.acquire(sessionId)).lastSeq).toBeGreaterThan(0);
    expect(await scene.runtime.readTurn({ sessionId: scene.sessionId, turnId })).toMatchObject({ type: 'blocked' });
  });

  test('is a session of its own: its records name it, its keys are free', async () => {
    const model = scriptedModel([say('one'), say('two')]);
    const scene = await sessionScene({ model });
    const turnId = await scene.start('go', { idempotencyKey: 'k1' });
    await scene.ended(turnId);
    const { sessionId } = await scene.runtime.forkSession({ sessionId: scene.sessionId, bindingId: scene.bindingId });
    const record = await scene.runtime.readTurn({ sessionId, turnId });
    expect(record).toMatchObject({ type: 'completed', text: 'one', sessionId });
    expect(record.cursor.startsWith(sessionId)).toBe(true);
    const content = [{ type: 'text' as const, text: 'go' }];
    const { bindingId } = scene;
    const again = await scene.runtime.startTurn({ sessionId, bindingId, content, idempotencyKey: 'k1' });
    expect(again).toMatchObject({ type: 'started', started: true });
    expect('turnId' in again && again.turnId).not.toBe(turnId);
  });

  test('of a running session settles what the cut left open, and the source goes on', async () => {
    const gate = Promise.withResolvers<string>();
    const running = Promise.withResolvers<void>();
    const act = recordingTool({ name: 'act', results: [() => (running.resolve(), gate.promise)] });
    const model = scriptedModel([[call('act'), call('act')], say('in the fork'), say('in the source')]);
    const scene = await sessionScene({ model, tools: [act] });
    const turnId = await scene.start('go');
    await running.promise;
    const { sessionId } = await scene.runtime.forkSession({ sessionId: scene.sessionId, bindingId: scene.bindingId });
    expect(await scene.runtime.readTurn({ sessionId, turnId })).toMatchObject({ type: 'interrupted', cause: 'forked' });
    const results = (await storedEvents(scene.store, sessionId)).filter((event) => event.type === 'tool.completed');
    expect(results.map((event) => event.outcome)).toEqual(['unknown', 'not_started']);
    expect(await runIn(scene, sessionId, 'next')).toMatchObject({ type: 'completed', text: 'in the fork' });
    gate.resolve('acted');
    expect(await scene.ended(turnId)).toMatchObject({ type: 'completed', text: 'in the source' });
    model.assertDone();
  });

  test('of a fork, with what was moved to blobs, goes on without its source', async () => {
    const large = 'x'.repeat(200_000);
    const act = recordingTool({ name: 'act', results: [large] });
    const model = scriptedModel([call('act'), say('read it'), say('in the fork')]);
    const scene = await sessionScene({ model, tools: [act] });
    await scene.run('go');
    const { bindingId } = scene;
    const first = await scene.runtime.forkSession({ sessionId: scene.sessionId, bindingId });
    const second = await scene.runtime.forkSession({ sessionId: first.sessionId, bindingId });
    expect(await runIn(scene, second.sessionId, 'next')).toMatchObject({ type: 'completed', text: 'in the fork' });
    expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain(large);
  });

  test('under an ID that is taken meanwhile leaves the session of that ID alone', async () => {
    const scene = await sessionScene({ model: scriptedModel([say('one')]) });
    const sessionId = '11111111-1111-4111-8111-111111111111';
    const { bindingId } = scene;
    const forking = scene.runtime.forkSession({ sessionId: scene.sessionId, bindingId, newSessionId: sessionId });
    const creating = scene.runtime.createSession({ bindingId, sessionId });
    await creating;
    await expect(forking).rejects.toMatchObject({ code: 'session.exists' });
    expect(await runIn(scene, sessionId, 'go')).toMatchObject({ type: 'completed', text: 'one' });
  });

  test('that cannot be finished holds nothing', async () => {
    const store = createMemoryStore();
    const failing: EventStore = {
      ...store,
      blobs: (sessionId) => ({ ...store.blobs(sessionId), read: () => Promise.reject(new Error('a bad sector')) }),
    };
    const act = recordingTool({ name: 'act', results: ['x'.repeat(200_000)] });
    const scene = await sessionScene({ model: scriptedModel([call('act'), stall()]), tools: [act], store: failing });
    await scene.start('go');
    await scene.until((event) => event.type === 'tool.completed');
    const sessionId = '11111111-1111-4111-8111-111111111111';
    const { bindingId } = scene;
    const forking = scene.runtime.forkSession({ sessionId: scene.sessionId, bindingId, newSessionId: sessionId });
    await expect(forking).rejects.toThrow('a bad sector');
    await (await store.acquire(sessionId)).release();
  });
});
