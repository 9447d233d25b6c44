import { expect, test } from 'vitest';
import { manualClock } from '../testing/manual-clock.ts';
import { recordingTool } from '../testing/recording-tool.ts';
import { scriptedModel } from '../testing/scripted-model.ts';
import { call, say, stall } from '../testing/scripted-step.ts';
import { sessionScene, storeAfterCrash } from '../testing/session-scene.ts';

const limits = { maxDurationMs: 10_000 };

test('a turn that has worked as long as it may ends early, and what it ran is interrupted', async () => {
  const clock = manualClock();
  const wait = recordingTool({
    name: 'wait',
    effect: 'once',
    results: [
      (_input, { signal }) => new Promise((resolve) => signal.addEventListener('abort', () => resolve('late'))),
    ],
  });
  const model = scriptedModel([call('wait'), say('next')]);
  const scene = await sessionScene({ model, tools: [wait], clock, binding: { limits } });
  const turnId = await scene.start('go');
  await scene.until(({ type }) => type === 'tool.started');
  await clock.advance(9999);
  expect(await scene.runtime.readTurn({ sessionId: scene.sessionId, turnId })).toMatchObject({ type: 'running' });
  await clock.advance(1);
  expect(await scene.ended(turnId)).toMatchObject({ type: 'completed', stopReason: 'max_duration' });
  const outcomes = (await scene.events()).flatMap((event) => (event.type === 'tool.completed' ? [event.outcome] : []));
  expect(outcomes).toEqual(['interrupted']);
  expect(await scene.run('and now')).toMatchObject({ type: 'completed', text: 'next' });
});

test('a reply that is being written keeps what was written when the time is over', async () => {
  const clock = manualClock();
  const scene = await sessionScene({ model: scriptedModel([[say('half'), stall()]]), clock, binding: { limits } });
  const turnId = await scene.start('go');
  await scene.until(({ type }) => type === 'text.delta', { deltas: true });
  await clock.advance(10_000);
  expect(await scene.ended(turnId)).toMatchObject({ type: 'completed', stopReason: 'max_duration', text: 'half' });
});

test('no time goes by while a question is open, or while no process has the turn', async () => {
  const clock = manualClock();
  const act = recordingTool({ name: 'act', effect: 'once' });
  const first = await sessionScene({
    model: scriptedModel([call('act')]),
    tools: [act],
    allowed: [],
    clock,
    binding: { limits },
  });
  const turnId = await first.start('go');
  await clock.advance(4000);
  const opened = await first.until(({ type }) => type === 'callback.opened');
  if (opened.type !== 'callback.opened' || opened.callback.type !== 'approval') throw new Error('no approval');
  await clock.advance(3_600_000);
  const { sessionId } = first;
  expect(await first.runtime.readTurn({ sessionId, turnId })).toMatchObject({ type: 'blocked' });

  const store = await storeAfterCrash(first.store, sessionId);
  await clock.advance(3_600_000);
  const scene = await sessionScene(
    { model: scriptedModel([stall()]), tools: [act], allowed: [], clock, store, binding: { limits } },
    sessionId,
  );
  await scene.runtime.openSession({ sessionId, bindingId: scene.bindingId, unfinished: 'continue' });
  await scene.runtime.answerCallback({ sessionId, callbackId: opened.callback.id, answer: { type: 'allow' } });
  await scene.until(({ type }) => type === 'tool.completed');
  await clock.whenSleeping();
  await clock.advance(9999);
  expect(await scene.runtime.readTurn({ sessionId, turnId })).toMatchObject({ type: 'running' });
  await clock.advance(1);
  expect(await scene.ended(turnId)).toMatchObject({ type: 'completed', stopReason: 'max_duration' });
});

test('a turn whose time was used up before a crash is not worked on again', async () => {
  const clock = manualClock();
  const first = await sessionScene({ model: scriptedModel([call('act'), stall()]), clock, binding: { limits } });
  const turnId = await first.start('go');
  await first.until((event) => event.type === 'tool.completed');
  await clock.advance(20_000);
  await first.ended(turnId);
  const { sessionId } = first;
  const store = await storeAfterCrash(first.store, sessionId, (event) => event.type !== 'turn.ended');
  const model = scriptedModel([]);
  const scene = await sessionScene({ model, clock, store, binding: { limits } }, sessionId);
  await scene.runtime.openSession({ sessionId, bindingId: scene.bindingId, unfinished: 'continue' });
  expect(await scene.ended(turnId)).toMatchObject({ type: 'completed', stopReason: 'max_duration' });
  model.assertDone();
});

test('the time that a question was open is not counted once it is answered', async () => {
  const clock = manualClock();
  const act = recordingTool({ name: 'act', effect: 'once' });
  const model = scriptedModel([call('act'), stall()]);
  const scene = await sessionScene({ model, tools: [act], allowed: [], clock, binding: { limits } });
  const turnId = await scene.start('go');
  const opened = await scene.until(({ type }) => type === 'callback.opened');
  if (opened.type !== 'callback.opened' || opened.callback.type !== 'approval') throw new Error('no approval');
  await clock.advance(3_600_000);
  const { sessionId, runtime } = scene;
  await runtime.answerCallback({ sessionId, callbackId: opened.callback.id, answer: { type: 'allow' } });
  await scene.until(({ type }) => type === 'tool.completed');
  await clock.whenSleeping();
  await clock.advance(9999);
  expect(await runtime.readTurn({ sessionId, turnId })).toMatchObject({ type: 'running' });
  await clock.advance(1);
  expect(await scene.ended(turnId)).toMatchObject({ type: 'completed', stopReason: 'max_duration' });
});
