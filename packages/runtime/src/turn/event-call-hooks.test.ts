import type { AnyEvent, JsonObject } from '@rondo/protocol';
import { describe, expect, test } from 'vitest';
import type { EventHook, HookAnswer } from '../hook/event-hook.ts';
import type { ModelRequest } from '../model/model.ts';
import { compilePolicy } from '../permission/compile-policy.ts';
import { type RecordedHookRun, recordingHook } from '../testing/event-hook.ts';
import { manualClock } from '../testing/manual-clock.ts';
import { recordingTool } from '../testing/recording-tool.ts';
import { scriptedModel } from '../testing/scripted-model.ts';
import { call, say, type ScriptedStep } from '../testing/scripted-step.ts';
import { sessionScene, storeAfterCrash, type Scene, type SceneOptions } from '../testing/session-scene.ts';

const written = (request: ModelRequest | undefined): string => JSON.stringify(request?.messages);

interface StoryOptions {
  readonly eventHooks: readonly EventHook[];
  readonly steps?: readonly ScriptedStep[];
  readonly scene?: Partial<SceneOptions>;
  readonly allowed?: readonly string[];
  readonly results?: Parameters<typeof recordingTool>[0]['results'];
  readonly tool?: Partial<Parameters<typeof recordingTool>[0]>;
}

async function story({ eventHooks, steps, scene: more, allowed, results, tool }: StoryOptions) {
  const act = recordingTool({ name: 'act', effect: 'once', ...(results === undefined ? {} : { results }), ...tool });
  const model = scriptedModel(steps ?? [call('act', { n: 1 }), say('answer')]);
  const scene = await sessionScene({
    model,
    tools: [act],
    ...(allowed === undefined ? {} : { allowed }),
    ...more,
    binding: { eventHooks, ...more?.binding },
  });
  return { scene, act, model };
}

const inputsOf = (act: { readonly calls: readonly { readonly input: JsonObject }[] }) =>
  act.calls.map(({ input }) => input);
const resultOf = (events: readonly AnyEvent[]) => events.findLast((event) => event.type === 'tool.completed');
const decisionOf = (events: readonly AnyEvent[]) => events.findLast((event) => event.type === 'tool.decided');

async function answerWhenAsked(scene: Scene, type: 'allow' | 'deny'): Promise<void> {
  const opened = await scene.until((event) => event.type === 'callback.opened');
  if (opened.type !== 'callback.opened' || opened.callback.type !== 'approval') throw new Error('no question');
  const answer = type === 'allow' ? { type, scope: 'once' as const } : { type };
  await scene.runtime.answerCallback({ sessionId: scene.sessionId, callbackId: opened.callback.id, answer });
}

