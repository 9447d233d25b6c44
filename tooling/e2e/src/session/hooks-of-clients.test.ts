import { type ClientHook, connect } from '@rondo/client';
import { call, recordingTool, say } from '@rondo/runtime/testing';
import { describe, expect, test } from 'vitest';
import { breakable } from './breakable.ts';
import { stage } from './session-stage.ts';
import { wires } from './wires.ts';

const carriers = wires.filter(({ name }) => name !== 'HTTP+SSE');

const act = () =>
  recordingTool({
    name: 'act',
    effect: 'once',
    input: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
  });

describe.each(carriers)('over $name', (wire) => {
  test('a hook of the client denies a call, and the log has it like any', async () => {
    const tool = act();
    await using at = await stage(wire, [call('act', { n: 1 }), say('done')], {
      tools: [tool],
      policy: { allowedTools: ['act'] },
    });
    const seen: unknown[] = [];
    const guard: ClientHook = {
      name: 'guard',
      preToolCall(_context, { toolName, arguments: args }) {
        seen.push({ toolName, args });
        return { type: 'skip', reason: 'Not on my machine.' };
      },
    };
    const bindingId = await at.client.bindHooks(at.bindingId, [guard]);
    const session = await at.client.createSession({ bindingId });
    expect(await session.run('go')).toMatchObject({ type: 'completed', text: 'done' });
    expect(seen).toEqual([{ toolName: 'act', args: { n: 1 } }]);
    expect(tool.calls).toEqual([]);
    expect(JSON.stringify(at.model.requests[1]?.messages)).toContain('Not on my machine.');
    const { events } = await at.client.request('events/read', { sessionId: session.id });
    expect(events.find(({ type }) => type === 'session.created')).toMatchObject({ binding: { hooks: ['guard'] } });
    expect(events.filter(({ type }) => type.startsWith('hook.'))).toMatchObject([
      { type: 'hook.started', name: 'guard', event: 'preToolCall' },
      { type: 'hook.completed', name: 'guard', outcome: { type: 'skip', reason: 'Not on my machine.' } },
    ]);
  });

  test('it puts arguments, a result and an answer in place; arguments that do not fit keep the call from running', async () => {
    const tool = act();
    const steps = [call('act', { n: 1 }), call('act', { n: 2 }), say('done')];
    await using at = await stage(wire, steps, { tools: [tool], policy: { allowedTools: ['act'] } });
    const changing: ClientHook = {
      name: 'changing',
      preToolCall: (_context, { arguments: { n } }) =>
        Promise.resolve({ type: 'continue', arguments: n === 1 ? { n: 10 } : { n: 'many' } }),
      postToolCall: (_context, { result }) => ({
        type: 'continue',
        result: { content: [{ type: 'text', text: `${JSON.stringify(result.content)} was seen` }] },
      }),
      postAgentTurn: (_context, { text }) => ({ type: 'continue', text: `${text}, and checked` }),
    };
    const bindingId = await at.client.bindHooks(at.bindingId, [changing]);
    const session = await at.client.createSession({ bindingId });
    expect(await session.run('go')).toMatchObject({ type: 'completed', text: 'done, and checked' });
    expect(tool.calls.map(({ input }) => input)).toEqual([{ n: 10 }]);
    expect(JSON.stringify(at.model.requests[1]?.messages)).toContain('was seen');
    expect(JSON.stringify(at.model.requests[2]?.messages)).toContain('arguments in place that do not fit');
  });

  test('what it put in place is judged like what the model wrote', async () => {
    const tool = act();
    const policy = { allowedTools: [] };
    await using at = await stage(wire, [call('act', { n: 1 }), say('done')], { tools: [tool], policy });
    const bindingId = await at.client.bindHooks(at.bindingId, [
      { name: 'doubling', preToolCall: () => ({ type: 'continue', arguments: { n: 2 } }) },
    ]);
    const session = await at.client.createSession({ bindingId });
    const blocked = await session.run('go');
    expect(blocked).toMatchObject({ type: 'blocked', callbacks: [{ type: 'approval', request: { input: { n: 2 } } }] });
    expect(tool.calls).toEqual([]);
  });

  test.each<[string, NonNullable<ClientHook['preToolCall']>]>([
    ['throws', () => Promise.reject(new Error('no idea'))],
    ['decides what its point does not know', () => ({ type: 'retry', feedback: 'again' }) as never],
    ['answers with no decision', () => 'yes' as never],
    ['answers with what JSON cannot carry', () => ({ type: 'continue', arguments: { n: 1n } }) as never],
  ])('one that %s fails closed: the call does not run', async (_what, preToolCall) => {
    const tool = act();
    await using at = await stage(wire, [call('act', { n: 1 }), say('done')], {
      tools: [tool],
      policy: { allowedTools: ['act'] },
    });
    const bindingId = await at.client.bindHooks(at.bindingId, [{ name: 'guard', preToolCall }]);
    const session = await at.client.createSession({ bindingId });
    expect(await session.run('go')).toMatchObject({ type: 'completed', text: 'done' });
    expect(tool.calls).toEqual([]);
    const { events } = await at.client.request('events/read', { sessionId: session.id });
    expect(events.find(({ type }) => type === 'hook.completed')).toMatchObject({ outcome: { type: 'failed' } });
  });

  test('its connection is lost while it decides: the call does not run, and who binds the hook again goes on with the turn', async () => {
    const tool = act();
    await using at = await stage(wire, [call('act', { n: 1 }), say('done')], {
      tools: [tool],
      policy: { allowedTools: ['act'] },
    });
    const asked = Promise.withResolvers<AbortSignal>();
    const leaving = await at.connectAnother();
    const bindingId = await leaving.bindHooks(at.bindingId, [
      {
        name: 'guard',
        preToolCall(context) {
          asked.resolve(context.signal);
          return new Promise(() => {});
        },
      },
    ]);
    const session = await leaving.createSession({ bindingId });
    const turn = await session.startTurn('go');
    const signal = await asked.promise;
    const watched = at.client.session(session.id).events()[Symbol.asyncIterator]();
    await watched.next();
    leaving.close();
    expect(signal.aborted).toBe(true);
    // They end when the host has given the session up.
    while ((await watched.next()).done !== true);
    const rebound = await at.client.bindHooks(at.bindingId, [
      { name: 'guard', preToolCall: () => ({ type: 'continue', arguments: { n: 7 } }) },
    ]);
    const without = at.client.openSession(session.id, { bindingId: at.bindingId, unfinished: 'continue' });
    await expect(without).rejects.toMatchObject({ code: 'session.config_mismatch' });
    expect(tool.calls).toEqual([]);
    const opened = await at.client.openSession(session.id, { bindingId: rebound, unfinished: 'continue' });
    expect(opened.openTurn?.id).toBe(turn.type === 'busy' ? undefined : turn.id);
    expect(await opened.openTurn?.result()).toMatchObject({ type: 'completed', text: 'done' });
    expect(tool.calls.map(({ input }) => input)).toEqual([{ n: 7 }]);
    const { events } = await at.client.request('events/read', { sessionId: session.id });
    expect(events.filter(({ type }) => type === 'hook.completed')).toMatchObject([{ outcome: { type: 'continue' } }]);
  });

  test('a client that comes back has its hooks bound under the same ID, and goes on with the turn', async () => {
    const tool = act();
    await using at = await stage(wire, [call('act', { n: 1 }), say('done')], {
      tools: [tool],
      policy: { allowedTools: ['act'] },
    });
    const line = breakable(at.open);
    await using client = connect(line.open, { reconnect: { delaysMs: [0, 0, 0] } });
    let runs = 0;
    const asked = Promise.withResolvers<void>();
    const bindingId = await client.bindHooks(at.bindingId, [
      {
        name: 'guard',
        preToolCall() {
          runs += 1;
          asked.resolve();
          return runs === 1 ? new Promise(() => {}) : { type: 'continue' };
        },
      },
    ]);
    const session = await client.createSession({ bindingId });
    await session.startTurn('go');
    await asked.promise;
    line.drop();
    const { openTurn } = await client.openSession(session.id, { bindingId, unfinished: 'continue' });
    expect(line.openings()).toBe(2);
    expect(await openTurn?.result()).toMatchObject({ type: 'completed', text: 'done' });
    expect(tool.calls).toHaveLength(1);
    expect(runs).toBe(2);
  });

  test('what cannot be bound is refused', async () => {
    const guard: ClientHook = { name: 'guard', preLlmCall: () => {} };
    await using at = await stage(wire, [], { hooks: [{ name: 'own', preLlmCall: () => {} }] });
    await expect(at.client.bindHooks('nobody', [guard])).rejects.toMatchObject({ code: 'binding.not_found' });
    await expect(at.client.bindHooks(at.bindingId, [guard, guard])).rejects.toMatchObject({
      code: 'input.invalid',
      details: { field: 'hooks.1.name' },
    });
    await expect(at.client.bindHooks(at.bindingId, [{ ...guard, name: 'own' }])).rejects.toMatchObject({
      code: 'input.invalid',
    });
    await expect(at.client.bindHooks(at.bindingId, [{ name: 'guard' }])).rejects.toThrow('none of the functions');
  });
});

test.each(wires.filter(({ name }) => name === 'HTTP+SSE'))('over $name there is no way to a client', async (wire) => {
  await using at = await stage(wire, []);
  const refused = at.client.bindHooks(at.bindingId, [{ name: 'guard', preLlmCall: () => {} }]);
  await expect(refused).rejects.toMatchObject({
    code: 'session.procedure_unsupported',
    message: expect.stringContaining('WebSocket'),
  });
});
