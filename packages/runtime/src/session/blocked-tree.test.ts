import type { AnyEvent, TurnRecord } from '@rondo/protocol';
import { describe, expect, test } from 'vitest';
import { createMemoryStore } from '../event/memory-store.ts';
import { recordingTool } from '../testing/recording-tool.ts';
import { scriptedModel } from '../testing/scripted-model.ts';
import { call, say } from '../testing/scripted-step.ts';
import { agentOf, treeScene } from '../testing/tree-scene.ts';

const spawn = (agent: string) => call('agents.spawn', { agent, task: 'work' });

/** A root whose agent's agent asks before it acts. */
async function asking(more: { readonly allowed?: readonly string[] } = {}) {
  const act = recordingTool({ name: 'act', results: ['acted', 'again'] });
  const deep = agentOf({ name: 'deep', model: scriptedModel([call('act', { n: 1 }), say('deep done')]) });
  const scene = await treeScene({
    model: scriptedModel([say('first answer'), spawn('middle'), say('root done'), say('more')]),
    agents: [{ name: 'middle', model: scriptedModel([spawn('deep'), say('middle done')]), subagents: [deep] }],
    tools: [act],
    allowed: [],
    ...more,
  });
  const earlier = await scene.run('hello');
  const turnId = await scene.start('go');
  const opened = await scene.untilInTree((event) => event.type === 'callback.opened');
  await scene.runtime.readSession({ sessionId: scene.sessionId });
  const [, middle = '', deepId = ''] = await scene.sessionIds();
  const callbackId = opened.type === 'callback.opened' && opened.callback.type !== 'unknown' ? opened.callback.id : '';
  return { scene, act, earlier, turnId, callbackId, opened, middle, deepId };
}

const updates = (events: readonly AnyEvent[], sessionId: string) =>
  events.flatMap((event) => (event.type === 'turn.updated' && event.sessionId === sessionId ? [event.status] : []));

const callbacksOf = (record: TurnRecord) => (record.type === 'blocked' ? record.callbacks : []);

describe('a question of an agent at any depth', () => {
  test('subagent.blocked.anyDepth, subagent.blocked.callbackIds: blocks every turn above it, and stays its own', async () => {
    const { scene, turnId, callbackId, opened, middle, deepId } = await asking();
    for (const sessionId of [scene.sessionId, middle, deepId]) {
      const record = await scene.read(
        sessionId,
        sessionId === scene.sessionId ? turnId : await scene.turnOf(sessionId),
      );
      expect(callbacksOf(record)).toEqual([expect.objectContaining({ id: callbackId, sessionId: deepId })]);
      expect((await scene.runtime.readSession({ sessionId })).status).toBe('blocked');
    }
    const [callback] = callbacksOf(await scene.read(scene.sessionId, turnId));
    expect(callback).toEqual(opened.type === 'callback.opened' ? opened.callback : undefined);
    expect(callback).toMatchObject({ seq: opened.seq });
  });

  test('subagent.blocked.activeTurnOnly: leaves an earlier turn as it ended', async () => {
    const { scene, earlier } = await asking();
    expect(await scene.read(scene.sessionId, earlier.turnId)).toMatchObject({
      type: 'completed',
      text: 'first answer',
    });
  });

  test('is told to those above in the batch that opens it, and again in the one that settles it', async () => {
    const { scene, turnId, callbackId, opened, middle } = await asking();
    const blocked = (await scene.events()).filter(({ seq }) => seq > opened.seq);
    expect(blocked.map(({ type, sessionId }) => [type, sessionId])).toContainEqual(['turn.updated', scene.sessionId]);
    await scene.runtime.answerCallback({ sessionId: scene.sessionId, callbackId, answer: { type: 'allow' } });
    expect(await scene.ended(turnId)).toMatchObject({ type: 'completed', text: 'root done' });
    const events = await scene.events();
    expect(updates(events, scene.sessionId)).toEqual(['blocked', 'running']);
    expect(updates(events, middle)).toEqual(['blocked', 'running']);
  });

  test('answer.subagent.routedToOwner, answer.subagent.recordNamesOwner: answered at the root it is settled in its own session', async () => {
    const { scene, act, turnId, callbackId, deepId } = await asking();
    const outcome = await scene.runtime.answerCallback({
      sessionId: scene.sessionId,
      callbackId,
      answer: { type: 'allow' },
    });
    expect(outcome).toMatchObject({ type: 'answered', sessionId: deepId });
    await scene.ended(turnId);
    expect(act.calls).toHaveLength(1);
    const resolved = (await scene.events()).filter(({ type }) => type === 'callback.resolved');
    expect(resolved.map(({ sessionId }) => sessionId)).toEqual([deepId]);
  });

  test('answer.subagent.closedOnRootNotFound, answer.subagent.closedOnOwnerAlreadySettled: once settled its owner alone knows it', async () => {
    const { scene, turnId, callbackId, middle, deepId } = await asking();
    const answer = { type: 'deny' } as const;
    await scene.runtime.answerCallback({ sessionId: middle, callbackId, answer });
    const again = (sessionId: string) => scene.runtime.answerCallback({ sessionId, callbackId, answer });
    expect(await again(scene.sessionId)).toEqual({ type: 'notFound' });
    expect(await again(middle)).toEqual({ type: 'notFound' });
    expect(await again(deepId)).toEqual({ type: 'alreadySettled', sessionId: deepId });
    await scene.ended(turnId);
    expect(await again(scene.sessionId)).toEqual({ type: 'notFound' });
    expect(await again(deepId)).toEqual({ type: 'alreadySettled', sessionId: deepId });
  });

  test('allowed for the session is allowed in the whole tree', async () => {
    const act = recordingTool({ name: 'act' });
    const scene = await treeScene({
      model: scriptedModel([spawn('helper'), call('act', { n: 1 }), say('done')]),
      agents: [{ name: 'helper', model: scriptedModel([call('act', { n: 1 }), say('ok')]) }],
      tools: [act],
      allowed: [],
    });
    const turnId = await scene.start('go');
    const opened = await scene.untilInTree((event) => event.type === 'callback.opened');
    const callbackId =
      opened.type === 'callback.opened' && opened.callback.type !== 'unknown' ? opened.callback.id : '';
    const answer = { type: 'allow', scope: 'session' } as const;
    await scene.runtime.answerCallback({ sessionId: scene.sessionId, callbackId, answer });
    expect(await scene.ended(turnId)).toMatchObject({ type: 'completed' });
    expect(act.calls).toHaveLength(2);
  });
});