describe('PreToolUse', () => {
  test('is told of the call in the shape of the second seed', async () => {
    const runs: RecordedHookRun[] = [];
    const { scene } = await story({ eventHooks: [recordingHook('PreToolUse', {}, { runs })] });
    await scene.run('go');
    expect(runs[0]?.input).toEqual({
      session_id: scene.sessionId,
      transcript_path: '',
      cwd: '/work',
      prompt_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      permission_mode: 'default',
      hook_event_name: 'PreToolUse',
      tool_name: 'act',
      tool_input: { n: 1 },
      tool_use_id: 'call-1',
    });
    expect(runs[0]?.context.toolUseId).toBe('call-1');
  });

  test('a deny keeps the call from running, asks nobody, and the model reads why', async () => {
    const { scene, act, model } = await story({
      eventHooks: [recordingHook('PreToolUse', { decision: 'deny', reason: 'not now' })],
      allowed: [],
    });
    expect(await scene.run('go')).toMatchObject({ type: 'completed', text: 'answer' });
    expect(act.calls).toHaveLength(0);
    expect(written(model.requests[1])).toContain('PreToolUse:act hook error: not now');
    const events = await scene.events();
    expect(events.some((event) => event.type === 'callback.opened')).toBe(false);
    expect(decisionOf(events)).toMatchObject({ decision: 'deny', reasonType: 'hook', source: 'PreToolUse/*/0' });
  });

  test('an allow spares the question', async () => {
    const { scene, act } = await story({
      eventHooks: [recordingHook('PreToolUse', { decision: 'allow', reason: 'fine' })],
      allowed: [],
      scene: { binding: { unattended: 'deny' } },
    });
    await scene.run('go');
    expect(inputsOf(act)).toEqual([{ n: 1 }]);
    expect(decisionOf(await scene.events())).toMatchObject({ decision: 'allow', reasonType: 'hook', reason: 'fine' });
  });

  test.each([
    ['a deny rule', { disallowedTools: ['act(never)'] }, 'default'],
    ['plan', {}, 'plan'],
  ] as const)('an allow does not lift %s', async (_name, _rules, mode) => {
    const act = recordingTool({ name: 'act', effect: 'once' });
    const policy = compilePolicy({ directories: ['/work'], allowedTools: [], tools: [act], mode });
    const denying = {
      ...policy,
      sources: [
        ...policy.sources,
        {
          name: 'rules',
          evaluation: 'strictest' as const,
          rules: mode === 'default' ? [{ behavior: 'deny' as const, toolName: 'act' }] : [],
        },
      ],
    };
    const { scene, act: ran } = await story({
      eventHooks: [recordingHook('PreToolUse', { decision: 'allow' })],
      scene: { binding: { policy: denying } },
    });
    await scene.run('go');
    expect(ran.calls).toHaveLength(0);
  });

  test('an ask has a person asked though a rule allows the call, and says why', async () => {
    const { scene, act } = await story({
      eventHooks: [recordingHook('PreToolUse', { decision: 'ask', reason: 'look first' })],
    });
    const turnId = await scene.start('go');
    const opened = await scene.until((event) => event.type === 'callback.opened');
    expect(opened).toMatchObject({ callback: { request: { source: 'hook', reason: 'look first' } } });
    expect(act.calls).toHaveLength(0);
    await answerWhenAsked(scene, 'allow');
    await scene.ended(turnId);
    expect(act.calls).toHaveLength(1);
  });

  test('other arguments run, are validated, and are judged anew', async () => {
    const put = (input: JsonObject): HookAnswer => ({ decision: 'allow', updatedInput: input });
    const schema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } as const;
    const fits = await story({ eventHooks: [recordingHook('PreToolUse', put({ n: 2 }))], tool: { input: schema } });
    await fits.scene.run('go');
    expect(inputsOf(fits.act)).toEqual([{ n: 2 }]);
    expect(decisionOf(await fits.scene.events())).toMatchObject({ input: { n: 2 } });

    const unfit = await story({
      eventHooks: [recordingHook('PreToolUse', put({ n: 'two' }))],
      tool: { input: schema },
    });
    await unfit.scene.run('go');
    expect(unfit.act.calls).toHaveLength(0);
    expect(written(unfit.model.requests[1])).toContain('do not fit');
  });

  test('rewriting into what a rule denies is denied; an allow for other arguments counts for nothing', async () => {
    const denies = (n: number) => ({
      directories: ['/work'],
      sources: [
        {
          name: 'rules',
          evaluation: 'strictest' as const,
          rules: [{ behavior: 'deny' as const, toolName: 'act', ruleContent: String(n) }],
        },
      ],
      mode: 'default' as const,
    });
    const tool = {
      ruleContent: 'command' as const,
      access: (input: JsonObject) => ({ command: JSON.stringify(input['n']) }),
    };
    const { scene, act } = await story({
      eventHooks: [recordingHook('PreToolUse', { decision: 'allow', updatedInput: { n: 2 } })],
      tool,
      scene: { binding: { policy: denies(2), unattended: 'deny' } },
    });
    await scene.run('go');
    expect(act.calls).toHaveLength(0);

    const other = await story({
      eventHooks: [
        recordingHook('PreToolUse', { decision: 'allow' }, { name: 'a' }),
        recordingHook('PreToolUse', { updatedInput: { n: 3 } }, { name: 'b' }),
      ],
      allowed: [],
      scene: { binding: { unattended: 'deny' } },
    });
    await other.scene.run('go');
    expect(other.act.calls).toHaveLength(0);
  });

  test.each([
    ['throws', new Error('boom'), 'failed: boom'],
    ['gives no answer', (() => undefined) as never, 'without an answer'],
    ['decides what nobody knows', { decision: 'approve' } as never, 'as decision'],
  ])('a hook that %s denies', async (_name, answer, words) => {
    const { scene, act, model } = await story({ eventHooks: [recordingHook('PreToolUse', answer)] });
    await scene.run('go');
    expect(act.calls).toHaveLength(0);
    expect(written(model.requests[1])).toContain(words);
  });

  test('a hook that fails open is warned of, and the policy decides', async () => {
    const { scene, act } = await story({
      eventHooks: [recordingHook('PreToolUse', new Error('boom'), { failOpen: true })],
    });
    await scene.run('go');
    expect(act.calls).toHaveLength(1);
    const notices = (await scene.events()).filter((event) => event.type === 'notice');
    expect(notices).toMatchObject([{ level: 'warning', message: expect.stringContaining('failed: boom') }]);
    const unasked = await story({
      eventHooks: [recordingHook('PreToolUse', new Error('boom'), { failOpen: true })],
      allowed: [],
      scene: { binding: { unattended: 'deny' } },
    });
    await unasked.scene.run('go');
    expect(unasked.act.calls).toHaveLength(0);
  });

  test('a hook whose time is over denies; what it says then is dropped', async () => {
    const clock = manualClock();
    const late = Promise.withResolvers<HookAnswer>();
    const hook = recordingHook('PreToolUse', () => late.promise, { timeoutMs: 5000 });
    const { scene, act, model } = await story({ eventHooks: [hook], scene: { clock } });
    const turnId = await scene.start('go');
    await scene.until((event) => event.type === 'hook.started');
    await clock.advance(5000);
    await scene.ended(turnId);
    late.resolve({ decision: 'allow' });
    expect(act.calls).toHaveLength(0);
    expect(written(model.requests[1])).toContain('had not answered after 5000 ms');
  });

  test('an interrupt during a hook is an interrupt, never consent', async () => {
    const saying = Promise.withResolvers<HookAnswer>();
    const hook = recordingHook('PreToolUse', (_input, { signal }) => {
      signal.addEventListener('abort', () => saying.resolve({ decision: 'allow' }));
      return saying.promise;
    });
    const { scene, act } = await story({ eventHooks: [hook] });
    const turnId = await scene.start('go');
    await scene.until((event) => event.type === 'hook.started');
    await scene.runtime.interruptTurn({ sessionId: scene.sessionId, turnId });
    expect(await scene.ended(turnId)).toMatchObject({ type: 'interrupted', cause: 'interrupted' });
    expect(act.calls).toHaveLength(0);
    const events = await scene.events();
    expect(resultOf(events)).toMatchObject({ outcome: 'not_started' });
    expect(events.findLast((event) => event.type === 'hook.completed')).toMatchObject({
      outcome: { type: 'interrupted' },
    });
  });

  test('all hooks of a call run at once, each with its own copy of the input', async () => {
    const both = Promise.withResolvers<void>();
    let begun = 0;
    const waiting = async (input: JsonObject): Promise<HookAnswer> => {
      begun += 1;
      if (begun === 2) both.resolve();
      Object.assign(input['tool_input'] as JsonObject, { n: 99 });
      await both.promise;
      return {};
    };
    const { scene, act } = await story({
      eventHooks: [
        recordingHook('PreToolUse', waiting, { name: 'a' }),
        recordingHook('PreToolUse', waiting, { name: 'b' }),
      ],
    });
    await scene.run('go');
    expect(inputsOf(act)).toEqual([{ n: 1 }]);
  });

  test('runs the hooks that match, and those that cannot tell', async () => {
    const runs: RecordedHookRun[] = [];
    const broken = (): never => {
      throw new Error('cannot tell');
    };
    const { scene } = await story({
      eventHooks: [
        recordingHook('PreToolUse', {}, { name: 'other', runs, matches: (tool) => tool === 'look' }),
        recordingHook('PreToolUse', {}, { name: 'this', runs, matches: (tool) => tool === 'act' }),
        recordingHook('PreToolUse', {}, { name: 'no', runs, appliesTo: () => false }),
        recordingHook('PreToolUse', {}, { name: 'yes', runs, appliesTo: ({ tool_name }) => tool_name === 'act' }),
        recordingHook('PreToolUse', {}, { name: 'broken matcher', runs, matches: broken }),
        recordingHook('PreToolUse', {}, { name: 'broken condition', runs, appliesTo: broken }),
        recordingHook('PostToolUseFailure', {}, { name: 'unasked', runs }),
      ],
    });
    await scene.run('go');
    expect(runs.map(({ hook }) => hook)).toEqual(['this', 'yes', 'broken matcher', 'broken condition']);
  });

  test('a hook of one run runs once in a session, though calls run at once', async () => {
    const runs: RecordedHookRun[] = [];
    const { scene } = await story({
      eventHooks: [recordingHook('PreToolUse', {}, { once: true, runs })],
      tool: { effect: 'none' },
      steps: [[call('act', { n: 1 }), call('act', { n: 2 })], say('one'), call('act', { n: 3 }), say('two')],
    });
    await scene.run('go');
    await scene.run('again');
    expect(runs).toHaveLength(1);
  });

  test('context goes to the model behind the result, in the order of the hooks', async () => {
    const { scene, model } = await story({
      eventHooks: [
        recordingHook('PreToolUse', { additionalContext: 'before' }, { name: 'a' }),
        recordingHook('PostToolUse', { additionalContext: 'after' }, { name: 'b' }),
      ],
    });
    await scene.run('go');
    const [result, ...contexts] = model.requests[1]?.messages.at(-1)?.content ?? [];
    expect(result).toMatchObject({ type: 'tool_result' });
    expect(contexts.map((block) => (block.type === 'text' ? block.text : ''))).toEqual([
      'Context from PreToolUse hook:\nbefore',
      'Context from PostToolUse hook:\nafter',
    ]);
  });

  test('`continue: false` ends the turn: this call and those behind it do not run', async () => {
    const { scene, act, model } = await story({
      eventHooks: [recordingHook('PreToolUse', { continue: false, stopReason: 'enough' })],
      steps: [[call('act', { n: 1 }), call('act', { n: 2 })]],
    });
    expect(await scene.run('go')).toMatchObject({
      type: 'completed',
      terminalReason: 'hook_stopped',
      text: '',
      stopDetails: { reason: 'enough' },
    });
    expect(act.calls).toHaveLength(0);
    expect(model.requests).toHaveLength(1);
    const results = (await scene.events()).filter((event) => event.type === 'tool.completed');
    expect(results.map((event) => event.type === 'tool.completed' && event.outcome)).toEqual(['denied', 'not_started']);
  });
});

