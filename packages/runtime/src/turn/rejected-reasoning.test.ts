import type { AnyEvent } from '@rondo/protocol';
import { describe, expect, test } from 'vitest';
import { recordingTool } from '../testing/recording-tool.ts';
import { type ScriptedModel, scriptedModel } from '../testing/scripted-model.ts';
import { call, fail, say, think, thinkRedacted } from '../testing/scripted-step.ts';
import { sessionScene, storeAfterCrash, storedEvents, type Scene } from '../testing/session-scene.ts';

const reject = () => fail('model.request_invalid', { status: 400, reason: 'reasoning_rejected' }, 'no such signature');
const look = () => recordingTool({ name: 'look', effect: 'none' });
const name = 'vendor/one';

/** The kinds of blocks that each request gave back of the model's own replies, a word a block. */
function given(model: ScriptedModel): string[] {
  return model.requests.map(({ messages }) =>
    messages.flatMap(({ role, content }) => (role === 'assistant' ? content.map(({ type }) => type) : [])).join(' '),
  );
}

const rejections = (events: readonly AnyEvent[]) =>
  events.filter((event) => event.type === 'notice' && event.details?.['status'] === 'reasoning_rejected');

const thoughtful = () => [think('first', 's1'), thinkRedacted('r1'), call('look', {}, 'c1')];

describe('a model that does not take its reasoning back', () => {
  test('is asked once more without it, at once, and goes on with what it reasons from then on', async () => {
    const model = scriptedModel(
      [thoughtful(), say('seen'), reject(), [think('anew', 's2'), say('on it')], say('bye')],
      { name },
    );
    const scene = await sessionScene({ model, tools: [look()], binding: { retry: { maxRetries: 0 } } });
    await scene.run('go');
    expect(await scene.run('on')).toMatchObject({ type: 'completed', text: 'on it' });
    expect(await scene.run('bye')).toMatchObject({ type: 'completed', text: 'bye' });
    model.assertDone();
    expect(given(model)).toEqual([
      '',
      'reasoning reasoning tool_call',
      'reasoning reasoning tool_call text',
      'tool_call text',
      'tool_call text reasoning text',
    ]);
    const events = await scene.events();
    expect(rejections(events)).toMatchObject([
      {
        level: 'warning',
        message: 'vendor/one did not take back what it had reasoned before, and goes on without it: no such signature',
        details: { model: name, error: { code: 'model.request_invalid', message: 'no such signature' } },
      },
    ]);
    expect(events.some(({ type }) => type === 'model.retried')).toBe(false);
  });

  test('in the middle of a turn goes on with the results of its calls', async () => {
    const model = scriptedModel([thoughtful(), reject(), say('seen')], { name });
    const scene = await sessionScene({ model, tools: [look()] });
    expect(await scene.run('go')).toMatchObject({ type: 'completed', text: 'seen' });
    expect(given(model)).toEqual(['', 'reasoning reasoning tool_call', 'tool_call']);
    expect(model.requests.at(-1)?.messages.at(-1)?.content).toMatchObject([{ type: 'tool_result', toolCallId: 'c1' }]);
  });

  test('is asked without it in every process, and in a fork', async () => {
    const model = scriptedModel([[think('first', 's1'), say('one')], reject(), say('two'), say('three')], { name });
    const scene = await sessionScene({ model });
    await scene.run('go');
    await scene.run('on');
    const fork = await scene.runtime.forkSession({ sessionId: scene.sessionId, bindingId: scene.bindingId });
    const store = await storeAfterCrash(scene.store, scene.sessionId);
    await (await sessionScene({ model, store }, scene.sessionId)).run('again');
    expect(given(model)).toEqual(['', 'reasoning text', 'text', 'text text']);
    expect(rejections(await storedEvents(scene.store, fork.sessionId))).toHaveLength(1);
  });

  test('does not lose the reasoning of another model', async () => {
    const one = scriptedModel([[think('first', 's1'), say('one')], say('again')], { name });
    const two = scriptedModel([[think('other', 's2'), say('two')], reject(), say('two again')], { name: 'vendor/two' });
    const scene = await sessionScene({ model: one });
    await scene.run('go');
    await turnWith(scene, two, 'you?');
    await turnWith(scene, two, 'and?');
    await turnWith(scene, one, 'back');
    expect(given(two)).toEqual(['text', 'text reasoning text', 'text text']);
    expect(given(one)).toEqual(['', 'reasoning text text text']);
  });

  test('is asked without it once a request, and then fails as it says', async () => {
    const model = scriptedModel([[think('first', 's1'), say('one')], reject(), reject(), say('three')], { name });
    const scene = await sessionScene({ model });
    await scene.run('go');
    expect(await scene.run('on')).toMatchObject({
      type: 'failed',
      error: { code: 'model.request_invalid', message: 'no such signature' },
    });
    expect(await scene.run('again')).toMatchObject({ type: 'completed', text: 'three' });
    expect(rejections(await scene.events())).toHaveLength(1);
    expect(given(model)).toEqual(['', 'reasoning text', 'text', 'text']);
  });

  test('is not asked again where there is nothing to leave out', async () => {
    const model = scriptedModel([[think('unsigned'), say('one')], reject()], { name });
    const scene = await sessionScene({ model });
    await scene.run('go');
    expect(await scene.run('on')).toMatchObject({ type: 'failed', error: { code: 'model.request_invalid' } });
    expect(rejections(await scene.events())).toEqual([]);
  });
});

async function turnWith(scene: Scene, model: ScriptedModel, text: string): Promise<void> {
  const bindingId = scene.runtime.bind({ ...scene.binding, model });
  expect(await scene.ended(await scene.start(text, { bindingId }))).toMatchObject({ type: 'completed' });
}
