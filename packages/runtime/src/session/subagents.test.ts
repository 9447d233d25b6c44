import type { AnyEvent } from '@rondo/protocol';
import { describe, expect, test } from 'vitest';
import { createRuntime } from '../create-runtime.ts';
import { createMemoryStore } from '../event/memory-store.ts';
import { reject, skip } from '../hook/hook-decision.ts';
import { parentIdOf } from '../event/session-tree-id.ts';
import type { EncodedEvent } from '../event/event-store.ts';
import { compilePolicy } from '../permission/compile-policy.ts';
import { judgeCall } from '../permission/judge-call.ts';
import type { ModelRequest } from '../model/model.ts';
import { interceptAppends } from '../testing/intercept-appends.ts';
import { recordingTool } from '../testing/recording-tool.ts';
import { scriptedModel } from '../testing/scripted-model.ts';
import { call, fail, pauseUntil, say, use } from '../testing/scripted-step.ts';
import { treeScene } from '../testing/tree-scene.ts';
import { subagentBinding } from './subagent-binding.ts';
import { agentOf } from '../testing/tree-scene.ts';
import { sceneBinding } from '../testing/session-scene.ts';
import { sha256 } from '../testing/temporary-binding.ts';
import type { Binding, SubagentDefinition } from '../turn/binding.ts';

const spawn = (agent: string, task = `work, ${agent}`, more: Record<string, boolean> = {}) =>
  call('agents.spawn', { agent, task, ...more });

const results = (events: readonly AnyEvent[]) =>
  events.flatMap((event) =>
    event.type === 'tool.completed' && event.name === 'agents.spawn'
      ? [{ isError: event.isError, text: event.content[0]?.type === 'text' ? event.content[0].text : '' }]
      : [],
  );