describe('defer', () => {
  const deferring = (runs: RecordedHookRun[], answers: HookAnswer[]): EventHook =>
    recordingHook('PreToolUse', () => answers.shift() ?? {}, { runs });

  test('ends the turn at the call; the next turn takes it up, and hooks judge it anew', async () => {
    const runs: RecordedHookRun[] = [];
    const { scene, act, model } = await story({
      eventHooks: [deferring(runs, [{ decision: 'defer' }, { decision: 'allow', updatedInput: { n: 7 } }])],
      allowed: [],
      scene: { binding: { unattended: 'deny' } },
    });
    expect(await scene.run('go')).toMatchObject({
      type: 'completed',
      stopReason: 'tool_deferred',
      terminalReason: 'tool_deferred',
      stopDetails: { deferred: { id: 'call-1', name: 'act', input: { n: 1 } } },
    });
    expect(act.calls).toHaveLength(0);
    expect(resultOf(await scene.events())).toBeUndefined();
    expect(await scene.run('go on')).toMatchObject({ type: 'completed', text: 'answer' });
    expect(inputsOf(act)).toEqual([{ n: 7 }]);
    expect(runs).toHaveLength(2);
    const last = model.requests[1]?.messages.at(-1);
    expect(last?.content.map(({ type }) => type)).toEqual(['tool_result', 'text']);
    expect(written(model.requests[1])).not.toContain('was cut off');
  });

  test('is taken up by another process', async () => {
    const first = await story({ eventHooks: [deferring([], [{ decision: 'defer' }])] });
    await first.scene.run('go');
    const { sessionId, store, runtime } = first.scene;
    await runtime.close();
    const act = recordingTool({ name: 'act', effect: 'once' });
    const model = scriptedModel([say('answer')]);
    const options = { model, tools: [act], store, binding: { eventHooks: [deferring([], [])] } };
    const second = await sessionScene(options, sessionId);
    await second.runtime.openSession({ sessionId, bindingId: second.bindingId, unfinished: 'settle' });
    expect(await second.run('go on')).toMatchObject({ type: 'completed', text: 'answer' });
    expect(inputsOf(act)).toEqual([{ n: 1 }]);
  });

  test('leaves the calls behind it too, and none that ran runs again', async () => {
    const hook = recordingHook('PreToolUse', ({ tool_input }) =>
      (tool_input as JsonObject)['n'] === 2 && deferred.splice(0).length > 0 ? { decision: 'defer' } : {},
    );
    const deferred = [1];
    const { scene, act } = await story({
      eventHooks: [hook],
      steps: [[1, 2, 3].map((n) => call('act', { n })), say('answer')],
    });
    await scene.run('go');
    expect(inputsOf(act)).toEqual([{ n: 1 }]);
    await scene.run('go on');
    expect(inputsOf(act)).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
  });

  test.each<[string, HookAnswer | 'interrupt']>([
    ['a hook stops', { continue: false }],
    ['a hook blocks', { decision: 'block' }],
    ['a person interrupts', 'interrupt'],
  ])('waits on where %s the next turn before it comes to the call', async (_name, second) => {
    const judge = recordingHook('UserPromptSubmit', ({ prompt }) => {
      if (prompt !== 'second') return {};
      return second === 'interrupt' ? new Promise<HookAnswer>(() => {}) : second;
    });
    const { scene, act, model } = await story({ eventHooks: [judge, deferring([], [{ decision: 'defer' }])] });
    await scene.run('go');
    const turnId = await scene.start('second');
    if (second === 'interrupt') {
      await scene.until((event) => event.type === 'hook.started' && event.turnId === turnId);
      await scene.runtime.interruptTurn({ sessionId: scene.sessionId, turnId });
    }
    await scene.ended(turnId);
    expect(act.calls).toHaveLength(0);
    expect(await scene.run('third')).toMatchObject({ text: 'answer' });
    expect(inputsOf(act)).toEqual([{ n: 1 }]);
    expect(written(model.requests[1])).not.toContain('was cut off');
  });

  test('is not run again where the turn that took it up was left by a crash', async () => {
    const atWork = Promise.withResolvers<void>();
    const results = [
      async () => {
        atWork.resolve();
        return await new Promise<string>(() => {});
      },
    ];
    const first = await story({ eventHooks: [deferring([], [{ decision: 'defer' }])], results });
    await first.scene.run('go');
    await first.scene.start('go on');
    await atWork.promise;
    const { sessionId } = first.scene;
    const store = await storeAfterCrash(first.scene.store, sessionId, () => true);
    const act = recordingTool({ name: 'act', effect: 'once' });
    const model = scriptedModel([say('answer')]);
    const options = { model, tools: [act], store, binding: { eventHooks: [deferring([], [])] } };
    const second = await sessionScene(options, sessionId);
    await second.runtime.openSession({ sessionId, bindingId: second.bindingId, unfinished: 'settle' });
    expect(await second.run('again')).toMatchObject({ text: 'answer' });
    expect(act.calls).toHaveLength(0);
    expect(resultOf(await second.events())).toMatchObject({ outcome: 'unknown' });
  });

  test('may be deferred again and again', async () => {
    const { scene, act } = await story({
      eventHooks: [deferring([], [{ decision: 'defer' }, { decision: 'defer' }])],
    });
    await scene.run('go');
    expect(await scene.run('again')).toMatchObject({ stopReason: 'tool_deferred' });
    expect(await scene.run('now')).toMatchObject({ text: 'answer' });
    expect(act.calls).toHaveLength(1);
  });
});

