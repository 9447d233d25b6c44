import type { AnyEvent } from '@rondo/protocol';
import { describe, expect, test } from 'vitest';
import { createMemoryStore } from '../event/memory-store.ts';
import type { EventStore } from '../event/event-store.ts';
import type { Model } from '../model/model.ts';
import { recordingTool } from '../testing/recording-tool.ts';
import { scriptedModel } from '../testing/scripted-model.ts';
import { call, say, stall, type ScriptedStep } from '../testing/scripted-step.ts';
import { storeAfterCrash } from '../testing/session-scene.ts';
import { treeScene, type TreeScene, type TreeSceneOptions } from '../testing/tree-scene.ts';

const spawn = (task = 'work') => call('agents.spawn', { agent: 'helper', task });

/** What another process finds: its models go on where the first one's were. */
async function next(
  scene: TreeScene,
  root: readonly ScriptedStep[],
  helper: readonly ScriptedStep[],
  { keep, ...more }: Partial<Omit<TreeSceneOptions, 'model'>> & { readonly keep?: (event: AnyEvent) => boolean } = {},
) {
  const store = await storeAfterCrash(scene.store, scene.sessionId, keep);
  const act = recordingTool({ name: 'act' });
  const model = scriptedModel(root);
  const agents = [{ name: 'helper', model: scriptedModel(helper) as Model }];
  const options = { tools: [act], allowed: ['act'], ...more, store };
  const opened = await treeScene({ model, agents, ...options }, scene.sessionId);
  return { scene: opened, act, model };
}

async function whole(allowed?: readonly string[], store?: EventStore) {
  const scene = await treeScene({
    model: scriptedModel([spawn(), say('done')]),
    agents: [{ name: 'helper', model: scriptedModel([call('act'), say('helped')]) }],
    ...(allowed === undefined ? {} : { allowed }),
    ...(store === undefined ? {} : { store }),
  });
  const turnId = await scene.start('go');
  return { scene, turnId };
}

const isSpawnResult = (event: AnyEvent): boolean => event.type === 'tool.completed' && event.name === 'agents.spawn';

const spawned = (events: readonly AnyEvent[]) => events.filter((event) => event.type === 'session.created').length - 1;

describe('a call of agents.spawn that a crash cut off', () => {
  /** The last event that was stored, what is left for the models, and how often the agent's tool runs in the next process. */
  const rows: readonly [AnyEvent['type'], 'root' | 'child', readonly ScriptedStep[], number][] = [
    ['tool.started', 'root', [call('act'), say('helped')], 1],
    ['turn.started', 'child', [call('act'), say('helped')], 1],
    ['tool.requested', 'child', [say('helped')], 1],
    ['tool.completed', 'child', [say('helped')], 0],
    ['turn.ended', 'child', [], 0],
    ['session.updated', 'child', [], 0],
  ];

  test.each(rows)('behind %s of the %s goes on in the session that it had begun', async (type, of, helper, runs) => {
    const { scene, turnId } = await whole();
    await scene.ended(turnId);
    const events = await scene.events();
    const isOf = (event: AnyEvent): boolean => (event.sessionId === scene.sessionId) === (of === 'root');
    const last = events.findLast((event) => event.type === type && isOf(event) && !isSpawnResult(event));
    // A batch is whole or not there.
    const birth = events.find(
      ({ sessionId, type: each }) => sessionId !== scene.sessionId && each === 'entry.completed',
    );
    const until = Math.max(last?.seq ?? 0, birth?.seq ?? 0);
    const after = await next(scene, [say('done')], helper, { keep: ({ seq }) => seq <= until });
    const { sessionId, bindingId, runtime } = after.scene;
    await runtime.openSession({ sessionId, bindingId, unfinished: 'continue' });
    expect(await after.scene.ended(turnId)).toMatchObject({ type: 'completed', text: 'done' });
    const all = await after.scene.events();
    expect(spawned(all)).toBe(1);
    expect(after.act.calls).toHaveLength(runs);
    expect(all.filter(isSpawnResult)).toMatchObject([{ isError: false, content: [{ text: 'helped' }] }]);
  });

  test('before the agent had begun starts it, once', async () => {
    const { scene, turnId } = await whole();
    await scene.ended(turnId);
    const requested = (await scene.events()).find(({ type }) => type === 'tool.requested');
    const after = await next(scene, [say('done')], [call('act'), say('helped')], {
      keep: ({ seq }) => seq <= (requested?.seq ?? 0),
    });
    const { sessionId, bindingId, runtime } = after.scene;
    await runtime.openSession({ sessionId, bindingId, unfinished: 'continue' });
    expect(await after.scene.ended(turnId)).toMatchObject({ type: 'completed' });
    expect(spawned(await after.scene.events())).toBe(1);
  });

  test('is settled together with the agent’s turn, which ends first', async () => {
    const { scene, turnId } = await whole([]);
    await scene.untilInTree((event) => event.type === 'callback.opened');
    const after = await next(scene, [], []);
    const { sessionId, bindingId, runtime } = after.scene;
    const opened = await runtime.openSession({ sessionId, bindingId, unfinished: 'settle' });
    expect(opened.session.status).toBe('waiting');
    const events = await after.scene.events();
    const ended = events.filter((event) => event.type === 'turn.ended');
    expect(ended.map((event) => [event.sessionId === sessionId, event.record])).toEqual([
      [false, expect.objectContaining({ type: 'interrupted', cause: 'crashed' })],
      [true, expect.objectContaining({ type: 'interrupted', cause: 'crashed' })],
    ]);
    expect(events.filter(isSpawnResult)).toMatchObject([
      { isError: true, content: [{ text: expect.stringContaining('helper was interrupted') as string }] },
    ]);
    expect(await after.scene.read(sessionId, turnId)).toMatchObject({ type: 'interrupted' });
  });
});

