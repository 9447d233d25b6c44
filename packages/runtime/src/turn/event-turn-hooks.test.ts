import type { AnyEvent } from '@rondo/protocol';
import { describe, expect, test } from 'vitest';
import type { EventHook, EventHookContext, HookAnswer, HookRun } from '../hook/event-hook.ts';
import { skip } from '../hook/hook-decision.ts';
import type { ModelRequest } from '../model/model.ts';
import { type RecordedHookRun, recordingHook } from '../testing/event-hook.ts';
import { recordingTool } from '../testing/recording-tool.ts';
import { scriptedModel } from '../testing/scripted-model.ts';
import { call, pauseUntil, say, type ScriptedStep } from '../testing/scripted-step.ts';
import { sessionScene, type SceneOptions } from '../testing/session-scene.ts';
import { MAX_STOP_BLOCKS } from './event-turn-hooks.ts';

const written = (request: ModelRequest | undefined): string => JSON.stringify(request?.messages);

async function story(
  eventHooks: readonly EventHook[],
  steps: readonly ScriptedStep[] = [say('answer')],
  more: Partial<SceneOptions> = {},
  sessionId?: string,
) {
  const model = scriptedModel(steps);
  const scene = await sessionScene({ model, ...more, binding: { eventHooks, ...more.binding } }, sessionId);
  return { scene, model };
}

const noticesOf = (events: readonly AnyEvent[]): string[] =>
  events.flatMap((event) => (event.type === 'notice' ? [event.message] : []));

describe('UserPromptSubmit', () => {
  test('is told the prompt, and adds to what the model reads', async () => {
    const runs: RecordedHookRun[] = [];
    const { scene, model } = await story([
      recordingHook('UserPromptSubmit', { additionalContext: 'the branch is main' }, { runs }),
    ]);
    await scene.run('go');
    expect(runs[0]?.input).toMatchObject({ hook_event_name: 'UserPromptSubmit', prompt: 'go' });
    expect(written(model.requests[0])).toContain('the branch is main');
  });

  test.each<[string, HookAnswer | Error, string]>([
    ['blocks', { decision: 'block', reason: 'no secrets' }, 'no secrets'],
    ['fails', new Error('boom'), 'failed: boom'],
  ])('one that %s keeps the prompt from the model, now and later', async (_name, answer, reason) => {
    const answers = [answer];
    const hook = recordingHook('UserPromptSubmit', () => {
      const [given = {}] = answers.splice(0);
      if (given instanceof Error) throw given;
      return given;
    });
    const { scene, model } = await story([hook]);
    expect(await scene.run('the secret')).toMatchObject({
      type: 'completed',
      stopReason: 'prompt_blocked',
      text: expect.stringContaining(reason),
    });
    expect(model.requests).toHaveLength(0);
    expect(noticesOf(await scene.events()).join()).toContain(reason);
    expect(await scene.run('go')).toMatchObject({ text: 'answer' });
    expect(written(model.requests[0])).not.toContain('the secret');
  });

  test('judges messages that join a turn; a blocked one is dropped and the turn goes on', async () => {
    const gate = Promise.withResolvers<void>();
    const hook = recordingHook('UserPromptSubmit', ({ prompt }) => (prompt === 'bad' ? { decision: 'block' } : {}));
    const act = recordingTool({ name: 'act', effect: 'none' });
    const steps = [[pauseUntil(gate.promise), call('act')], say('answer')];
    const { scene, model } = await story([hook], steps, { tools: [act] });
    const turnId = await scene.start('go');
    await scene.send('bad');
    await scene.send('good');
    gate.resolve();
    expect(await scene.ended(turnId)).toMatchObject({ text: 'answer' });
    expect(written(model.requests[1])).toContain('good');
    expect(written(model.requests[1])).not.toContain('bad');
  });

  test('one that joins an answered turn and is blocked costs no request', async () => {
    const gate = Promise.withResolvers<void>();
    const hook = recordingHook('UserPromptSubmit', ({ prompt }) => (prompt === 'bad' ? { decision: 'block' } : {}));
    const { scene, model } = await story([hook], [[pauseUntil(gate.promise), say('answer')]]);
    const turnId = await scene.start('go');
    await scene.send('bad');
    gate.resolve();
    expect(await scene.ended(turnId)).toMatchObject({ type: 'completed', text: 'answer' });
    expect(model.requests).toHaveLength(1);
  });

  test('sees what hooks of the first face have left', async () => {
    const runs: RecordedHookRun[] = [];
    const { scene } = await story([recordingHook('UserPromptSubmit', {}, { runs })], [say('answer')], {
      binding: { hooks: [{ name: 'guard', preAgentTurn: () => skip('not today') }] },
    });
    expect(await scene.run('go')).toMatchObject({ stopReason: 'hook_skipped' });
    expect(runs).toHaveLength(0);
  });

  test('`continue: false` ends the turn, and an interrupt while it is asked is an interrupt', async () => {
    const ending = await story([recordingHook('UserPromptSubmit', { continue: false, stopReason: 'closed' })]);
    expect(await ending.scene.run('go')).toMatchObject({
      terminalReason: 'hook_stopped',
      stopDetails: { reason: 'closed' },
    });
    const waiting = await story([recordingHook('UserPromptSubmit', () => new Promise(() => {}))]);
    const turnId = await waiting.scene.start('go');
    await waiting.scene.until((event) => event.type === 'hook.started');
    await waiting.scene.runtime.interruptTurn({ sessionId: waiting.scene.sessionId, turnId });
    expect(await waiting.scene.ended(turnId)).toMatchObject({ type: 'interrupted' });
    expect(waiting.model.requests).toHaveLength(0);
  });
});

