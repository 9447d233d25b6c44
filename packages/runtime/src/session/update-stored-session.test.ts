import { expect, test } from 'vitest';
import { createMemoryStore } from '../event/memory-store.ts';
import { recordingTool } from '../testing/recording-tool.ts';
import { scriptedModel } from '../testing/scripted-model.ts';
import { call, say } from '../testing/scripted-step.ts';
import { sessionScene } from '../testing/session-scene.ts';

/** A session with a question open, whose process is gone: its store outlives the runtime's close. */
async function leftBlocked() {
  const memory = createMemoryStore();
  const store = { ...memory, close: () => Promise.resolve() };
  const act = recordingTool({ name: 'act', results: ['acted'] });
  const options = { tools: [act], allowed: [], store };
  const former = await sessionScene({ ...options, model: scriptedModel([call('act')]) });
  const turnId = await former.start('go');
  await former.until((event) => event.type === 'callback.opened');
  await former.runtime.close();
  const scene = await sessionScene({ ...options, model: scriptedModel([say('done')]) }, former.sessionId);
  return { former, scene, sessionId: former.sessionId, turnId };
}

test('a stored session is named without a binding, and what it left unfinished stays so', async () => {
  const { scene, sessionId, turnId } = await leftBlocked();
  const { runtime } = scene;
  const named = await runtime.updateSession({ sessionId, title: 'A title', tag: 'red' });
  expect(named).toMatchObject({ title: 'A title', tag: 'red', status: 'blocked', activeTurnId: turnId });
  expect(await runtime.readTurn({ sessionId, turnId })).toMatchObject({ type: 'blocked' });
  expect((await runtime.updateSession({ sessionId, tag: null })).tag).toBeUndefined();
  expect(await runtime.readSession({ sessionId })).toMatchObject({ title: 'A title', activeTurnId: turnId });
});

test('naming, opening and naming at once wait for each other', async () => {
  const { scene, sessionId, turnId } = await leftBlocked();
  const { runtime, bindingId } = scene;
  const [, opened] = await Promise.all([
    runtime.updateSession({ sessionId, title: 'one' }),
    runtime.openSession({ sessionId, bindingId, unfinished: 'settle' }),
    runtime.updateSession({ sessionId, tag: 'two' }),
  ]);
  expect(opened.session.title).toBe('one');
  expect(await runtime.readSession({ sessionId })).toMatchObject({ title: 'one', tag: 'two', status: 'waiting' });
  expect(await runtime.readTurn({ sessionId, turnId })).toMatchObject({ type: 'interrupted', cause: 'crashed' });
});

test('a session that another host owns is not named', async () => {
  const store = createMemoryStore();
  const owner = await sessionScene({ model: scriptedModel([]), store });
  const other = await sessionScene({ model: scriptedModel([]), store }, owner.sessionId);
  await expect(other.runtime.updateSession({ sessionId: owner.sessionId, title: 'x' })).rejects.toMatchObject({
    code: 'session.in_use',
  });
  expect((await owner.events()).map(({ type }) => type)).not.toContain('session.updated');
});

test('rules are still given only to a session that is open', async () => {
  const { scene, sessionId } = await leftBlocked();
  await expect(scene.runtime.updateSession({ sessionId, permissionMode: 'plan' })).rejects.toMatchObject({
    code: 'session.busy',
  });
});
