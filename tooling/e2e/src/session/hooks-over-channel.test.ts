import { allowApproval } from '@rondo/client';
import { ask, continueWith, type LoopHook, skip } from '@rondo/runtime';
import { call, recordingTool, say } from '@rondo/runtime/testing';
import { describe, expect, test } from 'vitest';
import { stage } from './session-stage.ts';
import { wires } from './wires.ts';

const doubling: LoopHook = {
  name: 'doubling',
  preToolCall: (_context, { arguments: { n } }) => continueWith({ arguments: { n: Number(n) * 2 } }),
};
const asking: LoopHook = { name: 'asking', preToolCall: () => ask('Is it time?') };

describe.each(wires)('over $name', (wire) => {
  test('history.toolCall.argumentsAsInHistory: a call stands in the history with what a hook put in place, and is imported so', async () => {
    const act = recordingTool({ name: 'act', effect: 'once' });
    const steps = [call('act', { n: 2 }), say('done')];
    await using at = await stage(wire, steps, { tools: [act], hooks: [doubling], policy: { allowedTools: ['act'] } });
    const session = await at.client.createSession({ bindingId: at.bindingId });
    await session.run('go');
    expect(act.calls.map(({ input }) => input)).toEqual([{ n: 4 }]);
    const { items } = await at.client.request('history/list', { sessionId: session.id });
    const found = items.find((item) => item.type === 'tool_call');
    expect(found).toMatchObject({ name: 'act', arguments: { n: 4 } });
    if (found?.type !== 'tool_call') throw new Error('no call');
    const { toolCallId, name, arguments: args } = found;
    const history = [{ type: 'tool_call', toolCallId, name, arguments: args }] as const;
    const other = await at.client.createSession({ bindingId: at.bindingId, history: [...history] });
    const imported = await at.client.request('history/list', { sessionId: other.id });
    expect(imported.items).toMatchObject([{ type: 'tool_call', toolCallId, name, arguments: { n: 4 } }]);
  });

  test('error.answer.hookApprovalSessionScope: what a hook asks is allowed once; for the session nothing is sent', async () => {
    const act = recordingTool({ name: 'act', effect: 'once' });
    const steps = [call('act', { n: 1 }), call('act', { n: 2 }), say('done')];
    await using at = await stage(wire, steps, { tools: [act], hooks: [asking], policy: { allowedTools: ['act'] } });
    const session = await at.client.createSession({ bindingId: at.bindingId });
    let blocked = await session.run('go');
    for (const n of [1, 2]) {
      if (blocked.type !== 'blocked') throw new Error(`the turn is ${blocked.type}`);
      const [question] = blocked.callbacks;
      if (question?.type !== 'approval') throw new Error('no approval');
      expect(question.request).toMatchObject({ source: 'hook', reason: 'Is it time?', input: { n } });
      const turn = session.turn(blocked.turnId);
      const forSession = turn.answer(question.id, allowApproval({ scope: 'session' }));
      await expect(forSession).rejects.toMatchObject({ code: 'answer.unfit' });
      expect(act.calls).toHaveLength(n - 1);
      expect(await turn.answer(question.id, allowApproval())).toMatchObject({ type: 'answered' });
      blocked = await turn.result({ after: blocked });
    }
    expect(blocked).toMatchObject({ type: 'completed', text: 'done' });
  });

  test('an event of each run says what it decided, and a turn that a hook ended says by which', async () => {
    const refusing: LoopHook = { name: 'refusing', preAgentTurn: () => skip('Not today.') };
    await using at = await stage(wire, [], { hooks: [refusing] });
    const session = await at.client.createSession({ bindingId: at.bindingId });
    const record = await session.run('go');
    expect(record).toMatchObject({
      type: 'completed',
      text: '',
      stopReason: 'hook_skipped',
      stopDetails: { hook: 'refusing', point: 'preAgentTurn', reason: 'Not today.' },
    });
    const { events } = await at.client.request('events/read', { sessionId: session.id });
    expect(events.filter(({ type }) => type.startsWith('hook.'))).toMatchObject([
      { type: 'hook.started', name: 'refusing', event: 'preAgentTurn' },
      { type: 'hook.completed', name: 'refusing', outcome: { type: 'skip', reason: 'Not today.', ends: true } },
    ]);
  });
});