describe('a prompt of a turn that ends before hooks have judged it', () => {
  const waiting = () => new Promise<HookAnswer>(() => {});

  test.each(['one that denied beside one at work', 'one at work'])('is not sent later: %s', async (kind) => {
    const denying = recordingHook('UserPromptSubmit', ({ prompt }) => (prompt === 'go' ? {} : { decision: 'block' }), {
      name: 'a',
    });
    const slow = recordingHook('UserPromptSubmit', ({ prompt }) => (prompt === 'go' ? {} : waiting()), { name: 'b' });
    const both = kind === 'one at work' ? [slow] : [denying, slow];
    const { scene, model } = await story(both);
    const turnId = await scene.start('the secret');
    await scene.until((event) => event.type === (both.length === 1 ? 'hook.started' : 'hook.completed'));
    await scene.runtime.interruptTurn({ sessionId: scene.sessionId, turnId });
    await scene.ended(turnId);
    expect(await scene.run('go')).toMatchObject({ text: 'answer' });
    expect(written(model.requests[0])).not.toContain('the secret');
    expect(noticesOf(await scene.events()).join()).toContain('before hooks had judged');
  });

  test('is not sent by the owner after a crash that settles it', async () => {
    const first = await story([recordingHook('UserPromptSubmit', waiting)]);
    const { sessionId, store, runtime } = first.scene;
    await first.scene.start('the secret');
    await first.scene.until((event) => event.type === 'hook.started');
    await runtime.close();
    const second = await story([recordingHook('UserPromptSubmit', {})], [say('answer')], { store }, sessionId);
    await second.scene.runtime.openSession({ sessionId, bindingId: second.scene.bindingId, unfinished: 'settle' });
    await second.scene.run('go');
    expect(written(second.model.requests[0])).not.toContain('the secret');
  });

  test('stays where they had let it pass, or none is waited for', async () => {
    const gate = Promise.withResolvers<void>();
    const judging = [recordingHook('UserPromptSubmit', {})];
    const { scene, model } = await story(judging, [[pauseUntil(gate.promise), say('never')], say('answer')]);
    const turnId = await scene.start('the first');
    await scene.until((event) => event.type === 'model.requested');
    await scene.runtime.interruptTurn({ sessionId: scene.sessionId, turnId });
    gate.resolve();
    await scene.ended(turnId);
    await scene.run('go');
    expect(written(model.requests[1])).toContain('the first');
  });
});

describe('SessionStart and Setup', () => {
  test('a session starts once for its owner, and is resumed by the next one', async () => {
    const runs: RecordedHookRun[] = [];
    const hooks = [
      recordingHook('SessionStart', { additionalContext: 'welcome' }, { runs }),
      recordingHook('Setup', {}, { runs }),
    ];
    const first = await story(hooks, [say('one'), say('two')]);
    await first.scene.run('go');
    await first.scene.run('again');
    expect(runs.map(({ input }) => input)).toMatchObject([
      { hook_event_name: 'SessionStart', source: 'startup', model: 'scripted/model' },
    ]);
    expect(written(first.model.requests[0])).toContain('welcome');
    const { sessionId, store, runtime } = first.scene;
    await runtime.close();
    const second = await story(hooks, [say('three')], { store }, sessionId);
    await second.scene.runtime.openSession({ sessionId, bindingId: second.scene.bindingId, unfinished: 'settle' });
    await second.scene.run('more');
    expect(runs.map(({ input }) => input['source'])).toEqual(['startup', 'resume']);
  });

  test('Setup comes first, where the session is set up for something', async () => {
    const runs: RecordedHookRun[] = [];
    const hooks = [recordingHook('SessionStart', {}, { runs }), recordingHook('Setup', {}, { runs })];
    const { scene } = await story(hooks, [say('one'), say('two')], { binding: { setup: 'init' } });
    await scene.run('go');
    await scene.run('again');
    expect(runs.map(({ input }) => [input['hook_event_name'], input['trigger']])).toEqual([
      ['Setup', 'init'],
      ['SessionStart', undefined],
    ]);
  });

  test('matchers are about the source', async () => {
    const runs: RecordedHookRun[] = [];
    const { scene } = await story([
      recordingHook('SessionStart', {}, { runs, name: 'a', matches: (source) => source === 'resume' }),
      recordingHook('SessionStart', {}, { runs, name: 'b', matches: (source) => source === 'startup' }),
    ]);
    await scene.run('go');
    expect(runs.map(({ hook }) => hook)).toEqual(['b']);
  });

  test('one that fails is warned of, and the session goes on', async () => {
    const { scene } = await story([recordingHook('SessionStart', new Error('boom'))]);
    expect(await scene.run('go')).toMatchObject({ text: 'answer' });
    expect(noticesOf(await scene.events())).toEqual([expect.stringContaining('failed: boom')]);
  });
});