describe('a question of an agent', () => {
  test('keeps its ID over restarts, and is answered by a process that has nothing else of the session', async () => {
    let scene = (await whole([])).scene;
    const opened = await scene.untilInTree((event) => event.type === 'callback.opened');
    const id = opened.type === 'callback.opened' && opened.callback.type !== 'unknown' ? opened.callback.id : '';
    for (let restarts = 0; restarts < 3; restarts += 1) {
      const after = await next(scene, [], [], { allowed: [] });
      scene = after.scene;
      const { sessionId, bindingId } = scene;
      await scene.runtime.openSession({ sessionId, bindingId, unfinished: 'continue' });
      const turnId = await scene.turnOf(sessionId);
      const record = await scene.read(sessionId, turnId);
      expect(record).toMatchObject({ type: 'blocked', callbacks: [{ id, sessionId: opened.sessionId }] });
    }
    // Nobody has it open now: the answer is stored, and nothing runs.
    const idle = await next(scene, [], [], { allowed: [] });
    const { sessionId } = idle.scene;
    const answered = await idle.scene.runtime.answerCallback({
      sessionId,
      callbackId: id,
      answer: { type: 'allow' },
    });
    expect(answered).toMatchObject({ type: 'answered', sessionId: opened.sessionId });
    expect(idle.act.calls).toHaveLength(0);
    expect((await idle.scene.runtime.readSession({ sessionId })).status).toBe('running');
    const last = await next(idle.scene, [say('done')], [say('helped')], { allowed: [] });
    const { bindingId, runtime } = last.scene;
    await runtime.openSession({ sessionId, bindingId, unfinished: 'continue' });
    const turnId = await last.scene.turnOf(sessionId);
    expect(await last.scene.ended(turnId)).toMatchObject({ type: 'completed', text: 'done' });
    expect(last.act.calls).toHaveLength(1);
  });

  test('is answered while its turn is parked, and the turn stays so until a host has what it needs', async () => {
    const { scene, turnId } = await whole([]);
    const opened = await scene.untilInTree((event) => event.type === 'callback.opened');
    const callbackId =
      opened.type === 'callback.opened' && opened.callback.type !== 'unknown' ? opened.callback.id : '';
    const elsewhere = await next(scene, [], [], { allowed: [], binding: { cwd: '/elsewhere' } });
    const { sessionId, bindingId, runtime } = elsewhere.scene;
    const parked = await runtime.openSession({ sessionId, bindingId, unfinished: 'continue' });
    expect(parked.parked).toEqual(['folder /work']);
    await runtime.answerCallback({ sessionId, callbackId, answer: { type: 'allow' } });
    expect(await elsewhere.scene.read(sessionId, turnId)).toMatchObject({ type: 'running' });
    expect((await elsewhere.scene.events()).at(-1)).toMatchObject({
      type: 'notice',
      details: { status: 'parked', missing: ['folder /work'] },
    });
    expect((await runtime.openSession({ sessionId, bindingId, unfinished: 'continue' })).parked).toBeDefined();
    const back = await next(elsewhere.scene, [say('done')], [say('helped')], { allowed: [] });
    await back.scene.runtime.openSession({ sessionId, bindingId: back.scene.bindingId, unfinished: 'continue' });
    expect(await back.scene.ended(turnId)).toMatchObject({ type: 'completed', text: 'done' });
  });
});

