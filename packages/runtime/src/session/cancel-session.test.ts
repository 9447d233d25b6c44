import { describe, expect, test, vi } from 'vitest';
import { createMemoryStore } from '../event/memory-store.ts';
import { recordingTool } from '../testing/recording-tool.ts';
import { scriptedModel } from '../testing/scripted-model.ts';
import { call, say, stall } from '../testing/scripted-step.ts';
import { sessionScene } from '../testing/session-scene.ts';
import { agentOf, treeScene } from '../testing/tree-scene.ts';

const content = [{ type: 'text' as const, text: 'more' }];
const spawn = (agent: string) => call('agents.spawn', { agent, task: 'work' });

/** A root whose agent, and whose agent's agent, are at work. */
async function working(store = createMemoryStore()) {
  const act = recordingTool({ name: 'act', results: [(_, { signal }) => untilAborted(signal)] });
  const deep = agentOf({ name: 'deep', model: scriptedModel([call('act')]) });
  const scene = await treeScene({
    model: scriptedModel([spawn('middle')]),
    agents: [{ name: 'middle', model: scriptedModel([spawn('deep')]), subagents: [deep] }],
    tools: [act],
    store,
  });
  const turnId = await scene.start('go');
  await vi.waitFor(() => expect(act.calls).toHaveLength(1));
  const [, middle = '', deepId = ''] = await scene.sessionIds();
  return { scene, turnId, middle, deepId };
}

function untilAborted(signal: AbortSignal): Promise<string> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve('stopped'), { once: true }));
}