describe('two questions below', () => {
  async function twice() {
    const scene = await treeScene({
      model: scriptedModel([[spawn('one'), spawn('two')], say('done')]),
      agents: ['one', 'two'].map((name) => ({ name, model: scriptedModel([call('act'), say(name)]) })),
      allowed: [],
    });
    const turnId = await scene.start('go');
    let opened = 0;
    await scene.untilInTree((event) => event.type === 'callback.opened' && ++opened === 2);
    await scene.runtime.readSession({ sessionId: scene.sessionId });
    const callbacks = callbacksOf(await scene.read(scene.sessionId, turnId));
    const ids = callbacks.map((callback) => (callback.type === 'unknown' ? '' : callback.id));
    return { scene, turnId, ids };
  }

  test('keep the turn blocked until the last one is settled', async () => {
    const { scene, turnId, ids } = await twice();
    expect(ids).toHaveLength(2);
    const statuses: string[] = [];
    for (const callbackId of ids) {
      await scene.runtime.answerCallback({ sessionId: scene.sessionId, callbackId, answer: { type: 'deny' } });
      statuses.push((await scene.read(scene.sessionId, turnId)).type);
    }
    expect(statuses[0]).toBe('blocked');
    await scene.ended(turnId);
    expect(updates(await scene.events(), scene.sessionId)).toEqual(['blocked', 'blocked', 'running']);
  });

  test('error.answer.ambiguousAcrossSubagents: under one ID are answered at their owners alone', async () => {
    const { scene, turnId, ids } = await twice();
    await scene.runtime.close();
    const [first = '', second = ''] = ids;
    // No host of ours gives two questions one ID: the log is written as another's might be.
    const store = createMemoryStore();
    const log = await store.create(scene.sessionId);
    for (const event of await scene.events()) {
      const json = JSON.stringify(event).replaceAll(second, first);
      await log.append([{ event: JSON.parse(json) as never, json }]);
    }
    await log.release();
    const { runtime } = await treeScene({ model: scriptedModel([]), agents: [], store }, scene.sessionId);
    const answer = { type: 'deny' } as const;
    const { sessionId } = scene;
    await expect(runtime.answerCallback({ sessionId, callbackId: first, answer })).rejects.toMatchObject({
      code: 'answer.unfit',
    });
    const record = await runtime.readTurn({ sessionId, turnId });
    expect(callbacksOf(record)).toHaveLength(2);
    const [, one = ''] = await scene.sessionIds();
    expect(await runtime.answerCallback({ sessionId: one, callbackId: first, answer })).toMatchObject({
      type: 'answered',
      sessionId: one,
    });
  });
});
