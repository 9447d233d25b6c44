import type { AnyEvent } from '@rondo/protocol';
import { describe, expect, test } from 'vitest';
import type { EventHook, HookAnswer, HookRun } from '../hook/event-hook.ts';
import { recordingHook } from '../testing/event-hook.ts';
import { recordingTool } from '../testing/recording-tool.ts';
import { scriptedModel } from '../testing/scripted-model.ts';
import { call, say, type ScriptedStep } from '../testing/scripted-step.ts';
import { type Scene, sessionScene } from '../testing/session-scene.ts';
import { sha256 } from '../testing/temporary-binding.ts';
import { replaySession } from './replay-session.ts';

async function recordedScene(eventHooks: readonly EventHook[], steps?: readonly ScriptedStep[]): Promise<Scene> {
  const act = recordingTool({ name: 'act', effect: 'once' });
  const look = recordingTool({ name: 'look', effect: 'none' });
  const calls = [call('look', { n: 1 }), call('look', { n: 2 }), call('act', { n: 3 })];
  return await sessionScene({
    model: scriptedModel(steps ?? [calls, say('draft'), say('done')]),
    tools: [act, look],
    allowed: ['look'],
    binding: { eventHooks, unattended: 'deny' },
  });
}

/** Where it goes another way, without its agent and with it. */
async function replays({ sessionId, store, binding }: Scene, events: readonly AnyEvent[]) {
  const readBlob = (hash: string) => store.blobs(sessionId).read(hash);
  const alone = await replaySession({ sessionId, events, readBlob, sha256 });
  const bound = await replaySession({ sessionId, events, readBlob, sha256, binding });
  return [alone.divergence, bound.divergence];
}

const context = (text: string): HookAnswer => ({ additionalContext: text });

/** At every event, with every kind of answer, two at once, one that comes last first. */
function busyHooks(): EventHook[] {
  const second = Promise.withResolvers<void>();
  return [
    recordingHook('Setup', context('set up')),
    recordingHook('SessionStart', { ...context('welcome'), systemMessage: 'hello' }, { once: true }),
    recordingHook('UserPromptSubmit', context('on main')),
    recordingHook(
      'PreToolUse',
      async () => {
        await second.promise;
        return context('first');
      },
      { name: 'PreToolUse/*/0' },
    ),
    recordingHook(
      'PreToolUse',
      ({ tool_input }) => {
        second.resolve();
        return { updatedInput: { ...(tool_input as object), checked: true } };
      },
      { name: 'PreToolUse/*/1' },
    ),
    recordingHook('PreToolUse', new Error('broken'), { name: 'PreToolUse/*/2', failOpen: true }),
    recordingHook('PreToolUse', { decision: 'deny' }, { name: 'PreToolUse/none/3', matches: () => false }),
    recordingHook('PermissionRequest', { decision: 'allow', updatedInput: { n: 4 } }),
    recordingHook('PostToolUse', { updatedToolOutput: { cooked: true } }, { matches: (tool) => tool === 'look' }),
    recordingHook('PostToolUse', context('behind'), { name: 'PostToolUse/*/1', background: true }),
    recordingHook('PostToolBatch', { systemMessage: 'all done' }),
    recordingHook('Stop', ({ stop_hook_active }) =>
      stop_hook_active === true ? {} : { decision: 'block', reason: 'more' },
    ),
    {
      ...recordingHook('Stop', {}, { name: 'Stop/*/1' }),
      run: () =>
        Promise.resolve({
          answer: {},
          output: { stdout: 'x'.repeat(9000), stderr: 'careful', exitCode: 0 },
          notices: ['an odd key'],
        }),
    },
  ];
}

