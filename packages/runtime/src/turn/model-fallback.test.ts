import type { AnyEvent } from '@rondo/protocol';
import { RondoError } from '@rondo/protocol/values';
import { describe, expect, test } from 'vitest';
import { takesOver, type FallbackModel } from '../model/fallback-model.ts';
import type { Model } from '../model/model.ts';
import { replaySession } from '../replay/replay-session.ts';
import { manualClock } from '../testing/manual-clock.ts';
import { recordingTool } from '../testing/recording-tool.ts';
import { scriptedModel } from '../testing/scripted-model.ts';
import { call, fail, say, stall, think } from '../testing/scripted-step.ts';
import { type SceneOptions, sessionScene, storeAfterCrash } from '../testing/session-scene.ts';
import { sha256 } from '../testing/temporary-binding.ts';

const overloaded = fail('model.overloaded', { status: 529 });
const other = (model: Model): FallbackModel => ({ name: model.name, takesOver, load: () => Promise.resolve(model) });

function scene(model: Model, fallback: FallbackModel, more: Partial<SceneOptions> = {}) {
  return sessionScene({
    model,
    ...more,
    binding: { fallback, retry: { baseDelayMs: 0, maxDelayMs: 0, jitter: 0, maxRetries: 5 }, ...more.binding },
  });
}

const retries = (events: readonly AnyEvent[]) => events.filter((event) => event.type === 'model.retried');

describe('a model that cannot be reached', () => {
  test('three times in a row is left for the other one, whose tries begin anew, until the turn ends', async () => {
    const first = scriptedModel([overloaded, overloaded, overloaded, say('mine again')]);
    const second = scriptedModel([overloaded, overloaded, call('look'), say('from the other')], {
      name: 'other/model',
    });
    const look = recordingTool({ name: 'look' });
    const { run, events } = await scene(first, other(second), { tools: [look] });
    expect(await run('hi')).toMatchObject({ type: 'completed', text: 'from the other' });
    expect(retries(await events())).toMatchObject([
      { attempt: 1 },
      { attempt: 2 },
      { attempt: 3, delayMs: 0, model: first.name, fallbackModel: 'other/model' },
      { attempt: 1 },
      { attempt: 2 },
    ]);
    expect(await run('and now?')).toMatchObject({ text: 'mine again' });
    first.assertDone();
    second.assertDone();
  });

  test.each([
    ['model.server_error', 3],
    ['model.connection_failed', 3],
    ['model.timeout', 3],
    ['model.not_found', 1],
  ] as const)('as %s: after %i', async (code, failures) => {
    const first = scriptedModel(Array.from({ length: failures }, () => fail(code)));
    const second = scriptedModel([say('here')], { name: 'other/model' });
    const { run } = await scene(first, other(second));
    expect(await run('hi')).toMatchObject({ text: 'here' });
    first.assertDone();
  });

  test('is not left for what another would not help with', async () => {
    for (const code of ['model.authentication_failed', 'model.prompt_too_long', 'model.request_invalid'] as const) {
      const second = scriptedModel([], { name: 'other/model' });
      const { run } = await scene(scriptedModel([fail(code)]), other(second));
      expect(await run('hi')).toMatchObject({ type: 'failed', error: { code } });
      expect(second.requests).toHaveLength(0);
    }
  });

  test('is left at the last try that the policy allows, rate limits too', async () => {
    const first = scriptedModel([fail('model.rate_limited', { status: 429 })]);
    const second = scriptedModel([say('here')], { name: 'other/model' });
    const { run } = await scene(first, other(second), { binding: { retry: { maxRetries: 0 } } });
    expect(await run('hi')).toMatchObject({ text: 'here' });
  });

  test('in the middle of a reply has what it said discarded, and its reasoning goes to nobody else', async () => {
    const broken = [think('mine', 'sig'), say('half'), fail('model.stream_broken')];
    const first = scriptedModel([[think('mine', 'sig'), call('look')], broken, broken, broken]);
    const second = scriptedModel([say('whole')], { name: 'other/model' });
    const look = recordingTool({ name: 'look' });
    const { run, events } = await scene(first, other(second), { tools: [look] });
    expect(await run('hi')).toMatchObject({ text: 'whole' });
    expect(look.calls).toHaveLength(1);
    expect((await events()).filter((event) => event.type === 'entry.discarded')).toHaveLength(3);
    expect(JSON.stringify(second.requests[0]?.messages)).not.toContain('mine');
  });

  test('stays when the other one cannot be loaded, which is said', async () => {
    const first = scriptedModel([overloaded, overloaded, overloaded, overloaded, overloaded, say('at last')]);
    const fallback: FallbackModel = {
      name: 'other/model',
      takesOver,
      load: () => Promise.reject(new RondoError('model.key_missing', 'no key')),
    };
    const { run, events } = await scene(first, fallback);
    expect(await run('hi')).toMatchObject({ text: 'at last' });
    expect((await events()).filter((event) => event.type === 'notice')).toMatchObject([
      { message: 'other/model cannot take over from scripted/model: no key' },
    ]);
  });
});

const replayed = async ({ store, sessionId, events }: Awaited<ReturnType<typeof sessionScene>>) =>
  await replaySession({
    sessionId,
    events: await events(),
    readBlob: (hash) => store.blobs(sessionId).read(hash),
    sha256,
  });

test('a turn that is continued behind a crash goes on with the one that took over, and replays so', async () => {
  const first = scriptedModel([overloaded, overloaded, overloaded]);
  const second = scriptedModel([call('look'), stall()], { name: 'other/model' });
  const look = recordingTool({ name: 'look' });
  const before = await scene(first, other(second), { tools: [look] });
  await before.start('hi');
  const asked = (event: { readonly type: string }): boolean => event.type === 'model.requested';
  let requests = 0;
  await before.until((event) => asked(event) && ++requests === 5);
  const store = await storeAfterCrash(before.store, before.sessionId);
  const third = scriptedModel([say('done')], { name: 'other/model' });
  const options = { model: scriptedModel([]), tools: [look], store, binding: { fallback: other(third) } };
  const after = await sessionScene(options, before.sessionId);
  const { sessionId, bindingId, runtime } = after;
  await runtime.openSession({ sessionId, bindingId, unfinished: 'continue' });
  const ended = await after.until(({ type }) => type === 'turn.ended');
  expect(ended).toMatchObject({ record: { type: 'completed', text: 'done' } });
  expect((await replayed(after)).divergence).toBeUndefined();
});

test('who waits for capacity tries as often as that takes, and counts what else fails', async () => {
  const busy = [
    ...Array.from({ length: 30 }, () => overloaded),
    fail('model.rate_limited', { status: 429, retryAfterMs: 3_600_000 }),
  ];
  const retry = { baseDelayMs: 0, maxDelayMs: 0, jitter: 0, maxRetries: 40, waitsForCapacity: true };
  const clock = manualClock();
  const patient = await sessionScene({ model: scriptedModel([...busy, say('at last')]), clock, binding: { retry } });
  const turnId = await patient.start('hi');
  let isOver = false;
  const ended = patient.ended(turnId).finally(() => (isOver = true));
  while (!isOver) await clock.advance(3_600_000);
  expect(await ended).toMatchObject({ text: 'at last' });
  expect((await replayed(patient)).divergence).toBeUndefined();
  const broken = scriptedModel([overloaded, overloaded, overloaded, fail('model.server_error', { status: 500 })]);
  const counted = await sessionScene({ model: broken, binding: { retry: { ...retry, maxRetries: 3 } } });
  expect(await counted.run('hi')).toMatchObject({ type: 'failed', error: { code: 'model.server_error' } });
});