describe('PermissionRequest', () => {
  test('allows in a person’s place, with other arguments and what is allowed from now on', async () => {
    const runs: RecordedHookRun[] = [];
    const rules = [{ toolName: 'act' }];
    const answer: HookAnswer = {
      decision: 'allow',
      updatedInput: { n: 5 },
      updatedPermissions: [{ type: 'addRules', rules, behavior: 'allow', destination: 'session' }],
    };
    const { scene, act } = await story({
      eventHooks: [recordingHook('PermissionRequest', answer, { runs })],
      allowed: [],
      steps: [call('act', { n: 1 }), call('act', { n: 2 }), say('answer')],
    });
    await scene.run('go');
    expect(inputsOf(act)).toEqual([{ n: 5 }, { n: 2 }]);
    expect(runs).toHaveLength(1);
    expect(runs[0]?.input).toMatchObject({ tool_name: 'act', tool_input: { n: 1 } });
    expect((await scene.events()).some((event) => event.type === 'callback.opened')).toBe(false);
  });

  test.each(['wait', 'deny'] as const)('may answer where questions %s', async (unattended) => {
    const allowing = await story({
      eventHooks: [recordingHook('PermissionRequest', { decision: 'allow' })],
      allowed: [],
      scene: { binding: { unattended } },
    });
    await allowing.scene.run('go');
    expect(allowing.act.calls).toHaveLength(1);
    expect(decisionOf(await allowing.scene.events())).toMatchObject({ reasonType: 'hook', decision: 'allow' });
    const denying = await story({
      eventHooks: [recordingHook('PermissionRequest', { decision: 'deny', reason: 'never' })],
      allowed: [],
      scene: { binding: { unattended } },
    });
    await denying.scene.run('go');
    expect(denying.act.calls).toHaveLength(0);
    expect(written(denying.model.requests[1])).toContain('never');
  });

  test('is not asked where no question would be: a rule decides, or the mode asks nobody', async () => {
    const runs: RecordedHookRun[] = [];
    const hook = recordingHook('PermissionRequest', { decision: 'allow' }, { runs });
    const allowed = await story({ eventHooks: [hook] });
    await allowed.scene.run('go');
    const policy = compilePolicy({ directories: ['/work'], allowedTools: [], tools: [], mode: 'dontAsk' });
    const silent = await story({ eventHooks: [hook], scene: { binding: { policy } } });
    await silent.scene.run('go');
    expect(silent.act.calls).toHaveLength(0);
    expect(runs).toHaveLength(0);
  });

  test('a deny that interrupts stops the turn', async () => {
    const { scene } = await story({
      eventHooks: [recordingHook('PermissionRequest', { decision: 'deny', interrupt: true })],
      allowed: [],
    });
    expect(await scene.run('go')).toMatchObject({ type: 'interrupted', terminalReason: 'aborted_tools' });
  });

  test('one that fails denies; one without an opinion leaves the question to the person', async () => {
    const broken = await story({ eventHooks: [recordingHook('PermissionRequest', new Error('boom'))], allowed: [] });
    await broken.scene.run('go');
    expect(broken.act.calls).toHaveLength(0);
    const silent = await story({ eventHooks: [recordingHook('PermissionRequest', {})], allowed: [] });
    const turnId = await silent.scene.start('go');
    await answerWhenAsked(silent.scene, 'allow');
    await silent.scene.ended(turnId);
    expect(silent.act.calls).toHaveLength(1);
  });

  test('other arguments pass the deny rules again', async () => {
    const policy = {
      directories: ['/work'],
      mode: 'default' as const,
      sources: [
        {
          name: 'rules',
          evaluation: 'strictest' as const,
          rules: [{ behavior: 'deny' as const, toolName: 'act', ruleContent: '2' }],
        },
      ],
    };
    const tool = {
      ruleContent: 'command' as const,
      access: (input: JsonObject) => ({ command: JSON.stringify(input['n']) }),
    };
    const hook = recordingHook('PermissionRequest', { decision: 'allow', updatedInput: { n: 2 } });
    const { scene, act } = await story({ eventHooks: [hook], tool, scene: { binding: { policy } } });
    await scene.run('go');
    expect(act.calls).toHaveLength(0);
  });

  test('what it allows beside the call, and the policy cannot take, denies the call', async () => {
    const updatedPermissions = [{ type: 'setMode', mode: 'bypassPermissions', destination: 'session' } as const];
    const hook = recordingHook('PermissionRequest', { decision: 'allow', updatedPermissions });
    const { scene, act, model } = await story({ eventHooks: [hook], allowed: [] });
    await scene.run('go');
    expect(act.calls).toHaveLength(0);
    expect(written(model.requests[1])).toContain('bypassPermissions was not allowed');
    expect((await scene.events()).some((event) => event.type === 'session.updated')).toBe(false);
  });

  test.each<[string, readonly EventHook[]]>([
    ['the turn is stopped', [recordingHook('PermissionRequest', { continue: false }, { name: 'b' })]],
    ['what it puts in place does not fit', []],
  ])('what it allows beside the call is nothing where %s', async (_name, others) => {
    const updatedPermissions: HookAnswer['updatedPermissions'] = [
      { type: 'addRules', rules: [{ toolName: 'act' }], behavior: 'allow', destination: 'session' },
    ];
    const updatedInput = others.length === 0 ? { updatedInput: { n: 'two' } } : {};
    const hook = recordingHook('PermissionRequest', { decision: 'allow', updatedPermissions, ...updatedInput });
    const tool = { input: { type: 'object', properties: { n: { type: 'number' } } } as const };
    const { scene, act } = await story({ eventHooks: [hook, ...others], allowed: [], tool });
    await scene.run('go');
    expect(act.calls).toHaveLength(0);
    expect((await scene.events()).some((event) => event.type === 'session.updated')).toBe(false);
  });

  test('a question that opens notifies, and nobody waits for that', async () => {
    const runs: RecordedHookRun[] = [];
    const never = new Promise<HookAnswer>(() => {});
    const { scene } = await story({
      eventHooks: [recordingHook('Notification', () => never, { runs })],
      allowed: [],
    });
    const turnId = await scene.start('go');
    await answerWhenAsked(scene, 'deny');
    await scene.ended(turnId);
    expect(runs[0]?.input).toMatchObject({ hook_event_name: 'Notification', notification_type: 'permission_prompt' });
  });
});

