import { describe, expect, test } from 'vitest';
import type { HookAnswer } from '../hook/event-hook.ts';
import { type RecordedHookRun, recordingHook } from '../testing/event-hook.ts';
import { recordingTool } from '../testing/recording-tool.ts';
import { scriptedModel } from '../testing/scripted-model.ts';
import { call, say } from '../testing/scripted-step.ts';
import { treeScene } from '../testing/tree-scene.ts';

const spawn = (agent: string) => call('agents.spawn', { agent, task: `work, ${agent}` });

describe('hooks of the second face in subagents', () => {
  test('are those of the root, and are told who is at work', async () => {
    const runs: RecordedHookRun[] = [];
    const answers: HookAnswer[] = [{ decision: 'block', reason: 'count again' }];
    const helper = scriptedModel([call('act', { n: 1 }), say('first'), say('second')]);
    const scene = await treeScene({
      model: scriptedModel([spawn('helper'), say('thanks')]),
      agents: [{ name: 'helper', model: helper }],
      binding: {
        eventHooks: [
          recordingHook('SubagentStart', { additionalContext: 'mind the gap' }, { runs }),
          recordingHook('SubagentStop', () => answers.shift() ?? {}, { runs }),
          recordingHook('SessionStart', {}, { runs }),
          recordingHook('UserPromptSubmit', {}, { runs }),
          recordingHook('PreToolUse', {}, { runs, matches: (tool) => tool === 'act' }),
          recordingHook('Stop', {}, { runs }),
        ],
      },
    });
    expect(await scene.run('go')).toMatchObject({ text: 'thanks' });
    const [root, child = ''] = await scene.sessionIds();
    expect(await scene.read(child, await scene.turnOf(child))).toMatchObject({ text: 'second' });
    const agent = { session_id: root, agent_id: child, agent_type: 'helper' };
    expect(runs.map(({ input }) => input)).toMatchObject([
      { hook_event_name: 'SessionStart', session_id: root },
      { hook_event_name: 'UserPromptSubmit', prompt: 'go' },
      { hook_event_name: 'SubagentStart', ...agent },
      { hook_event_name: 'PreToolUse', ...agent },
      { hook_event_name: 'SubagentStop', stop_hook_active: false, last_assistant_message: 'first', ...agent },
      { hook_event_name: 'SubagentStop', stop_hook_active: true, ...agent },
      { hook_event_name: 'Stop', last_assistant_message: 'thanks' },
    ]);
    expect(runs.filter(({ input }) => 'agent_id' in input)).toHaveLength(4);
    expect(JSON.stringify(helper.requests[0]?.messages)).toContain('mind the gap');
  });

  test('deny below what they deny above; a call there cannot be deferred', async () => {
    for (const decision of ['deny', 'defer'] as const) {
      const act = recordingTool({ name: 'act' });
      const scene = await treeScene({
        model: scriptedModel([spawn('helper'), say('thanks')]),
        agents: [{ name: 'helper', model: scriptedModel([call('act'), say('could not')]) }],
        tools: [act],
        binding: {
          eventHooks: [recordingHook('PreToolUse', { decision }, { matches: (tool) => tool === 'act' })],
        },
      });
      expect(await scene.run('go')).toMatchObject({ type: 'completed', text: 'thanks', stopReason: 'end_turn' });
      expect(act.calls).toHaveLength(0);
    }
  });

  test('allow below for the tree alone what the root may do', async () => {
    const act = recordingTool({ name: 'act' });
    const update = { type: 'addRules' as const, rules: [{ toolName: 'act' }], behavior: 'allow' as const };
    const hook = recordingHook('PermissionRequest', {
      decision: 'allow',
      updatedPermissions: [{ ...update, destination: 'session' }],
    });
    const scene = await treeScene({
      model: scriptedModel([spawn('helper'), call('act', { n: 2 }), say('thanks')]),
      agents: [{ name: 'helper', model: scriptedModel([call('act', { n: 1 }), say('done')]) }],
      tools: [act],
      allowed: ['agents.spawn'],
      binding: { eventHooks: [hook] },
    });
    await scene.run('go');
    expect(act.calls.map(({ input }) => input)).toEqual([{ n: 1 }, { n: 2 }]);
    const asked = (await scene.events()).filter((event) => event.type === 'hook.started');
    expect(asked).toHaveLength(1);
  });
});