describe('Stop', () => {
  test('a block has the model go on, which is told why, and that a hook is at it', async () => {
    const runs: RecordedHookRun[] = [];
    const answers: HookAnswer[] = [{ decision: 'block', reason: 'run the tests' }];
    const hook = recordingHook('Stop', () => answers.shift() ?? {}, { runs });
    const { scene, model } = await story([hook], [say('done'), say('really done')]);
    expect(await scene.run('go')).toMatchObject({ type: 'completed', text: 'really done', stopReason: 'end_turn' });
    expect(runs.map(({ input }) => input)).toMatchObject([
      { stop_hook_active: false, last_assistant_message: 'done' },
      { stop_hook_active: true, last_assistant_message: 'really done' },
    ]);
    expect(written(model.requests[1])).toContain('Stop hook feedback:\\nrun the tests');
  });

  test('hooks that never let a turn end are left out in the end', async () => {
    const steps = Array.from({ length: MAX_STOP_BLOCKS + 1 }, (_, index) => say(`done ${index}`));
    const { scene, model } = await story([recordingHook('Stop', { decision: 'block' })], steps);
    expect(await scene.run('go')).toMatchObject({ text: `done ${MAX_STOP_BLOCKS}` });
    expect(model.requests).toHaveLength(MAX_STOP_BLOCKS + 1);
    expect(noticesOf(await scene.events()).join()).toContain('it ends all the same');
  });

  test('the turn’s limit holds', async () => {
    const { scene, model } = await story([recordingHook('Stop', { decision: 'block' })], [say('done'), say('done')], {
      binding: { limits: { maxTurns: 2 } },
    });
    expect(await scene.run('go')).toMatchObject({ stopReason: 'max_turns' });
    expect(model.requests).toHaveLength(2);
  });

  test('`continue: false` ends the turn, whatever another one blocks', async () => {
    const { scene, model } = await story([
      recordingHook('Stop', { decision: 'block' }, { name: 'a' }),
      recordingHook('Stop', { continue: false, stopReason: 'enough' }, { name: 'b' }),
    ]);
    expect(await scene.run('go')).toMatchObject({ terminalReason: 'stop_hook_prevented', text: 'answer' });
    expect(model.requests).toHaveLength(1);
  });

  test('one that fails blocks nothing', async () => {
    const { scene } = await story([recordingHook('Stop', new Error('boom'))]);
    expect(await scene.run('go')).toMatchObject({ type: 'completed', text: 'answer' });
  });

  test('is not asked about a turn that was stopped or failed', async () => {
    const runs: RecordedHookRun[] = [];
    const { scene } = await story([recordingHook('Stop', {}, { runs })], [say('done')], {
      binding: { limits: { maxTurns: 1 }, hooks: [{ name: 'guard', preLlmCall: () => skip('no') }] },
    });
    await scene.run('go');
    expect(runs).toHaveLength(0);
  });
});

describe('what people are told', () => {
  test('a system message is a notice; output and progress go to whoever follows hooks', async () => {
    const long = 'x'.repeat(10_000);
    const hook: EventHook = {
      name: 'SessionStart/*/0',
      event: 'SessionStart',
      timeoutMs: 1000,
      run(_input, { progress }) {
        progress({ stdout: 'half', stderr: '' });
        const output = { stdout: long, stderr: 'careful', exitCode: 0 };
        return Promise.resolve({ answer: { systemMessage: 'hello there' }, output, notices: ['an odd key'] });
      },
    };
    const { scene } = await story([hook]);
    const shown = scene.until((event) => event.type === 'hook.progress', { deltas: true });
    await scene.run('go');
    expect(await shown).toMatchObject({ name: 'SessionStart/*/0', stdout: 'half' });
    const events = await scene.events();
    const completed = events.find((event) => event.type === 'hook.completed');
    expect(completed).toMatchObject({ output: { stderr: 'careful', exitCode: 0 }, subject: 'startup' });
    expect(JSON.stringify(completed).length).toBeLessThan(6000);
    expect(noticesOf(events)).toEqual(['SessionStart/*/0: an odd key', 'hello there']);
  });

  test('suppressed output is not kept', async () => {
    const hook: EventHook = {
      ...recordingHook('SessionStart', {}),
      run: () => Promise.resolve({ answer: { suppressOutput: true }, output: { stdout: 'x', stderr: '' } }),
    };
    const { scene } = await story([hook]);
    await scene.run('go');
    const completed = (await scene.events()).find((event) => event.type === 'hook.completed');
    expect(completed).not.toHaveProperty('output');
  });
});