describe('cancelling', () => {
  test('session.cancel.endsSession, session.cancel.interruptsRunningTurns: ends the session, and its turn as cancelled', async () => {
    const scene = await sessionScene({ model: scriptedModel([stall()]) });
    const turnId = await scene.start('go');
    const seen: string[] = [];
    const { signal } = new AbortController();
    const following = (async () => {
      for await (const batch of scene.runtime.subscribe(scene.sessionId, { signal }))
        seen.push(...batch.map((event) => event.type));
    })();
    await scene.runtime.cancelSession({ sessionId: scene.sessionId });
    await following;
    expect(seen.slice(-2)).toEqual(['turn.ended', 'session.updated']);
    const { sessionId, runtime } = scene;
    expect(await runtime.readTurn({ sessionId, turnId })).toMatchObject({ type: 'interrupted', cause: 'cancelled' });
    expect(await runtime.readSession({ sessionId })).toMatchObject({
      status: 'terminated',
      termination: { type: 'cancelled' },
    });
  });

  test('session.cancel.endsSubagents, subagent.stop.throughRootCancel: ends everything below, deepest first', async () => {
    const { scene, turnId, middle, deepId } = await working();
    await scene.runtime.cancelSession({ sessionId: scene.sessionId });
    for (const sessionId of [scene.sessionId, middle, deepId])
      expect(await scene.runtime.readSession({ sessionId })).toMatchObject({ status: 'terminated' });
    const turns = [await scene.turnOf(deepId), await scene.turnOf(middle), turnId];
    const ended = (await scene.events()).flatMap((event) =>
      event.type === 'turn.ended' ? [{ turnId: event.turnId, record: event.record }] : [],
    );
    expect(ended.map((event) => event.turnId)).toEqual(turns);
    expect(ended.map(({ record }) => record)).toEqual(
      Array.from(turns, () => expect.objectContaining({ type: 'interrupted', cause: 'cancelled' }) as object),
    );
  });

  test('session.cancel.endedUnchanged: once more changes nothing', async () => {
    const { scene } = await working();
    const { sessionId, runtime } = scene;
    await Promise.all([runtime.cancelSession({ sessionId }), runtime.cancelSession({ sessionId })]);
    const before = await scene.events();
    await runtime.cancelSession({ sessionId });
    expect(await scene.events()).toEqual(before);
    expect(before.filter(({ type }) => type === 'session.updated')).toHaveLength(3);
  });

  test('session.cancel.historyReadable: nothing more is accepted, and all of it can be read', async () => {
    const { scene, turnId } = await working();
    const { sessionId, bindingId, runtime } = scene;
    await runtime.cancelSession({ sessionId });
    const terminated = { code: 'session.terminated' };
    await expect(runtime.startTurn({ sessionId, bindingId, content })).rejects.toMatchObject(terminated);
    await expect(runtime.sendMessage({ sessionId, bindingId, content, delivery: 'next' })).rejects.toMatchObject(
      terminated,
    );
    await expect(runtime.updateSession({ sessionId, title: 'late' })).rejects.toMatchObject(terminated);
    const page = await runtime.readEvents({ sessionId });
    expect(page.events.at(-1)).toMatchObject({ type: 'session.updated', status: 'terminated' });
    expect((await runtime.listHistory({ sessionId })).items).not.toHaveLength(0);
    expect(await runtime.interruptTurn({ sessionId, turnId })).toEqual({ type: 'conflict' });
    expect((await runtime.listSessions({ status: 'terminated' })).sessions.map(({ id }) => id)).toEqual([sessionId]);
    expect((await runtime.listSessions({ status: 'running' })).sessions).toEqual([]);
  });

  test('whoever stops following an ended session is told nothing, as of one at work', async () => {
    const scene = await sessionScene({ model: scriptedModel([say('done')]) });
    const { sessionId, runtime } = scene;
    await scene.run('go');
    await runtime.cancelSession({ sessionId });
    const leaving = new AbortController();
    const seen: number[] = [];
    for await (const batch of runtime.subscribe(sessionId, { signal: leaving.signal })) {
      seen.push(batch.length);
      leaving.abort();
    }
    expect(seen).toEqual([1]);
  });

  test('subagent.cancel.notAlone: is refused for an agent, which goes on', async () => {
    const { scene, middle } = await working();
    await expect(scene.runtime.cancelSession({ sessionId: middle })).rejects.toMatchObject({
      code: 'session.procedure_unsupported',
      details: { sessionId: middle },
    });
    expect((await scene.runtime.readSession({ sessionId: middle })).status).toBe('running');
  });

  test('does not wait for what never comes before a turn starts, and that turn is refused', async () => {
    const asked = Promise.withResolvers<void>();
    const { promise, resolve } = Promise.withResolvers<string>();
    const environment = (): Promise<string> => {
      asked.resolve();
      return promise;
    };
    const scene = await sessionScene({ model: scriptedModel([]), binding: { environment } });
    const { sessionId, runtime } = scene;
    const starting = scene.start('go');
    await asked.promise;
    await runtime.cancelSession({ sessionId });
    resolve('late');
    await expect(starting).rejects.toMatchObject({ code: 'session.terminated' });
    expect((await scene.events()).map(({ type }) => type)).not.toContain('turn.started');
  });

  test('takes back what was waiting to be said', async () => {
    const scene = await sessionScene({ model: scriptedModel([stall()]) });
    await scene.start('go');
    const { messageId } = await scene.send('later', { delivery: 'next' });
    await scene.runtime.cancelSession({ sessionId: scene.sessionId });
    const cancelled = (await scene.events()).filter((event) => event.type === 'message.cancelled');
    expect(cancelled).toMatchObject([{ messageId, reason: 'session_cancelled' }]);
  });

  test('works for a session that nobody has open, and what a crash had left is settled', async () => {
    const store = { ...createMemoryStore(), close: () => Promise.resolve() };
    const { scene, turnId, deepId } = await working(store);
    await scene.runtime.close();
    const other = await treeScene({ model: scriptedModel([]), agents: [], store }, scene.sessionId);
    await other.runtime.cancelSession({ sessionId: scene.sessionId });
    expect(await other.read(scene.sessionId, turnId)).toMatchObject({ type: 'interrupted', cause: 'cancelled' });
    expect(await other.runtime.readSession({ sessionId: deepId })).toMatchObject({ status: 'terminated' });
  });
});

