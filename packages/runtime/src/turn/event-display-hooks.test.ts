import { expect, test } from 'vitest';
import type { EventHook, HookAnswer } from '../hook/event-hook.ts';
import { type RecordedHookRun, recordingHook } from '../testing/event-hook.ts';
import { scriptedModel } from '../testing/scripted-model.ts';
import { call, pauseUntil, say, type ScriptedStep } from '../testing/scripted-step.ts';
import { recordingTool } from '../testing/recording-tool.ts';
import { sessionScene } from '../testing/session-scene.ts';

async function story(eventHooks: readonly EventHook[], steps: readonly ScriptedStep[]) {
  const act = recordingTool({ name: 'act', effect: 'none' });
  return await sessionScene({ model: scriptedModel(steps), tools: [act], binding: { eventHooks } });
}

const pieces = (runs: readonly RecordedHookRun[]) =>
  runs.map(({ input: { index, final, delta } }) => ({ index, final, delta }));

test('hooks are told all text of each message, in order and to its end', async () => {
  const runs: RecordedHookRun[] = [];
  const ended = Promise.withResolvers<void>();
  const hook = recordingHook(
    'MessageDisplay',
    ({ final }) => {
      if (final === true && said(runs).endsWith('over')) ended.resolve();
      return {};
    },
    { runs },
  );
  const scene = await story([hook], [[say('a longer beginning '), call('act')], call('act'), say('and it is over')]);
  const turnId = await scene.start('go');
  await scene.ended(turnId);
  await ended.promise;
  expect(runs[0]?.input).toMatchObject({ hook_event_name: 'MessageDisplay', turn_id: turnId });
  const messages = [...Map.groupBy(runs, ({ input }) => input['message_id']).values()];
  expect(messages.map((told) => said(told))).toEqual(['a longer beginning ', 'and it is over']);
  for (const told of messages) {
    expect(told.map(({ input }) => input['index'])).toEqual(told.keys().toArray());
    expect(told.map(({ input }) => input['final'])).toEqual(told.map((_, index) => index === told.length - 1));
  }
  const events = await scene.events();
  expect(events.some((event) => event.type === 'hook.started' || event.type === 'hook.completed')).toBe(false);
});

const textOf = ({ input: { delta } }: RecordedHookRun): string => (typeof delta === 'string' ? delta : '');
const said = (runs: readonly RecordedHookRun[]): string => runs.map(textOf).join('');

test('a hook that never answers holds nobody up, and is called once', async () => {
  const runs: RecordedHookRun[] = [];
  const never = recordingHook('MessageDisplay', () => new Promise<HookAnswer>(() => {}), { runs });
  const scene = await story([never], [say('one two three four five six')]);
  expect(await scene.run('go')).toMatchObject({ type: 'completed', text: 'one two three four five six' });
  expect(runs).toHaveLength(1);
});

test('one that fails is told of once, and not called again for that message', async () => {
  const runs: RecordedHookRun[] = [];
  const gate = Promise.withResolvers<void>();
  const failing = recordingHook('MessageDisplay', new Error('boom'), { runs });
  const scene = await story([failing], [[say('one'), pauseUntil(gate.promise), say(' two')]]);
  const turnId = await scene.start('go');
  await scene.until((event) => event.type === 'notice');
  gate.resolve();
  await scene.ended(turnId);
  expect(pieces(runs)).toMatchObject([{ index: 0, final: false }]);
  const notices = (await scene.events()).filter((event) => event.type === 'notice');
  expect(notices).toMatchObject([{ message: expect.stringContaining('failed: boom') }]);
});

test('decides nothing', async () => {
  const hook = recordingHook('MessageDisplay', { decision: 'block', continue: false, updatedInput: {} });
  const scene = await story([hook], [say('answer')]);
  expect(await scene.run('go')).toMatchObject({ type: 'completed', text: 'answer', stopReason: 'end_turn' });
});
