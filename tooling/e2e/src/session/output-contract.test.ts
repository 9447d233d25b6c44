import { clientTool, type ClientToolStub, type InvalidOutput } from '@rondo/client';
import { defineClientTool } from '@rondo/runtime';
import { call, pauseUntil, say, type ScriptedStep } from '@rondo/runtime/testing';
import { describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { stage, start } from './session-stage.ts';
import { type Wire, wires } from './wires.ts';

const Verdict = z.object({ ok: z.boolean() });
const fitting = '{"ok":true}';
const invalid = (text: string): InvalidOutput => ({ type: 'invalidOutput', error: expect.any(String) as string, text });

/** An agent known by its name, with what its handles go by. */
async function agentStage(wire: Wire, steps: readonly ScriptedStep[]) {
  const at = await stage(wire, steps, {
    tools: [defineClientTool({ name: 'pick', description: 'Picks.', input: { type: 'object' } })],
    policy: { allowedTools: ['pick'] },
  });
  return {
    at,
    agent: at.client.agent('clerk', { bindingId: at.bindingId, outputType: Verdict }),
    plain: at.client.agent('clerk', { bindingId: at.bindingId }),
    loaded: (tools: readonly ClientToolStub[]) => at.client.agent('clerk', { bindingId: at.bindingId, tools }),
    [Symbol.asyncDispose]: () => at[Symbol.asyncDispose](),
  };
}

const described = { name: 'pick', description: 'Picks.', inputSchema: z.object({}) };

describe.each(wires)('over $name', (wire) => {
  test('session.outputType.keptByStartSession, session.run.outputTypeDefault, turn.get.completedOutputParsed', async () => {
    await using scene = await agentStage(wire, [say(fitting), say('yes'), say('plain')]);
    const session = await scene.agent.startSession();
    const state = await session.run('a');
    expect(state).toMatchObject({ type: 'completed', output: { ok: true } });
    if (state.type === 'busy') throw new Error('busy');
    const turn = session.turn(state.turnId);
    for (const read of [await turn.get(), await turn.result()]) expect(read).toMatchObject({ output: { ok: true } });
    const second = await session.run('b');
    if (second.type === 'busy') throw new Error('busy');
    const again = session.turn(second.turnId);
    for (const read of [second, await again.get(), await again.result()])
      expect(read).toMatchObject({ type: 'completed', output: invalid('yes') });
    expect(await scene.plain.session(session.id).run('c')).toMatchObject({ text: 'plain', output: 'plain' });
  });

  test('session.outputType.keptBySavedId, wait.result.outputTypeDefault, turn.get.completedOutputText', async () => {
    await using scene = await agentStage(wire, [say(fitting)]);
    const { id } = await scene.plain.startSession();
    const turn = await start(scene.plain.session(id), 'a');
    const text = await turn.result();
    expect(text).toMatchObject({ type: 'completed', output: fitting });
    expect(await turn.get()).toMatchObject({ output: fitting });
    const saved = scene.agent.session(id).turn(turn.id);
    for (const read of [await saved.get(), await saved.result()]) expect(read).toMatchObject({ output: { ok: true } });
  });

  test('session.run.outputType, wait.result.outputType: of the call, before the agent’s', async () => {
    await using scene = await agentStage(wire, [say('7')]);
    const session = await scene.agent.startSession();
    const state = await session.run('a', { outputType: z.number() });
    expect(state).toMatchObject({ type: 'completed', output: 7 });
    if (state.type === 'busy') throw new Error('busy');
    const turn = session.turn(state.turnId);
    expect(await turn.result({ outputType: z.coerce.string() })).toMatchObject({ output: '7' });
    expect(await turn.result()).toMatchObject({ output: invalid('7') });
  });

  test('answer.clientTool.knownStubChecked, answer.clientTool.knownStubSentAsHandler: by ID as by the handler', async () => {
    await using scene = await agentStage(wire, [call('pick'), say('one'), call('pick'), say('two')]);
    const { at } = scene;
    const tool = clientTool({ ...described, outputSchema: z.object({ path: z.string().trim() }) });
    const sent = vi.spyOn(at.near, 'send');
    const frames = () =>
      sent.mock.calls.flatMap(([frame]) =>
        'method' in frame && frame.method === 'callback/answer' ? [(frame.params as { answer?: unknown }).answer] : [],
      );
    const session = await scene.loaded([tool]).startSession();
    const blocked = await session.run('a');
    if (blocked.type !== 'blocked' || blocked.callbacks[0]?.type !== 'client_tool') throw new Error(blocked.type);
    const turn = session.turn(blocked.turnId);
    const [{ id }] = blocked.callbacks;
    for (const misfit of [7, { path: 7 }, null])
      await expect(turn.answer(id, misfit)).rejects.toMatchObject({ code: 'answer.unfit' });
    expect(frames()).toEqual([]);
    const value = { path: ' a.ts ', more: 1 };
    expect(await turn.answer(id, value)).toMatchObject({ type: 'answered', answer: null });
    await turn.result({ after: blocked });
    const handled = scene.loaded([tool]).session(session.id, { onClientTool: () => value });
    expect(await handled.run('b')).toMatchObject({ type: 'completed', text: 'two' });
    expect(frames()).toEqual([frames()[0], frames()[0]]);
    expect(frames()[0]).toEqual({ type: 'tool_result', result: { path: 'a.ts' } });
  });

  test('answer.clientTool.outputSchemaUnchecked, answer.clientTool.sharedIdUnchecked: sent as JSON', async () => {
    await using scene = await agentStage(wire, [call('pick'), call('pick'), say('done')]);
    const loose = clientTool({ ...described, outputSchema: { type: 'string' } });
    const [strict, another] = [z.string(), z.boolean()].map((outputSchema) =>
      clientTool({ ...described, outputSchema }),
    );
    if (strict === undefined || another === undefined) throw new Error('no tools');
    const session = await scene.loaded([loose]).startSession();
    const first = await session.run('a');
    if (first.type !== 'blocked' || first.callbacks[0]?.type !== 'client_tool') throw new Error(first.type);
    await session.turn(first.turnId).answer(first.callbacks[0].id, { n: 1 });
    const turn = scene.loaded([strict, another]).session(session.id).turn(first.turnId);
    const second = await turn.result({ after: first });
    if (second.type !== 'blocked' || second.callbacks[0]?.type !== 'client_tool') throw new Error(second.type);
    await turn.answer(second.callbacks[0].id, { n: 2 });
    await turn.result({ after: second });
    const told = JSON.stringify(scene.at.model.requests.at(-1)?.messages);
    for (const n of [1, 2]) expect(told).toContain(JSON.stringify(`{"n":${n}}`));
  });

  test('turn.get.cancelledSessionInterrupted, error.session.terminatedAfterCancel, session.cancel.interruptsRunningTurns', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    await using scene = await agentStage(wire, [[pauseUntil(promise), say('late')]]);
    const session = await scene.plain.startSession();
    const turn = await start(session, 'a');
    const wait = turn.result();
    await session.cancel();
    expect(await wait).toMatchObject({ type: 'interrupted', cause: 'cancelled' });
    expect(await turn.get()).toMatchObject({ type: 'interrupted', cause: 'cancelled' });
    for (const send of [session.sendMessage, session.startTurn, session.run])
      await expect(send('b')).rejects.toMatchObject({ code: 'session.terminated' });
    resolve();
  });

  test('session.cancel.endsSession, session.cancel.endedUnchanged, session.cancel.historyReadable', async () => {
    await using scene = await agentStage(wire, [say('kept')]);
    const session = await scene.plain.startSession();
    const state = await session.run('a');
    if (state.type !== 'completed') throw new Error(state.type);
    await session.cancel();
    const seen: string[] = [];
    for await (const event of session.events()) seen.push(event.type);
    expect(await session.read()).toMatchObject({ status: 'terminated' });
    const before = await scene.at.runtime.readEvents({ sessionId: session.id });
    await session.cancel();
    expect(await scene.at.runtime.readEvents({ sessionId: session.id })).toEqual(before);
    expect(seen).toEqual(before.events.map(({ type }) => type));
    expect(await session.turn(state.turnId).result()).toMatchObject({ type: 'completed', text: 'kept' });
    const items: unknown[] = [];
    for await (const item of session.history()) items.push(item);
    expect(items.length).toBeGreaterThanOrEqual(2);
  });

  test('session.events.followsToEnd, session.events.afterDefault: pending between turns, over with the session', async () => {
    await using scene = await agentStage(wire, [say('one'), say('two')]);
    const session = await scene.plain.startSession();
    const seen: string[] = [];
    let isOver = false;
    const reading = (async () => {
      for await (const event of session.events()) seen.push(event.id);
      isOver = true;
    })();
    await session.run('a');
    await session.run('b');
    expect(isOver).toBe(false);
    await session.cancel();
    await reading;
    const again: string[] = [];
    for await (const event of session.events({ after: undefined as never })) again.push(event.id);
    expect(again).toEqual(seen);
  });
});