describe('hooks that do what no hook should', () => {
  test.each<[string, unknown, number]>([
    ['nothing', undefined, 0],
    ['an output that is none', { answer: { decision: 'allow' }, output: { stdout: 1 }, notices: 'x' }, 1],
    ['notices that are none', { answer: { decision: 'allow' }, output: 'x', notices: [1] }, 1],
    ['an allow of another shape', { answer: { decision: ['allow'] } }, 0],
  ])('%s neither ends the turn nor allows more than it says', async (_name, run, ran) => {
    const hook: EventHook = { ...recordingHook('PreToolUse', {}), run: () => Promise.resolve(run as never) };
    const { scene, act } = await story({ eventHooks: [hook], allowed: [], scene: { binding: { unattended: 'deny' } } });
    expect(await scene.run('go')).toMatchObject({ type: 'completed', text: 'answer' });
    expect(act.calls).toHaveLength(ran);
  });

  test('the one run of a hook is still to come where its turn was stopped first', async () => {
    const stopping = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    const guard = recordingHook(
      'PreToolUse',
      { decision: 'deny' },
      {
        once: true,
        appliesTo: async () => {
          asked.resolve();
          await stopping.promise;
          return true;
        },
      },
    );
    const steps = [call('act'), call('act'), say('answer')];
    const { scene, act } = await story({ eventHooks: [guard], steps });
    const turnId = await scene.start('go');
    await asked.promise;
    await scene.runtime.interruptTurn({ sessionId: scene.sessionId, turnId });
    stopping.resolve();
    await scene.ended(turnId);
    await scene.run('again');
    expect(act.calls).toHaveLength(0);
  });
});

