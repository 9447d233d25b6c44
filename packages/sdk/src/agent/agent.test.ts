import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isRondoError, RondoError } from '@rondo/protocol/values';
import type { StreamEvent } from '@rondo/protocol';
import { call, say, scriptedModel, stall, type ScriptedStep } from '@rondo/runtime/testing';
import { afterAll, beforeAll, describe, expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import {
  Agent,
  AgentsError,
  allowApproval,
  ClientToolAnswerError,
  clientTool,
  clientToolAnswers,
  defineTool,
  type InvalidOutput,
  SdkError,
  SessionConfigMismatchError,
  SessionNotFoundError,
  ToolError,
} from '../agent.ts';
import type { AgentOptions } from './agent-options.ts';

let root = '';
let homes = 0;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'rondo-agent-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

const orders = defineTool({
  name: 'get_order',
  description: 'Finds an order.',
  input: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
  effect: 'none',
  run({ id }) {
    if (id === 'none') throw new ToolError('there is no such order');
    return `order ${String(id)}: shipped`;
  },
});

function setUp(steps: readonly ScriptedStep[], more: Partial<AgentOptions> = {}) {
  homes += 1;
  const model = scriptedModel(steps);
  const options: AgentOptions = {
    model,
    name: 'clerk',
    instructions: 'Help with orders.',
    tools: [orders],
    home: join(root, `home-${homes}`),
    env: {},
    ...more,
  };
  return { model, options, agent: new Agent(options) };
}

describe('run', () => {
  test('gives the record of one turn, with its calls', async () => {
    const { agent, model } = setUp([call('get_order', { id: '7' }), say('It is shipped.')], { store: 'memory' });
    await using _ = agent;
    const events: StreamEvent[] = [];
    const record = await agent.run('Where is order 7?', { onEvent: (event) => void events.push(event) });
    expect(record).toMatchObject({
      type: 'completed',
      text: 'It is shipped.',
      stopReason: 'end_turn',
      toolCalls: [{ name: 'get_order', arguments: { id: '7' } }],
    });
    expect(events.at(-1)?.type).toBe('turn.ended');
    expect(model.requests[0]).toMatchObject({ system: 'Help with orders.', tools: [{ name: 'get_order' }] });
    expect(JSON.stringify(model.requests[1]?.messages)).toContain('order 7: shipped');
    model.assertDone();
  });

  test('tells the model what a ToolError says, word for word', async () => {
    const { agent, model } = setUp([call('get_order', { id: 'none' }), say('There is none.')], { store: 'memory' });
    await using _ = agent;
    await agent.run('?');
    expect(model.requests[1]?.messages.at(-1)).toMatchObject({
      content: [{ type: 'tool_result', isError: true, content: [{ text: 'there is no such order' }] }],
    });
  });

  test('stops at the iterations that the agent may make', async () => {
    const { agent } = setUp([call('get_order', { id: '7' })], { store: 'memory', maxIterations: 1 });
    await using _ = agent;
    expect(await agent.run('?')).toMatchObject({ type: 'completed', stopReason: 'max_turns' });
  });

  test('after its timeout gives the record of a turn that goes on', async () => {
    const { agent } = setUp([[say('x'), stall()]], { store: 'memory' });
    await using _ = agent;
    expect(await agent.run('?', { timeoutMs: 0 })).toMatchObject({ type: 'running' });
  });

  test('many at once, in one process', async () => {
    const steps = Array.from(
      { length: 40 },
      () => (request: { messages: readonly unknown[] }) =>
        request.messages.length === 1 ? call('get_order', { id: '1' }) : say('done'),
    );
    const { agent } = setUp(steps, { store: 'memory' });
    await using _ = agent;
    const records = await Promise.all(Array.from({ length: 20 }, (__, index) => agent.run(`task ${index}`)));
    expect(new Set(records.map((record) => record.sessionId)).size).toBe(20);
    expect(records.every((record) => record.type === 'completed')).toBe(true);
  });
});

describe('what may run', () => {
  test('is asked about under mode ask, and goes on with an answer by ID', async () => {
    const { agent } = setUp([call('get_order', { id: '7' }), say('done')], { store: 'memory', permissionMode: 'ask' });
    await using _ = agent;
    const session = await agent.startSession();
    const blocked = await session.run('?');
    if (blocked.type !== 'blocked') throw new Error(`the turn is ${blocked.type}`);
    const [question] = blocked.callbacks;
    if (question?.type !== 'approval') throw new Error('no approval is open');
    expect(question.request).toMatchObject({ tool: { name: 'get_order' }, input: { id: '7' } });
    const turn = session.turn(blocked.turnId);
    await turn.answer(question.id, allowApproval());
    expect(await turn.result({ after: blocked })).toMatchObject({ type: 'completed', text: 'done' });
  });

  test('is decided by the first rule that names the tool, also by its full ID', async () => {
    const permissionPolicy = { default: 'allow', rules: [{ tools: ['client.get_order'], decision: 'deny' }] } as const;
    const { agent, model } = setUp([call('get_order', { id: '7' }), say('I may not.')], {
      store: 'memory',
      permissionPolicy,
    });
    await using _ = agent;
    await agent.run('?');
    expect(model.requests[1]?.messages.at(-1)).toMatchObject({ content: [{ type: 'tool_result', isError: true }] });
  });
});

describe('sessions', () => {
  test('outlive the agent that started them, and belong to agents that are the same', async () => {
    const first = setUp([say('one')]);
    const session = await first.agent.startSession({ title: 'orders' });
    await session.run('first');
    await first.agent.close();

    const model = scriptedModel([say('two')]);
    await using again = new Agent({ ...first.options, model });
    expect(await again.session(session.id).run('second')).toMatchObject({ type: 'completed', text: 'two' });
    expect(model.requests[0]?.messages).toHaveLength(3);
    const listed = await all(again.sessions());
    expect(listed.map((info) => [info.id, info.title])).toEqual([[session.id, 'orders']]);
    await again.close();

    await using other = new Agent({ ...first.options, model, instructions: 'Be rude.' });
    const mismatch = other.session(session.id).run('third');
    await expect(mismatch).rejects.toBeInstanceOf(SessionConfigMismatchError);
  });

  test('equality.session.sameLocalRuntime: are equal in one runtime, and nobody’s in another', async () => {
    const { agent, options } = setUp([]);
    await using _ = agent;
    await using same = new Agent(options);
    await using elsewhere = setUp([]).agent;
    await using inMemory = setUp([], { store: 'memory' }).agent;
    await using alsoInMemory = setUp([], { store: 'memory' }).agent;
    expect(agent.session('s').equals(same.session('s'))).toBe(true);
    expect(agent.session('s').equals(elsewhere.session('s'))).toBe(false);
    expect(inMemory.session('s').equals(inMemory.session('s'))).toBe(true);
    expect(inMemory.session('s').equals(alsoInMemory.session('s'))).toBe(false);
  });

  test('one that is not there is found out by its first use', async () => {
    const { agent } = setUp([]);
    await using _ = agent;
    const handle = agent.session('0b9a1c1e-aaaa-4000-8000-00000000dead');
    await expect(handle.run('?')).rejects.toBeInstanceOf(SessionNotFoundError);
  });
});

describe('an agent that cannot work', () => {
  test('is refused when it is made, naming what is wrong', () => {
    const make = (options: object) => () => new Agent({ model: 'x', ...options } as AgentOptions);
    expect(make({ model: '' })).toThrow(/model must be/);
    expect(make({ tools: [{}] })).toThrow(/tools\[0\] is no tool/);
    expect(make({ onApproval: true })).toThrow(/onApproval must be a function/);
    expect(make({ outputType: {} })).toThrow(/outputType must be a Standard Schema/);
    expect(make({ tools: [orders, orders] })).toThrow(/another tool get_order/);
    expect(make({ maxIterations: 0 })).toThrow(/maxIterations is 0/);
  });

  test('says why to every call of its handles', async () => {
    const { agent } = setUp([], { model: 'anthropic/claude-sonnet-4-5', env: {} });
    await using _ = agent;
    const missing = (error: unknown) => isRondoError(error, 'model.key_missing');
    await expect(agent.run('?')).rejects.toSatisfy(missing);
    await expect(agent.startSession()).rejects.toSatisfy(missing);
    await expect(all(agent.session('s').events())).rejects.toSatisfy(missing);
  });

  test('once closed says so', async () => {
    const { agent } = setUp([]);
    await agent.close();
    await expect(agent.run('?')).rejects.toThrow(/was closed/);
  });
});

describe('handlers', () => {
  const pick = clientTool({
    name: 'pick',
    description: 'Picks a file.',
    inputSchema: z.object({ ext: z.string() }),
    outputSchema: z.object({ path: z.string() }),
  });
  const picked = (model: { readonly requests: readonly { readonly messages: readonly unknown[] }[] }) =>
    JSON.stringify(model.requests[1]?.messages.at(-1));

  test('of the agent answer during waits, those of a session or a run stand in their place', async () => {
    const steps = [1, 2, 3].flatMap(() => [call('get_order', { id: '7' }), say('done')]);
    const asked: string[] = [];
    const by = (name: string) => ({
      onApproval() {
        asked.push(name);
        return allowApproval();
      },
    });
    const { agent } = setUp(steps, { store: 'memory', permissionMode: 'ask', ...by('agent') });
    await using _ = agent;
    expect(await agent.run('a')).toMatchObject({ type: 'completed' });
    expect(await agent.run('b', by('run'))).toMatchObject({ type: 'completed' });
    const session = await agent.startSession(by('session'));
    expect(await session.run('c')).toMatchObject({ type: 'completed' });
    expect(asked).toEqual(['agent', 'run', 'session']);
  });

  test('a client tool is answered by its own function, or by onClientTool, or by ID', async () => {
    const steps = [call('pick', { ext: 'ts' }), say('thanks')];
    const own = setUp(steps, { store: 'memory', tools: [pick.answer(({ ext }) => ({ path: `a.${ext}` }))] });
    expect(await own.agent.run('?')).toMatchObject({ type: 'completed', text: 'thanks' });
    expect(picked(own.model)).toContain('a.ts');
    await own.agent.close();

    const onClientTool = clientToolAnswers({ pick: ({ name }) => ({ path: name }) });
    const handled = setUp(steps, { store: 'memory', tools: [pick], onClientTool });
    expect(await handled.agent.run('?')).toMatchObject({ type: 'completed', text: 'thanks' });
    expect(picked(handled.model)).toContain('pick');
    await handled.agent.close();

    const { agent, model } = setUp(steps, { store: 'memory', tools: [pick] });
    await using _ = agent;
    const session = await agent.startSession();
    const blocked = await session.run('?');
    if (blocked.type !== 'blocked' || blocked.callbacks[0]?.type !== 'client_tool') throw new Error(blocked.type);
    const turn = session.turn(blocked.turnId);
    await expect(turn.answer(blocked.callbacks[0].id, { file: 'a.ts' })).rejects.toBeInstanceOf(SdkError);
    await turn.answer(blocked.callbacks[0].id, { path: 'b.ts' });
    expect(await turn.result({ after: blocked })).toMatchObject({ type: 'completed' });
    expect(picked(model)).toContain('b.ts');
    expect(model.requests[0]).toMatchObject({ tools: [{ name: 'pick', inputSchema: { type: 'object' } }] });
  });

  test('toolErrors says what becomes of a client tool’s failure, in agent.run too', async () => {
    const steps = [call('pick', { ext: 'ts' }), say('well')];
    const error = new Error('closed');
    const failing = { store: 'memory', tools: [pick], onClientTool: () => Promise.reject(error) } as const;
    const { agent, model } = setUp(steps, failing);
    expect(await agent.run('?')).toMatchObject({ type: 'completed', text: 'well' });
    expect(picked(model)).toContain('closed');
    await agent.close();
    const raising = setUp(steps, { ...failing, toolErrors: 'raise' });
    await using _ = raising.agent;
    await expect(raising.agent.run('?')).rejects.toBe(error);
  });

  test('a question of a stored session is answered by the handlers of who opens it', async () => {
    const first = setUp([call('pick', { ext: 'ts' })], { tools: [pick] });
    const session = await first.agent.startSession();
    expect(await session.run('?')).toMatchObject({ type: 'blocked' });
    await first.agent.close();
    await using again = new Agent({ ...first.options, model: scriptedModel([say('thanks')]) });
    const opened = await again.openSession(session.id, { onClientTool: () => ({ path: 'late.ts' }) });
    expect(await opened.openTurn?.result()).toMatchObject({ type: 'completed', text: 'thanks' });
  });
});

test('an output type is what the agent’s handles and runs parse by, and a text that does not fit is a value', async () => {
  const outputType = z.object({ shipped: z.boolean() });
  const { options } = setUp([], { store: 'memory' });
  const model = scriptedModel([say('{"shipped":true}'), say('{"shipped":true}'), say('yes')]);
  await using agent = new Agent({ ...options, model, outputType });
  const state = await agent.run('?');
  if (state.type !== 'completed') throw new Error(state.type);
  expectTypeOf(state.output).toEqualTypeOf<{ shipped: boolean } | InvalidOutput | null>();
  expect(state.output).toEqual({ shipped: true });
  const session = await agent.startSession();
  expect(await session.run('?')).toMatchObject({ output: { shipped: true } });
  expect(await session.run('?')).toMatchObject({ output: { type: 'invalidOutput', text: 'yes' } });
});

test('documented error classes know errors by their code', () => {
  expect(new RondoError('answer.unfit', 'x') instanceof SdkError).toBe(true);
  expect(new RondoError('session.busy', 'x') instanceof SdkError).toBe(false);
  expect(new RondoError('session.busy', 'x') instanceof AgentsError).toBe(true);
  expect(new RondoError('answer.unsent', 'x') instanceof ClientToolAnswerError).toBe(true);
  expect(new RondoError('session.not_found', 'x') instanceof SessionNotFoundError).toBe(true);
  expect(new RondoError('session.busy', 'x') instanceof SessionNotFoundError).toBe(false);
  expect(new SessionNotFoundError('x')).toMatchObject({
    code: 'session.not_found',
    name: 'SessionNotFoundError',
    retryable: false,
  });
  expect(new Error('x') instanceof SessionNotFoundError).toBe(false);
});

async function all<Value>(values: AsyncIterable<Value>): Promise<Value[]> {
  const found: Value[] = [];
  for await (const value of values) found.push(value);
  return found;
}

describe('a session that has something otherwise than its agent', () => {
  test('is started with it, and turns that follow have it too', async () => {
    const { agent, model } = setUp([say('Bonjour.'), say('Hello.')], { maxIterations: 5, reasoningEffort: 'low' });
    await using _ = agent;
    const session = await agent.startSession({
      agent: { instructions: 'Speak French.', reasoningEffort: 'off', temperature: 0.3, maxIterations: 2 },
    });
    await session.run('Hello');
    expect(model.requests[0]).toMatchObject({
      system: 'Speak French.',
      thinking: { type: 'disabled' },
      temperature: 0.3,
    });
    expect(model.requests[0]).not.toHaveProperty('effort');
    await session.configure({ instructions: null, reasoningEffort: null });
    await session.run('Hello');
    expect(model.requests[1]).toMatchObject({ system: 'Help with orders.', effort: 'low', temperature: 0.3 });
    const started = await Array.fromAsync(session.turns());
    expect(started).toHaveLength(2);
  });

  test('takes models by name, and no name that means nothing', async () => {
    const { agent } = setUp([]);
    await using _ = agent;
    const unknown = { code: 'model.unknown' };
    await expect(agent.startSession({ agent: { model: 'nobody/nothing' } })).rejects.toMatchObject(unknown);
    expect(await Array.fromAsync(agent.sessions())).toEqual([]);
  });

  test('is narrower than its agent, never wider', async () => {
    const { agent } = setUp([call('get_order', { id: '7' }), say('I may not.')], { permissionMode: 'ask' });
    await using _ = agent;
    await expect(agent.startSession({ agent: { permissionMode: 'auto' } })).rejects.toThrow(
      'agent.permissionMode "auto" is wider than the agent\'s own, "ask"',
    );
    const session = await agent.startSession({ agent: { permissionMode: 'deny' } });
    expect(await session.run('Where is order 7?')).toMatchObject({ type: 'completed', text: 'I may not.' });
  });

  test('goes on in another process as it was', async () => {
    const { agent, options } = setUp([call('get_order', { id: '7' })], { permissionMode: 'auto' });
    const session = await agent.startSession({ agent: { permissionMode: 'ask', instructions: 'Ask first.' } });
    const blocked = await session.run('Where is order 7?');
    expect(blocked.type).toBe('blocked');
    await session.configure({ instructions: 'Be quick.' });
    await agent.close();
    const model = scriptedModel([say('It is shipped.')]);
    await using later = new Agent({ ...options, model });
    const opened = await later.openSession(session.id, { onApproval: () => allowApproval() });
    expect(opened.parked).toEqual([]);
    expect(await opened.openTurn?.result()).toMatchObject({ type: 'completed', text: 'It is shipped.' });
    expect(model.requests[0]?.system).toBe('Ask first.');
  });
});