describe('a turn of an ended session', () => {
  test.each([
    ['cancelled', { type: 'interrupted', cause: 'cancelled' }],
    ['failed', { type: 'failed', error: { message: 'the disk is gone' } }],
    ['completed', { type: 'interrupted', cause: 'session_ended' }],
  ] as const)(
    'turn.get.endedSessionNeverRunning, turn.get.endedSessionReflectsEnd, turn.get.cancelledSessionInterrupted: without an end of its own takes the session’s: %s',
    async (type, record) => {
      const scene = await sessionScene({ model: scriptedModel([stall()]) });
      const turnId = await scene.start('go');
      const { sessionId } = scene;
      const store = createMemoryStore();
      const log = await store.create(sessionId);
      const events = await scene.events();
      const seq = (events.at(-1)?.seq ?? 0) + 1;
      const termination = { type, message: 'the disk is gone' };
      const end = {
        ...events[0],
        type: 'session.updated',
        seq,
        id: `${sessionId}:${seq}`,
        status: 'terminated',
        termination,
      };
      for (const event of [...events, end]) await log.append([{ event: event as never, json: JSON.stringify(event) }]);
      const other = await sessionScene({ model: scriptedModel([]), store }, sessionId);
      const read = await other.runtime.readTurn({ sessionId, turnId });
      expect(read).toMatchObject({ ...record, cursor: `${sessionId}:${seq}` });
    },
  );
});

describe('interrupting', () => {
  test('a turn interrupts the agents that work for it, and ends last', async () => {
    const { scene, turnId, middle, deepId } = await working();
    const { sessionId } = scene;
    expect(await scene.runtime.interruptTurn({ sessionId, turnId })).toEqual({ type: 'accepted', turnId });
    const ended = (await scene.events()).filter(({ type }) => type === 'turn.ended');
    expect(ended.map((event) => event.sessionId)).toEqual([deepId, middle, sessionId]);
    for (const event of ended) expect(event).toMatchObject({ record: { type: 'interrupted', cause: 'interrupted' } });
    expect((await scene.runtime.readSession({ sessionId })).status).toBe('waiting');
  });

  test('subagent.handle.interruptAllowed: an agent’s turn alone fails the call with what happened', async () => {
    const { scene, turnId, middle, deepId } = await working();
    const agentTurn = await scene.turnOf(middle);
    const outcome = await scene.runtime.interruptTurn({ sessionId: middle, turnId: agentTurn });
    expect(outcome).toEqual({ type: 'accepted', turnId: agentTurn });
    expect(await scene.read(middle, agentTurn)).toMatchObject({ type: 'interrupted', cause: 'interrupted' });
    expect((await scene.runtime.readSession({ sessionId: deepId })).status).toBe('terminated');
    await scene.until((event) => event.type === 'tool.completed');
    const completed = (await scene.eventsOf(scene.sessionId)).find((event) => event.type === 'tool.completed');
    expect(JSON.stringify(completed)).toContain('The agent middle was interrupted before it was done');
    await scene.runtime.interruptTurn({ sessionId: scene.sessionId, turnId });
  });

  test('is bounded while an agent’s tool ignores its signal', async () => {
    vi.useFakeTimers();
    try {
      const began = Promise.withResolvers<void>();
      const deaf = recordingTool({ name: 'act', results: [() => (began.resolve(), new Promise<string>(() => {}))] });
      const scene = await treeScene({
        model: scriptedModel([spawn('helper')]),
        agents: [{ name: 'helper', model: scriptedModel([call('act')]) }],
        tools: [deaf],
      });
      const turnId = await scene.start('go');
      await began.promise;
      const interrupting = scene.runtime.interruptTurn({ sessionId: scene.sessionId, turnId });
      await vi.advanceTimersByTimeAsync(5000);
      expect(await interrupting).toEqual({ type: 'accepted', turnId });
      const ended = (await scene.events()).filter(({ type }) => type === 'turn.ended');
      expect(ended.map(({ sessionId }) => sessionId === scene.sessionId)).toEqual([false, true]);
    } finally {
      vi.useRealTimers();
    }
  });
});

test('what has nothing to settle in a session that nobody has open writes nothing', async () => {
  const store = { ...createMemoryStore(), close: () => Promise.resolve() };
  const { scene, turnId, middle } = await working(store);
  await scene.runtime.close();
  const before = await scene.events();
  const { runtime } = await treeScene({ model: scriptedModel([]), agents: [], store }, scene.sessionId);
  const { sessionId } = scene;
  const callbackId = '8f14e45f-ceea-467f-9c36-11d2a1e0a002';
  const answer = { type: 'deny' } as const;
  expect(await runtime.answerCallback({ sessionId, callbackId, answer })).toEqual({ type: 'notFound' });
  expect(await runtime.interruptTurn({ sessionId, turnId: 'another' })).toEqual({ type: 'conflict', turnId });
  expect(await scene.events()).toEqual(before);
  // What has something to settle does, wherever it is.
  const agentTurn = await scene.turnOf(middle);
  expect(await runtime.interruptTurn({ sessionId: middle, turnId: agentTurn })).toMatchObject({ type: 'accepted' });
  expect(await runtime.readTurn({ sessionId: middle, turnId: agentTurn })).toMatchObject({ type: 'interrupted' });
  expect(await runtime.readTurn({ sessionId, turnId })).toMatchObject({ type: 'running' });
});

