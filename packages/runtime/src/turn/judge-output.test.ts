import { describe, expect, test } from 'vitest';
import { continueWith } from '../hook/hook-decision.ts';
import { replaySession } from '../replay/replay-session.ts';
import { scriptedModel } from '../testing/scripted-model.ts';
import { say, stall, type ScriptedStep } from '../testing/scripted-step.ts';
import { type SceneOptions, sessionScene, storeAfterCrash } from '../testing/session-scene.ts';
import { sha256 } from '../testing/temporary-binding.ts';
import { createOutputCheck } from './output-check.ts';

const outputCheck = createOutputCheck({
  mostAnswers: 3,
  problemsOf: (value) => (typeof value === 'number' ? [] : ['the answer must be number']),
});

function scene(steps: readonly ScriptedStep[], more: Partial<SceneOptions> = {}) {
  return sessionScene({ model: scriptedModel(steps), ...more, binding: { outputCheck, ...more.binding } });
}

describe('a check of outputs', () => {
  test.each([
    ['7', '7'],
    ['  7\n', '7'],
    ['```json\n7\n```', '7'],
    ['```\r\n7\r\n```', '7'],
  ])('takes %j', (answer, text) => {
    expect(outputCheck.judge(answer, 'end_turn')).toEqual({ fits: true, text });
  });

  test.each([
    ['', /it is empty/],
    ['```json\n```', /it is no JSON|it is empty/],
    ['seven', /it is no JSON/],
    ['7 of them', /it is no JSON/],
    ['```json\n7\n```\nas you asked', /it is no JSON/],
    ['"7"', /does not fit the schema: the answer must be number/],
  ])('does not take %j', (answer, problem) => {
    const judged = outputCheck.judge(answer, 'end_turn');
    expect(judged).toMatchObject({ fits: false, problem: expect.stringMatching(problem) as string });
  });

  test('does not take a number that may have been cut off', () => {
    expect(outputCheck.judge('7', 'max_tokens')).toMatchObject({
      fits: false,
      problem: expect.stringMatching(/cut off.*digits/) as string,
    });
  });

  test('lists the first problems and how many more there are', () => {
    const many = createOutputCheck({ problemsOf: () => Array.from({ length: 12 }, (_, index) => `problem ${index}`) });
    expect(many.judge('{}', 'end_turn')).toMatchObject({
      problem: expect.stringMatching(/problem 0; .*problem 9; and 2 more$/) as string,
    });
  });
});

test('answers that were refused before a crash count behind it', async () => {
  const before = await scene([say('no'), say('no'), stall()]);
  await before.start('how many?');
  let requests = 0;
  await before.until(({ type }) => type === 'model.requested' && ++requests === 3);
  const store = await storeAfterCrash(before.store, before.sessionId);
  const after = await sessionScene(
    { model: scriptedModel([say('still no')]), store, binding: { outputCheck } },
    before.sessionId,
  );
  const { sessionId, bindingId, runtime } = after;
  await runtime.openSession({ sessionId, bindingId, unfinished: 'continue' });
  const ended = await after.until(({ type }) => type === 'turn.ended');
  expect(ended).toMatchObject({
    record: {
      type: 'failed',
      terminalReason: 'structured_output_retry_exhausted',
      error: { code: 'output.retries_exhausted', data: { attempts: 3 } },
    },
  });
  const events = await after.events();
  const readBlob = (hash: string) => store.blobs(sessionId).read(hash);
  expect((await replaySession({ sessionId, events, readBlob, sha256 })).divergence).toBeUndefined();
});

test('an answer that a crash found unjudged is judged behind it', async () => {
  const before = await scene([say('7')]);
  const turnId = await before.start('how many?');
  await before.ended(turnId);
  const store = await storeAfterCrash(before.store, before.sessionId, ({ type }) => type !== 'turn.ended');
  const after = await sessionScene({ model: scriptedModel([]), store, binding: { outputCheck } }, before.sessionId);
  const { sessionId, bindingId, runtime } = after;
  await runtime.openSession({ sessionId, bindingId, unfinished: 'continue' });
  const ended = await after.until(({ type }) => type === 'turn.ended');
  expect(ended).toMatchObject({ record: { type: 'completed', text: '7', validOutput: true } });
});

test.each([
  ['8', { type: 'completed', text: '8', validOutput: true }],
  ['eight', { type: 'failed', error: { code: 'output.missing' } }],
])('what a hook puts in the answer’s place is judged too: %s', async (text, record) => {
  const hooks = [{ name: 'other', postAgentTurn: () => continueWith({ text }) }];
  const { run } = await scene([say('7')], { binding: { hooks } });
  expect(await run('how many?')).toMatchObject(record);
});

test('without a check any answer completes', async () => {
  const { run } = await sessionScene({ model: scriptedModel([say('seven')]), binding: { output: { schema: {} } } });
  const record = await run('how many?');
  expect(record).toMatchObject({ type: 'completed', text: 'seven' });
  expect(record).not.toHaveProperty('validOutput');
});