describe('sessions with hooks of the second face', () => {
  test('replay strictly, up to wherever the log ends', async () => {
    const scene = await recordedScene(busyHooks());
    expect(await scene.run('go')).toMatchObject({ type: 'completed', text: 'done' });
    const events = await scene.events();
    // Every third place: all of them would take seconds.
    for (let length = events.length; length > 0; length -= 3)
      expect([length, ...(await replays(scene, events.slice(0, length)))]).toEqual([length, undefined, undefined]);
  }, 20_000);

  test.each<[string, EventHook[], (readonly ScriptedStep[])?]>([
    ['a prompt that is blocked', [recordingHook('UserPromptSubmit', { decision: 'block', reason: 'no' })], []],
    ['a call that is denied', [recordingHook('PreToolUse', { decision: 'deny', reason: 'no' })]],
    ['a call that a hook allows', [recordingHook('PreToolUse', { decision: 'allow' })]],
    ['a hook that throws', [recordingHook('PreToolUse', new Error('boom'))]],
    ['a hook with a foreign answer', [recordingHook('PreToolUse', { decision: 'approve' } as never)]],
    ['a question that hooks deny', [recordingHook('PermissionRequest', { decision: 'deny' })]],
    ['a question that hooks leave', [recordingHook('PermissionRequest', {})]],
    ['a turn that ends behind a call', [recordingHook('PostToolUse', { continue: false, stopReason: 'enough' })]],
    ['a turn that ends at a call', [recordingHook('PreToolUse', { continue: false })]],
    ['a turn that ends behind its step', [recordingHook('PostToolBatch', { decision: 'block' })]],
    ['a stop that is prevented', [recordingHook('Stop', { continue: false })]],
  ])('%s replays', async (_name, hooks, steps) => {
    const scene = await recordedScene(hooks, steps ?? [[call('look', { n: 1 }), call('act', { n: 2 })], say('done')]);
    await scene.run('go');
    expect(await replays(scene, await scene.events())).toEqual([undefined, undefined]);
  });

  test('a call that is deferred, and taken up by the next turn, replays', async () => {
    const answers: HookAnswer[] = [{ decision: 'defer' }, { decision: 'allow' }];
    const hook = recordingHook('PreToolUse', () => answers.shift() ?? {}, { matches: (tool) => tool === 'act' });
    const steps = [[call('look', { n: 1 }), call('act', { n: 2 }), call('look', { n: 3 })], say('done')];
    const scene = await recordedScene([hook], steps);
    expect(await scene.run('go')).toMatchObject({ stopReason: 'tool_deferred' });
    expect(await scene.run('on')).toMatchObject({ text: 'done' });
    const events = await scene.events();
    for (let length = 1; length <= events.length; length += 1)
      expect([length, ...(await replays(scene, events.slice(0, length)))]).toEqual([length, undefined, undefined]);
  });

  test('a hook that was interrupted replays', async () => {
    const scene = await recordedScene([recordingHook('PreToolUse', () => new Promise(() => {}))]);
    const turnId = await scene.start('go');
    await scene.until((event) => event.type === 'hook.started');
    await scene.runtime.interruptTurn({ sessionId: scene.sessionId, turnId });
    await scene.ended(turnId);
    expect(await replays(scene, await scene.events())).toEqual([undefined, undefined]);
  });

  test('a prompt that no hook came to judge, and what is said behind it, replay', async () => {
    const hook = recordingHook('UserPromptSubmit', ({ prompt }) => (prompt === 'go' ? new Promise(() => {}) : {}));
    const scene = await recordedScene([hook], [say('done')]);
    const turnId = await scene.start('go');
    await scene.until((event) => event.type === 'hook.started');
    await scene.runtime.interruptTurn({ sessionId: scene.sessionId, turnId });
    await scene.ended(turnId);
    expect(await scene.run('on')).toMatchObject({ text: 'done' });
    const events = await scene.events();
    expect(events.some((event) => event.type === 'entry.discarded')).toBe(true);
    for (let length = 1; length <= events.length; length += 1)
      expect([length, ...(await replays(scene, events.slice(0, length)))]).toEqual([length, undefined, undefined]);
  });

  test('what hooks paid for, go on with by themselves, and are shown, replays', async () => {
    const rest = Promise.withResolvers<HookRun>();
    const hook: EventHook = {
      ...recordingHook('UserPromptSubmit', {}),
      run(_input, { used }) {
        used({ model: 'small/judge', usage: { inputTokens: 7, outputTokens: 2 }, costUsd: 0.5 });
        return Promise.resolve({ answer: {}, later: { timeoutMs: 60_000, run: () => rest.promise } });
      },
    };
    const shown = recordingHook('MessageDisplay', { systemMessage: 'seen' });
    const scene = await recordedScene([hook, shown], [say('one'), say('two')]);
    expect(await scene.run('go')).toMatchObject({
      usage: expect.arrayContaining([{ model: 'small/judge', inputTokens: 7, outputTokens: 2 }]),
    });
    rest.resolve({ answer: { additionalContext: 'the tests pass', systemMessage: 'ready' } });
    await scene.until((event) => event.type === 'hook.completed' && event.background === true);
    await scene.run('on');
    const events = await scene.events();
    for (let length = 1; length <= events.length; length += 1)
      expect([length, ...(await replays(scene, events.slice(0, length)))]).toEqual([length, undefined, undefined]);
  });

  test('an answer that was altered in the log shows', async () => {
    const scene = await recordedScene([recordingHook('PreToolUse', { decision: 'deny', reason: 'no' })]);
    await scene.run('go');
    const altered = (await scene.events()).map((event) =>
      event.type === 'hook.completed' ? { ...event, outcome: { type: 'answer', decision: 'allow' } } : event,
    );
    const [alone] = await replays(scene, altered);
    expect(alone).toBeDefined();
  });
});