describe('a subagent’s session', () => {
  test('subagent.handle.sendMessageRefused, subagent.handle.startTurnRefused, subagent.turn.steerRefused: takes no messages', async () => {
    const { scene, middle } = await working();
    const { bindingId, runtime } = scene;
    const turnId = await scene.turnOf(middle);
    const refused = { code: 'session.procedure_unsupported' };
    const message = { sessionId: middle, bindingId, content };
    await expect(runtime.startTurn(message)).rejects.toMatchObject(refused);
    await expect(runtime.sendMessage({ ...message, delivery: 'join' })).rejects.toMatchObject(refused);
    await expect(runtime.steerTurn({ sessionId: middle, turnId, content })).rejects.toMatchObject(refused);
    await expect(runtime.updateSession({ sessionId: middle, title: 'x' })).rejects.toMatchObject(refused);
    await expect(runtime.closeSession({ sessionId: middle })).rejects.toMatchObject(refused);
    await expect(runtime.deleteSession(middle)).rejects.toMatchObject(refused);
  });

  test('subagent.list.directOnly, subagent.handle.reading: is listed by its parent alone, and read like any other', async () => {
    const { scene, middle, deepId } = await working();
    const { runtime, sessionId } = scene;
    const ids = async (of: string) => (await runtime.listSubagents({ sessionId: of })).sessions.map(({ id }) => id);
    expect(await ids(sessionId)).toEqual([middle]);
    expect(await ids(middle)).toEqual([deepId]);
    expect(await ids(deepId)).toEqual([]);
    expect(await runtime.readSession({ sessionId: deepId })).toMatchObject({
      parentId: middle,
      rootId: sessionId,
      agentName: 'deep',
      firstPrompt: 'work',
    });
    const listed = async (params: Parameters<typeof runtime.listSessions>[0]) =>
      (await runtime.listSessions(params)).sessions.map(({ id }) => id);
    expect(await listed({})).toEqual([sessionId]);
    expect(await listed({ scope: 'tree', root: sessionId })).toEqual([deepId, middle, sessionId]);
    expect(await listed({ scope: 'children', parent: middle })).toEqual([deepId]);
    await expect(runtime.listSessions({ scope: 'tree' })).rejects.toMatchObject({ code: 'input.invalid' });
    await expect(runtime.listSubagents({ sessionId: `${sessionId}.00000000` })).rejects.toMatchObject({
      code: 'session.not_found',
    });
    const page = await runtime.readEvents({ sessionId: deepId });
    expect(new Set(page.events.map((event) => event.sessionId))).toEqual(new Set([deepId]));
    expect(page.events[0]).toMatchObject({ type: 'session.created', parentId: middle });
    await runtime.cancelSession({ sessionId });
    const { signal } = new AbortController();
    const followed: string[] = [];
    for await (const batch of runtime.subscribe(deepId, { signal, after: page.cursor }))
      followed.push(...batch.map((event) => event.type));
    expect(followed).toEqual(['tool.completed', 'turn.ended', 'session.updated']);
  });

  test('subagent.list.newestFirst: is listed before those that were started earlier', async () => {
    const scene = await treeScene({
      model: scriptedModel([spawn('one'), spawn('two'), spawn('one'), say('done')]),
      agents: [
        { name: 'one', model: scriptedModel([say('1'), say('3')]) },
        { name: 'two', model: scriptedModel([say('2')]) },
      ],
    });
    await scene.run('go');
    const created = (await scene.sessionIds()).slice(1);
    const { sessions } = await scene.runtime.listSubagents({ sessionId: scene.sessionId });
    expect(sessions.map(({ id }) => id)).toEqual(created.reverse());
    expect(sessions.map(({ status, termination }) => [status, termination?.type])).toEqual(
      sessions.map(() => ['terminated', 'completed']),
    );
  });
});