describe('agents.spawn', () => {
  test('gives the final text of a session of its own, which knows its instructions and its task alone', async () => {
    const model = scriptedModel([spawn('helper', 'count the stars'), say('thanks')]);
    const helper = scriptedModel([say('uncountable')]);
    const scene = await treeScene({ model, agents: [{ name: 'helper', model: helper }] });
    expect(await scene.run('go')).toMatchObject({ type: 'completed', text: 'thanks' });
    const [root, child = ''] = await scene.sessionIds();
    expect(parentIdOf(child)).toBe(root);
    expect(results(await scene.events())).toEqual([{ isError: false, text: 'uncountable' }]);
    const [request] = helper.requests;
    expect(request?.system).toBe('You are helper.');
    expect(request?.messages.map(({ role, content }) => [role, content])).toEqual([
      ['user', [{ type: 'text', text: 'count the stars' }]],
    ]);
    const record = await scene.read(child, await scene.turnOf(child));
    expect(record).toMatchObject({ type: 'completed', text: 'uncountable', sessionId: child });
  });

  test('stores the start of the call, the session and its turn in one batch', async () => {
    const batches: EncodedEvent['event'][][] = [];
    const store = interceptAppends(createMemoryStore(), (events) => void batches.push([...events]));
    const scene = await treeScene({
      model: scriptedModel([spawn('helper'), say('done')]),
      agents: [{ name: 'helper', model: scriptedModel([say('ok')]) }],
      store,
    });
    await scene.run('go');
    const batch = batches.find((events) => events.some(({ type }) => type === 'tool.started'));
    expect(batch?.slice(-5).map(({ type, sessionId }) => [type, parentIdOf(sessionId) === undefined])).toEqual([
      ['tool.decided', true],
      ['tool.started', true],
      ['session.created', false],
      ['turn.started', false],
      ['entry.completed', false],
    ]);
    const [, child = ''] = await scene.sessionIds();
    const created = (await scene.eventsOf(child))[0];
    const started = batch?.find(({ type }) => type === 'tool.started');
    expect(created).toMatchObject({
      parentId: scene.sessionId,
      spawnedBy: { callId: started !== undefined && 'callId' in started ? started.callId : '' },
    });
  });

  test('of one message run at once', async () => {
    const second = Promise.withResolvers<void>();
    const scene = await treeScene({
      model: scriptedModel([[spawn('one'), spawn('two')], say('done')]),
      agents: [
        { name: 'one', model: scriptedModel([[pauseUntil(second.promise), say('1')]]) },
        { name: 'two', model: scriptedModel([say('2')]) },
      ],
    });
    const turnId = await scene.start('go');
    await scene.untilInTree((event) => event.type === 'turn.ended' && event.sessionId !== scene.sessionId);
    second.resolve();
    expect(await scene.ended(turnId)).toMatchObject({ type: 'completed', text: 'done' });
    expect(results(await scene.events()).map(({ text }) => text)).toEqual(['2', '1']);
  });

  test('needs no question of its own, and a rule that denies it counts', async () => {
    const options = {
      model: scriptedModel([spawn('helper'), say('done')]),
      agents: [{ name: 'helper', model: scriptedModel([say('ok')]) }],
    };
    const policy = compilePolicy({ directories: ['/work'], disallowedTools: ['agents.spawn'] });
    const denied = await treeScene({ ...options, model: scriptedModel([say('no agents then')]), binding: { policy } });
    expect(await denied.run('go')).toMatchObject({ type: 'completed' });
    const asking = compilePolicy({
      directories: ['/work'],
      agentPolicy: { default: 'ask', rules: [] },
    });
    const asked = await treeScene({ ...options, binding: { policy: asking } });
    await asked.start('go');
    await asked.until((event) => event.type === 'callback.opened');
    expect(await asked.sessionIds()).toHaveLength(1);
  });

  test('can begin with a copy of the conversation, without the call itself', async () => {
    const model = scriptedModel([
      [say('looking'), call('act', { n: 1 })],
      spawn('helper', 'and now?', { copyConversation: true }),
      say('done'),
    ]);
    const helper = scriptedModel([say('as you said')]);
    const act = recordingTool({ name: 'act', results: ['acted'] });
    const scene = await treeScene({ model, agents: [{ name: 'helper', model: helper }], tools: [act] });
    await scene.run('remember 42');
    const [request] = helper.requests;
    const told = JSON.stringify(request?.messages);
    expect(request?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    expect(told).toContain('remember 42');
    expect(told).toContain('acted');
    expect(told).toContain('and now?');
    expect(told).not.toContain('agents.spawn');
    const [, child = ''] = await scene.sessionIds();
    expect(await scene.read(child, await scene.turnOf(child))).toMatchObject({ toolCalls: [] });
  });

  test('says what became of an agent that failed, or that ran out of steps', async () => {
    const scene = await treeScene({
      model: scriptedModel([[spawn('broken'), spawn('busy')], say('done')]),
      agents: [
        { name: 'broken', model: scriptedModel([fail('model.authentication_failed')]) },
        { name: 'busy', model: scriptedModel([call('act')]), maxTurns: 1 },
      ],
    });
    await scene.run('go');
    const texts = results(await scene.events());
    expect(texts.every(({ isError }) => isError)).toBe(true);
    expect(texts.map(({ text }) => text).sort()).toEqual([
      expect.stringContaining('The agent broken failed: scripted failure'),
      expect.stringContaining('The agent busy was stopped by its limit of model requests'),
    ]);
  });

  test('starts grandchildren, down to the limit of depth', async () => {
    const third = scriptedModel([say('c')]);
    const deep = { name: 'c', model: third };
    const scene = await treeScene({
      model: scriptedModel([spawn('a'), say('root')]),
      agents: [
        {
          name: 'a',
          model: scriptedModel([spawn('b'), say('a')]),
          subagents: [agentOf({ name: 'b', model: scriptedModel([spawn('c'), say('b')]), subagents: [agentOf(deep)] })],
        },
      ],
      binding: { subagentPolicy: { maxDepth: 2 } },
    });
    await scene.run('go');
    expect(await scene.sessionIds()).toHaveLength(3);
    expect(third.requests).toHaveLength(0);
    // At the limit the tool is not there at all.
    expect(JSON.stringify(await scene.events())).toContain('No such tool: agents.spawn');
  });

  test('over the limits of the tree fails with a text that the model can act on', async () => {
    const go = Promise.withResolvers<void>();
    const scene = await treeScene({
      model: scriptedModel([[spawn('slow'), spawn('slow')], spawn('slow'), spawn('slow'), say('done')]),
      agents: [{ name: 'slow', model: scriptedModel([[pauseUntil(go.promise), say('1')], say('2')]) }],
      binding: { subagentPolicy: { maxRunning: 1, maxTotal: 2 } },
    });
    const turnId = await scene.start('go');
    await scene.until((event) => event.type === 'tool.completed');
    go.resolve();
    await scene.ended(turnId);
    const texts = results(await scene.events()).map(({ text }) => text);
    expect(texts[0]).toContain('no more than 1 may be');
    expect(texts.slice(1, 3)).toEqual(['1', '2']);
    expect(texts[3]).toContain('has started 2 agents');
  });

  test('an agent costs the turn that it works for, and keeps within what is left of its budget', async () => {
    const price = { input: 1_000_000, output: 0 };
    const usage = { inputTokens: 1, outputTokens: 0 };
    const priced = (steps: Parameters<typeof scriptedModel>[0]) => scriptedModel(steps, { price, usage });
    const helper = priced([
      [call('act'), use(usage)],
      [call('act'), use(usage)],
      [say('never'), use(usage)],
    ]);
    const scene = await treeScene({
      model: priced([spawn('helper'), say('never')]),
      agents: [{ name: 'helper', model: helper }],
    });
    const turnId = await scene.start('go', { limits: { maxBudgetUsd: 2.5 } });
    expect(await scene.ended(turnId)).toMatchObject({ type: 'completed', stopReason: 'max_budget' });
    expect(helper.requests).toHaveLength(2);
  });

  test.each([
    ['reject', { postLlmCall: () => reject('bad words') }],
    ['skip', { preLlmCall: () => skip('bad words') }],
  ])('an agent that a hook stops with %s was not done', async (_, points) => {
    const scene = await treeScene({
      model: scriptedModel([spawn('helper'), say('done')]),
      agents: [{ name: 'helper', model: scriptedModel([say('x')]), hooks: [{ name: 'guard', ...points }] }],
    });
    await scene.run('go');
    expect(results(await scene.events())).toEqual([
      { isError: true, text: 'The agent helper was stopped by the hook "guard" (bad words) before it was done.' },
    ]);
  });

  test('a start that an interrupt outran takes nobody else a place', async () => {
    const policy = compilePolicy({ directories: ['/work'], agentPolicy: { default: 'ask', rules: [] } });
    // The second turn is asked anew: what it says follows from what it was told last.
    const next = ({ messages }: ModelRequest) =>
      messages.at(-1)?.content.at(-1)?.type === 'text' ? spawn('helper') : say('x');
    for (let ticks = 0; ticks < 12; ticks += 1) {
      const scene = await treeScene({
        model: scriptedModel([spawn('helper'), next, next]),
        agents: [{ name: 'helper', model: scriptedModel([say('ok'), say('ok')]) }],
        binding: { policy, subagentPolicy: { maxRunning: 1 } },
      });
      const { runtime, sessionId } = scene;
      const asked = async (after: string) => {
        const event = await scene.until(({ type }) => type === 'callback.opened', { after });
        return event.type === 'callback.opened' && event.callback.type === 'approval' ? event.callback.id : '';
      };
      const turnId = await scene.start('go');
      const callbackId = await asked(`${sessionId}:0`);
      const answered = runtime.answerCallback({ sessionId, callbackId, answer: { type: 'allow' } });
      for (let tick = 0; tick < ticks; tick += 1) await Promise.resolve();
      await Promise.all([answered, runtime.interruptTurn({ sessionId, turnId })]);
      const { cursor } = await runtime.readSession({ sessionId });
      const again = await scene.start('again');
      await runtime.answerCallback({ sessionId, callbackId: await asked(cursor), answer: { type: 'allow' } });
      await scene.ended(again);
      expect([ticks, results(await scene.events()).at(-1)]).toEqual([ticks, { isError: false, text: 'ok' }]);
    }
  });

  test('agents that work at once draw on one budget', async () => {
    const price = { input: 1_000_000, output: 0 };
    const usage = { inputTokens: 1, outputTokens: 0 };
    const priced = (steps: Parameters<typeof scriptedModel>[0]) => scriptedModel(steps, { price, usage });
    const names = ['one', 'two', 'three', 'four'];
    const agents = names.map((name) => ({
      name,
      model: priced([...Array.from({ length: 6 }, () => call('act')), say('never')]),
    }));
    const scene = await treeScene({ model: priced([names.map((name) => spawn(name)), say('never')]), agents });
    const turnId = await scene.start('go', { limits: { maxBudgetUsd: 6 } });
    expect(await scene.ended(turnId)).toMatchObject({ type: 'completed', stopReason: 'max_budget' });
    const asked = agents.reduce((sum, { model }) => sum + model.requests.length, 0);
    // What was asked before the budget was used up is still paid for.
    expect(asked).toBeGreaterThanOrEqual(5);
    expect(asked).toBeLessThan(5 + names.length);
  });
});

describe('what a subagent works with', () => {
  const root = sceneBinding({
    model: scriptedModel([], { name: 'scripted/root' }),
    tools: [recordingTool({ name: 'act' })],
    binding: { effort: 'high', limits: { maxTurns: 7, maxBudgetUsd: 3 }, unattended: 'deny', env: { A: '1' } },
  });

  test('is its parent’s where nothing is said, but for what its answer is to be', () => {
    const own = subagentBinding({ ...root, output: { schema: { type: 'object' } } }, agentOf({ name: 'helper' }));
    const { agent, system, limits, ...inherited } = own;
    const { agent: _agent, system: _system, limits: _limits, ...parents } = root;
    expect(inherited).toEqual(parents);
    expect({ agent, system, limits }).toEqual({
      agent: { name: 'helper', fingerprint: root.agent.fingerprint },
      system: 'You are helper.',
      limits: { maxTurns: 7 },
    });
  });

  test('is its own where something is said, and an empty list clears', () => {
    const model = scriptedModel([], { name: 'scripted/other' });
    const own = subagentBinding(
      root,
      agentOf({ name: 'helper', model, tools: [], effort: 'low', maxTurns: 2, subagents: [] }),
    );
    expect(own).toMatchObject({ tools: [], effort: 'low', limits: { maxTurns: 2 }, subagents: [] });
    expect(own.model).toBe(model);
  });

  test('has the guardrails, the asker and the surroundings of the root, whatever a definition brings', () => {
    const guardrails = [{ name: 'guard', preToolCall: () => undefined }];
    const brought = { guardrails: [], unattended: 'wait', cwd: '/', secrets: [], model: undefined };
    const { model, cwd, unattended } = root;
    expect(
      subagentBinding({ ...root, guardrails }, { ...agentOf({ name: 'helper' }), ...(brought as object) }),
    ).toEqual(expect.objectContaining({ guardrails, unattended, cwd, model }));
  });

  test('has hooks of names of their own: one called like a guardrail would not be run', () => {
    const hook = { name: 'guard', preToolCall: () => undefined };
    const helper = agentOf({ name: 'helper', hooks: [hook] });
    const bind = (more: Partial<Binding>) => {
      createRuntime({ store: createMemoryStore(), sha256 }).bind({ ...root, ...more });
    };
    expect(() => bind({ guardrails: [hook], subagents: [helper] })).toThrow(
      'agent helper: hooks[0]: there is another hook "guard"',
    );
    expect(() => bind({ guardrails: [hook], subagents: [agentOf({ name: 'one', subagents: [helper] })] })).toThrow(
      'agent helper: hooks[0]',
    );
    expect(() => bind({ hooks: [hook], subagents: [helper] })).not.toThrow();
  });

  test('may name itself among its agents', async () => {
    const narcissus: { subagents?: SubagentDefinition[] } = {};
    const agent = Object.assign(narcissus, agentOf({ name: 'self', model: scriptedModel([say('ok')]) }));
    narcissus.subagents = [agent];
    const scene = await treeScene({ model: scriptedModel([spawn('self'), say('done')]), agents: [agent as never] });
    expect(await scene.run('go')).toMatchObject({ type: 'completed', text: 'done' });
  });

  test('is never more than the root allows: of its own rules those that allow do not count', () => {
    const rules = [
      { behavior: 'deny', toolName: 'act' },
      { behavior: 'allow', toolName: 'Bash' },
    ] as const;
    const { policy } = subagentBinding(root, agentOf({ name: 'helper', rules }));
    expect(policy.sources.slice(0, -1)).toEqual(root.policy.sources);
    expect(policy.sources.at(-1)).toMatchObject({ evaluation: 'strictest', rules: [rules[0]] });
    expect(policy.mode).toBe(root.policy.mode);
  });

  test('nested twice, it is bound by the rules and modes of all above it, and a mode widens nothing', async () => {
    const deny = (toolName: string) => [{ behavior: 'deny', toolName } as const];
    const child = subagentBinding(
      root,
      agentOf({ name: 'child', rules: deny('Write'), permissionMode: 'acceptEdits' }),
    );
    const grandchild = subagentBinding(
      child,
      agentOf({ name: 'grandchild', rules: deny('Grep'), permissionMode: 'bypassPermissions' }),
    );
    const { policy } = grandchild;
    const denied = policy.sources.flatMap(({ rules }) => rules.filter(({ behavior }) => behavior === 'deny'));
    expect(denied.map(({ toolName }) => toolName)).toEqual(expect.arrayContaining(['Write', 'Grep']));
    const edit = recordingTool({
      name: 'Edit',
      ruleContent: 'path',
      access: () => ({ writes: ['a'] }),
    });
    const judge = (each: Binding) =>
      judgeCall({ tool: edit, input: {}, policy: each.policy, resolvePath: (path) => Promise.resolve(path) });
    // The root would be asked, whatever those below say of themselves.
    expect((await judge(root)).decision).toBe('ask');
    expect((await judge(child)).decision).toBe('ask');
    expect((await judge(grandchild)).decision).toBe('ask');
    const planning = subagentBinding(child, agentOf({ name: 'planner', permissionMode: 'plan' }));
    const below = subagentBinding(planning, agentOf({ name: 'below', permissionMode: 'default' }));
    expect((await judge(below)).decision).toBe('deny');
  });
});