describe('a tree', () => {
  test('is parked where an agent that is at work is not defined, and interrupt settles it', async () => {
    const { scene, turnId } = await whole([]);
    await scene.untilInTree((event) => event.type === 'callback.opened');
    const after = await next(scene, [], [], { allowed: [], agents: [] });
    const { sessionId, bindingId, runtime } = after.scene;
    const opened = await runtime.openSession({ sessionId, bindingId, unfinished: 'continue' });
    expect(opened.parked).toEqual(['agent "helper"']);
    expect(await runtime.interruptTurn({ sessionId, turnId })).toEqual({ type: 'accepted', turnId });
    expect(await after.scene.read(sessionId, turnId)).toMatchObject({ type: 'interrupted' });
  });
});

describe('recovery of a host', () => {
  /** Sessions of two agents in one store, unfinished, whose process is gone. */
  async function left() {
    const memory = { ...createMemoryStore(), close: () => Promise.resolve() };
    const scenes = [];
    for (const agent of ['one', 'two']) {
      const scene = await treeScene({
        model: scriptedModel([stall()]),
        agents: [],
        binding: { agent: { name: agent, fingerprint: 'f1' } },
        store: memory,
      });
      const turnId = await scene.start('go');
      scenes.push({ sessionId: scene.sessionId, turnId, scene });
    }
    for (const { scene } of scenes) await scene.runtime.close();
    return { store: memory, scenes };
  }

  async function host(
    store: EventStore,
    fingerprint = 'f1',
    binding: TreeSceneOptions['binding'] = {},
    model = scriptedModel([say('went on')]),
  ) {
    const agent = { name: 'one', fingerprint };
    return await treeScene({ model, agents: [], binding: { agent, ...binding }, store });
  }

  test('goes on with the unfinished sessions of the agents that it serves, and with no others', async () => {
    const { store, scenes } = await left();
    const serving = await host(store);
    const [one, two] = scenes;
    const recovered = await serving.runtime.recover({ bindingIds: [serving.bindingId] });
    expect(recovered).toEqual([{ sessionId: one?.sessionId, outcome: 'continued' }]);
    const { signal } = new AbortController();
    for await (const batch of serving.runtime.subscribe(one?.sessionId ?? '', { signal }))
      if (batch.some(({ type }) => type === 'turn.ended')) break;
    expect(await serving.read(one?.sessionId ?? '', one?.turnId ?? '')).toMatchObject({ text: 'went on' });
    expect(await serving.read(two?.sessionId ?? '', two?.turnId ?? '')).toMatchObject({ type: 'running' });
  });

  test.each([
    ['another definition of the agent', 'f2', {}, ['agent "one" as it was defined then']],
    ['another folder', 'f1', { cwd: '/elsewhere' }, ['folder /work']],
  ])('parks what it cannot go on with: %s', async (_, fingerprint, binding, missing) => {
    const { store, scenes } = await left();
    const serving = await host(store, fingerprint, binding);
    const sessionId = scenes[0]?.sessionId ?? '';
    const recover = () => serving.runtime.recover({ bindingIds: [serving.bindingId] });
    expect(await recover()).toEqual([{ sessionId, outcome: 'parked', missing }]);
    expect(await serving.read(sessionId, scenes[0]?.turnId ?? '')).toMatchObject({ type: 'running' });
    const notices = async () => {
      const events = [];
      for await (const event of store.read(sessionId)) if (event.type === 'notice') events.push(event.details);
      return events;
    };
    expect(await notices()).toEqual([{ status: 'parked', missing }]);
    // It is nobody's, so that a host which has what is missing can take it.
    const other = await host(store);
    expect(await other.runtime.recover({ bindingIds: [other.bindingId] })).toEqual([
      { sessionId, outcome: 'continued' },
    ]);
  });

  test('leaves what another process has', async () => {
    const { store, scenes } = await left();
    const first = await host(store, 'f1', {}, scriptedModel([stall()]));
    await first.runtime.recover({ bindingIds: [first.bindingId] });
    const second = await host(store);
    expect(await second.runtime.recover({ bindingIds: [second.bindingId] })).toEqual([
      { sessionId: scenes[0]?.sessionId, outcome: 'in_use' },
    ]);
  });
});
