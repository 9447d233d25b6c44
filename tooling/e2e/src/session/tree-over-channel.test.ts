import { allowApproval, denyApproval, type Session, type Turn } from '@rondo/client';
import { createMemoryStore, type SubagentDefinition } from '@rondo/runtime';
import { call, pauseUntil, say, scriptedModel, stall, type ScriptedStep } from '@rondo/runtime/testing';
import { describe, expect, test } from 'vitest';
import { collect, type Stage, stage, start } from './session-stage.ts';
import { type Wire, wires } from './wires.ts';

const spawn = (agent: string) => call('agents.spawn', { agent, task: `work, ${agent}` });

function agent(name: string, steps: readonly ScriptedStep[], subagents?: SubagentDefinition[]): SubagentDefinition {
  const more = subagents === undefined ? {} : { subagents };
  return { name, description: name, instructions: `You are ${name}.`, model: scriptedModel(steps), ...more };
}

interface Tree extends AsyncDisposable {
  readonly at: Stage;
  readonly root: Session;
  readonly turn: Turn;
  readonly middle: Session;
  readonly deep: Session;
}

/** A root whose agent's agent asks before it charges, or does what is said. */
async function tree(wire: Wire, deepSteps: readonly ScriptedStep[] = [call('Charge'), say('charged')]): Promise<Tree> {
  const deepest = agent('deep', deepSteps);
  const subagents = [agent('middle', [spawn('deep'), say('middle done')], [deepest])];
  const at = await stage(wire, [say('hello'), spawn('middle'), say('root done')], { subagents });
  const root = await at.client.createSession({ bindingId: at.bindingId });
  await root.run('hi');
  const turn = await start(root, 'go');
  const [middle] = await listed(root);
  const [deep] = middle === undefined ? [] : await listed(middle);
  if (middle === undefined || deep === undefined) throw new Error('no agents');
  return { at, root, turn, middle, deep, [Symbol.asyncDispose]: () => at[Symbol.asyncDispose]() };
}

/** The session's subagents, once it has some. */
async function listed(session: Session): Promise<Session[]> {
  for await (const event of session.events()) {
    if (event.type === 'tool.started' && event.name === 'agents.spawn') break;
  }
  return await session.subagents();
}

async function turnOf(session: Session): Promise<Turn> {
  const { lastTurnId } = await session.read();
  if (lastTurnId === undefined) throw new Error(`session ${session.id} has no turn`);
  return session.turn(lastTurnId);
}

const refused = { code: 'session.procedure_unsupported' };