describe('a hook in the background', () => {
  test('is not waited for; its context comes with what the model is asked next, in a later turn too', async () => {
    const gate = Promise.withResolvers<HookAnswer>();
    const runs: RecordedHookRun[] = [];
    const hook = recordingHook('UserPromptSubmit', () => gate.promise, { background: true, runs });
    const { scene, model } = await story([hook], [say('one'), say('two')]);
    expect(await scene.run('go')).toMatchObject({ text: 'one' });
    expect(runs).toHaveLength(1);
    gate.resolve({ additionalContext: 'the tests pass', decision: 'block', continue: false });
    await scene.until((event) => event.type === 'hook.completed');
    expect(await scene.run('again')).toMatchObject({ text: 'two' });
    expect(written(model.requests[0])).not.toContain('the tests pass');
    expect(written(model.requests[1])).toContain('the tests pass');
  });
});

describe('a hook that goes on by itself', () => {
  const goingOn = (
    later: (context: EventHookContext) => Promise<HookRun>,
    runs: EventHookContext[] = [],
  ): EventHook => ({
    ...recordingHook('UserPromptSubmit', {}),
    run: () =>
      Promise.resolve({
        answer: {},
        later: {
          timeoutMs: 60_000,
          run(context) {
            runs.push(context);
            return later(context);
          },
        },
      }),
  });

  test('is not waited for: what it says then is context and a notice, and decides nothing', async () => {
    const gate = Promise.withResolvers<HookRun>();
    const { scene, model } = await story([goingOn(() => gate.promise)], [say('one'), say('two')]);
    expect(await scene.run('go')).toMatchObject({ text: 'one' });
    const answer = { decision: 'block', continue: false, additionalContext: 'the tests pass' } as const;
    gate.resolve({ answer: { ...answer, systemMessage: 'by the way' } });
    await scene.until((event) => event.type === 'hook.completed' && event.background === true);
    expect(await scene.run('again')).toMatchObject({ text: 'two' });
    expect(written(model.requests[1])).toContain('the tests pass');
    expect(noticesOf(await scene.events())).toContain('by the way');
  });

  test('is stopped with its turn', async () => {
    const contexts: EventHookContext[] = [];
    const gate = Promise.withResolvers<void>();
    const hook = goingOn(() => new Promise(() => {}), contexts);
    const { scene } = await story([hook], [[pauseUntil(gate.promise), say('one')]]);
    const turnId = await scene.start('go');
    await scene.until((event) => event.type === 'model.requested');
    await scene.runtime.interruptTurn({ sessionId: scene.sessionId, turnId });
    gate.resolve();
    await scene.ended(turnId);
    expect(contexts.map(({ signal }) => signal.aborted)).toEqual([true]);
  });
});

describe('the session and its program', () => {
  test.each(['close', 'cancel'] as const)('SessionEnd is told when an owner is done with it: %s', async (way) => {
    const runs: RecordedHookRun[] = [];
    const { scene } = await story([recordingHook('SessionEnd', new Error('boom'), { runs })]);
    await scene.run('go');
    if (way === 'cancel') await scene.runtime.cancelSession({ sessionId: scene.sessionId });
    await scene.runtime.close();
    expect(runs.map(({ input }) => input)).toMatchObject([{ hook_event_name: 'SessionEnd', reason: 'other' }]);
    const events = await scene.events();
    expect(events.find((event) => event.type === 'hook.completed')).toMatchObject({ outcome: { type: 'failed' } });
  });

  test('is gone on with only where its hooks are', async () => {
    const { scene } = await story([recordingHook('Stop', {}, { name: 'guard' })]);
    await scene.run('go');
    const { sessionId, store, runtime } = scene;
    await runtime.close();
    const other = await story([recordingHook('PreToolUse', {}, { name: 'guard' })], [], { store }, sessionId);
    const opening = other.scene.runtime.openSession({
      sessionId,
      bindingId: other.scene.bindingId,
      unfinished: 'settle',
    });
    await expect(opening).rejects.toMatchObject({
      code: 'session.config_mismatch',
      message: expect.stringContaining('Stop/guard'),
    });
  });
});