describe('after a call', () => {
  test('PostToolUse is told the result, and may put another in its place', async () => {
    const runs: RecordedHookRun[] = [];
    const { scene, model } = await story({
      eventHooks: [
        recordingHook('PostToolUse', { updatedToolOutput: 'first' }, { name: 'a', runs }),
        recordingHook('PostToolUse', { updatedToolOutput: { masked: true } }, { name: 'b', runs }),
      ],
      results: [{ content: 'secret', structured: { secret: 1 } }],
    });
    await scene.run('go');
    expect(runs[0]?.input).toMatchObject({
      hook_event_name: 'PostToolUse',
      tool_input: { n: 1 },
      tool_response: { secret: 1 },
      duration_ms: expect.any(Number),
    });
    expect(written(model.requests[1])).toContain('masked');
    expect(written(model.requests[1])).not.toContain('secret');
    expect(resultOf(await scene.events())).toMatchObject({ structured: { masked: true }, outcome: 'success' });
  });

  test('a block keeps the result and tells the model why', async () => {
    const { scene, model } = await story({
      eventHooks: [recordingHook('PostToolUse', { decision: 'block', reason: 'format it' })],
    });
    await scene.run('go');
    const content = model.requests[1]?.messages.at(-1)?.content ?? [];
    expect(content).toMatchObject([
      { type: 'tool_result', content: [{ text: 'ok' }] },
      { text: expect.stringContaining('PostToolUse:act hook blocked: format it') },
    ]);
  });

  test('`continue: false` ends the turn behind the call', async () => {
    const { scene, act, model } = await story({
      eventHooks: [recordingHook('PostToolUse', { continue: false, stopReason: 'enough' })],
      steps: [[call('act', { n: 1 }), call('act', { n: 2 })]],
    });
    expect(await scene.run('go')).toMatchObject({
      terminalReason: 'hook_stopped',
      stopReason: 'hook_stopped',
      text: '',
    });
    expect(inputsOf(act)).toEqual([{ n: 1 }]);
    expect(model.requests).toHaveLength(1);
    const notice = (await scene.events()).find((event) => event.type === 'notice');
    expect(notice).toMatchObject({ message: 'enough', details: { preventContinuation: true } });
  });

  test('one that fails is warned of: the result stands', async () => {
    const { scene, model } = await story({ eventHooks: [recordingHook('PostToolUse', new Error('boom'))] });
    await scene.run('go');
    expect(written(model.requests[1])).toContain('ok');
    expect((await scene.events()).find((event) => event.type === 'notice')).toMatchObject({ level: 'warning' });
  });

  test('PostToolUseFailure is told the error of a call that failed, and PostToolUse nothing', async () => {
    const runs: RecordedHookRun[] = [];
    const { scene, model } = await story({
      eventHooks: [
        recordingHook('PostToolUse', {}, { runs }),
        recordingHook('PostToolUseFailure', { additionalContext: 'try b' }, { runs }),
      ],
      results: [new Error('broken')],
    });
    await scene.run('go');
    expect(runs.map(({ input }) => input)).toMatchObject([
      { hook_event_name: 'PostToolUseFailure', error: expect.stringContaining('broken'), is_interrupt: false },
    ]);
    expect(written(model.requests[1])).toContain('try b');
  });

  test('an interrupted call is told of as such, and holds nothing up', async () => {
    const runs: RecordedHookRun[] = [];
    const begun = Promise.withResolvers<void>();
    const { scene } = await story({
      eventHooks: [recordingHook('PostToolUseFailure', () => new Promise(() => {}), { runs })],
      results: [
        (_input, { signal }) => {
          begun.resolve();
          return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('stopped'))));
        },
      ],
    });
    const turnId = await scene.start('go');
    await begun.promise;
    await scene.runtime.interruptTurn({ sessionId: scene.sessionId, turnId });
    expect(await scene.ended(turnId)).toMatchObject({ type: 'interrupted' });
    expect(runs.map(({ input }) => input)).toMatchObject([{ is_interrupt: true }]);
  });

  test('PostToolBatch is told all calls of a step once, before the next request', async () => {
    const runs: RecordedHookRun[] = [];
    const { scene, model } = await story({
      eventHooks: [recordingHook('PostToolBatch', { additionalContext: 'tidy up' }, { runs })],
      tool: { effect: 'none' },
      steps: [[call('act', { n: 1 }), call('act', { n: 2 })], call('act', { n: 3 }), say('answer')],
    });
    await scene.run('go');
    expect(runs.map(({ input }) => input['tool_calls'])).toMatchObject([
      [
        { tool_name: 'act', tool_input: { n: 1 }, tool_use_id: 'call-1', tool_response: [{ text: 'ok' }] },
        { tool_input: { n: 2 } },
      ],
      [{ tool_input: { n: 3 } }],
    ]);
    expect(written(model.requests[1])).toContain('tidy up');
  });

  test('a blocking PostToolBatch ends the turn', async () => {
    const { scene } = await story({
      eventHooks: [recordingHook('PostToolBatch', { decision: 'block', reason: 'enough' })],
    });
    expect(await scene.run('go')).toMatchObject({ terminalReason: 'hook_stopped', stopDetails: { reason: 'enough' } });
  });
});