describe.each(wires)('over $name', (wire) => {
  test('subagent.blocked.anyDepth, answer.subagent.recordNamesOwner, answer.subagentCallbacks: a grandchild’s question blocks the root and is answered there', async () => {
    await using all = await tree(wire);
    const { root, turn, deep, at } = all;
    const blocked = await turn.result();
    if (blocked.type !== 'blocked') throw new Error(blocked.type);
    expect(blocked.callbacks).toMatchObject([{ type: 'approval', sessionId: deep.id }]);
    expect(await turn.get()).toMatchObject({ type: 'blocked', callbacks: blocked.callbacks });
    const [callback] = blocked.callbacks;
    const id = callback === undefined || callback.type === 'unknown' ? '' : callback.id;
    expect(await turn.answer(id, allowApproval())).toMatchObject({ type: 'answered', sessionId: deep.id });
    expect(await turn.result({ after: blocked })).toMatchObject({ type: 'completed', text: 'root done' });
    expect(at.charge.calls).toHaveLength(1);
    expect(await (await turnOf(deep)).get()).toMatchObject({ type: 'completed', text: 'charged' });
    expect((await root.read()).status).toBe('waiting');
  });

  test('answer.subagent.routedToOwner, answer.subagent.closedOnRootNotFound, answer.subagent.closedOnOwnerAlreadySettled: an answer is settled at its owner', async () => {
    await using all = await tree(wire);
    const { turn, root, deep } = all;
    const blocked = await turn.result();
    const [callback] = blocked.type === 'blocked' ? blocked.callbacks : [];
    const id = callback === undefined || callback.type === 'unknown' ? '' : callback.id;
    await turn.answer(id, denyApproval());
    await turn.result({ after: blocked });
    expect(await turn.answer(id, denyApproval())).toEqual({ type: 'notFound' });
    expect(await (await turnOf(deep)).answer(id, denyApproval())).toEqual({
      type: 'alreadySettled',
      sessionId: deep.id,
    });
    const resolved = async (session: Session) =>
      (await all.at.runtime.readEvents({ sessionId: session.id })).events.filter(
        ({ type }) => type === 'callback.resolved',
      );
    expect(await resolved(root)).toEqual([]);
    expect(await resolved(deep)).toMatchObject([{ callbackId: id, sessionId: deep.id }]);
  });

  test('subagent.handle.reading, subagent.list.directOnly: everything of an agent can be read', async () => {
    await using all = await tree(wire, [say('deep done')]);
    const { root, turn, middle, deep } = all;
    await turn.result();
    expect((await root.subagents()).map(({ id }) => id)).toEqual([middle.id]);
    expect((await middle.subagents()).map(({ id }) => id)).toEqual([deep.id]);
    expect(await deep.subagents()).toEqual([]);
    const deepTurn = await turnOf(deep);
    const record = await deepTurn.get();
    expect(record).toMatchObject({ type: 'completed', text: 'deep done', sessionId: deep.id });
    expect(await deepTurn.result()).toEqual(record);
    const events = await collect(deep.events());
    expect(events.map(({ type }) => type)).toEqual([
      'session.created',
      'turn.started',
      'entry.completed',
      'model.requested',
      'entry.added',
      'entry.completed',
      'model.completed',
      'turn.ended',
      'session.updated',
    ]);
    expect((await collect(deepTurn.events())).at(-1)).toMatchObject({ type: 'turn.ended' });
    expect(await collect(deep.events({ after: events[5]?.id ?? '' }))).toEqual(events.slice(6));
  });

  test('subagent.handle.sendMessageRefused, subagent.handle.startTurnRefused, subagent.handle.runRefused: an agent is led by its parent alone', async () => {
    await using all = await tree(wire);
    const { middle, at } = all;
    const led = at.client.session(middle.id, { bindingId: at.bindingId });
    await expect(led.sendMessage('more')).rejects.toMatchObject(refused);
    await expect(led.startTurn('more')).rejects.toMatchObject(refused);
    await expect(led.run('more')).rejects.toMatchObject(refused);
    const { events } = await at.runtime.readEvents({ sessionId: middle.id });
    expect(events.filter(({ type }) => type === 'turn.started')).toHaveLength(1);
  });

  test('subagent.handle.cancelRefused, subagent.cancel.notAlone, subagent.turn.steerRefused: nor is it ended or steered', async () => {
    await using all = await tree(wire);
    const { root, turn, middle, deep } = all;
    await turn.result();
    await expect(middle.cancel()).rejects.toMatchObject(refused);
    await expect((await turnOf(middle)).steer('faster')).rejects.toMatchObject(refused);
    expect((await middle.read()).status).toBe('blocked');
    await root.cancel();
    for (const session of [root, middle, deep]) expect((await session.read()).status).toBe('terminated');
  });

  test('session.cancel.endsSession, session.cancel.endsSubagents, session.events.followsToEnd: ends all of them, and what follows them', async () => {
    await using all = await tree(wire);
    const { root, turn, middle, deep } = all;
    await turn.result();
    const followed = [root, middle, deep].map((session) => collect(session.events()));
    await root.cancel();
    for (const events of await Promise.all(followed))
      expect(events.at(-1)).toMatchObject({ type: 'session.updated', status: 'terminated' });
    expect(await turn.get()).toMatchObject({ type: 'interrupted', cause: 'cancelled' });
    expect(await turn.result()).toMatchObject({ type: 'interrupted', cause: 'cancelled' });
    await expect(root.sendMessage('late')).rejects.toMatchObject({ code: 'session.terminated' });
  });

  test('session.cancel.interruptsRunningTurns, session.cancel.endedUnchanged, session.cancel.historyReadable: once, and readably', async () => {
    await using at = await stage(wire, [say('one'), stall()]);
    const session = await at.client.createSession({ bindingId: at.bindingId });
    const first = await session.run('a');
    const turn = await start(session, 'b');
    const waiting = turn.result();
    await session.cancel();
    expect(await waiting).toMatchObject({ type: 'interrupted', cause: 'cancelled' });
    const events = await collect(session.events());
    await session.cancel();
    expect(await collect(session.events())).toEqual(events);
    expect(first.type === 'busy' ? first : await session.turn(first.turnId).get()).toMatchObject({
      type: 'completed',
      text: 'one',
    });
    expect((await collect(session.history())).length).toBeGreaterThan(2);
  });

  test('subagent.handle.interruptAllowed: an agent’s turn is stopped alone, and its parent told', async () => {
    await using all = await tree(wire);
    const { turn, middle, deep } = all;
    await turn.result();
    const middleTurn = await turnOf(middle);
    expect(await middleTurn.interrupt()).toMatchObject({ type: 'turn', id: middleTurn.id });
    expect(await middleTurn.get()).toMatchObject({ type: 'interrupted', cause: 'interrupted' });
    expect((await deep.read()).status).toBe('terminated');
    expect(await turn.result()).toMatchObject({ type: 'completed', text: 'root done' });
  });

  test('subagent.list.newestFirst, subagent.stop.throughRootCancel: agents are listed newest first, and end with their root', async () => {
    const subagents = [agent('one', [say('1'), stall()]), agent('two', [say('2')])];
    const store = createMemoryStore();
    await using at = await stage(wire, [spawn('one'), spawn('two'), spawn('one')], { subagents, store });
    const root = await at.client.createSession({ bindingId: at.bindingId });
    await start(root, 'go');
    let begun = 0;
    for await (const event of root.events()) if (event.type === 'tool.started' && ++begun === 3) break;
    const created: string[] = [];
    for await (const { type, sessionId } of store.read(root.id))
      if (type === 'session.created' && sessionId !== root.id) created.unshift(sessionId);
    expect((await root.subagents()).map(({ id }) => id)).toEqual(created);
    const [working] = await root.subagents();
    expect((await working?.read())?.status).toBe('running');
    await root.cancel();
    expect(await working?.read()).toMatchObject({ status: 'terminated', termination: { type: 'cancelled' } });
  });

  test('cursor.record.lastSessionEvent: a record that is read stands at the session’s last event, not at its turn’s', async () => {
    await using at = await stage(wire, [say('one'), say('two')]);
    const session = await at.client.createSession({ bindingId: at.bindingId });
    const first = await session.run('a');
    const second = await session.run('b');
    if (first.type === 'busy' || second.type === 'busy') throw new Error('busy');
    const { events } = await at.runtime.readEvents({ sessionId: session.id });
    const earlier = await session.turn(first.turnId).get();
    expect(earlier).toEqual({ ...first, cursor: events.at(-1)?.id });
    expect(earlier.cursor).not.toBe(first.cursor);
    await session.cancel();
    expect((await collect(session.events({ after: earlier }))).map(({ type }) => type)).toEqual(['session.updated']);
  });

  test('subagent.redirect.throughParent, subagent.blocked.activeTurnOnly, subagent.blocked.callbackIds: the parent is told more while its agent works', async () => {
    const go = Promise.withResolvers<void>();
    await using all = await tree(wire, [[pauseUntil(go.promise), call('Charge')], say('charged')]);
    const { root, turn, at } = all;
    const joined = await root.sendMessage('and quickly');
    expect(joined).toMatchObject({ id: turn.id, started: false });
    go.resolve();
    const blocked = await turn.result();
    const [callback] = blocked.type === 'blocked' ? blocked.callbacks : [];
    expect(callback).toMatchObject({ sessionId: all.deep.id });
    const [earlier] = (await collect(root.turns())).slice(-1);
    expect(await root.turn(earlier?.turnId ?? '').get()).toMatchObject({ type: 'completed', text: 'hello' });
    await turn.answer(callback === undefined || callback.type === 'unknown' ? '' : callback.id, denyApproval());
    expect(await turn.result({ after: blocked })).toMatchObject({ type: 'completed' });
    expect(JSON.stringify(at.model.requests.at(-1)?.messages)).toContain('and quickly');
  });
});
