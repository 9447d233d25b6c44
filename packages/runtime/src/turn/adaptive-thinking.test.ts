import { expect, test } from 'vitest';
import { takesOver } from '../model/fallback-model.ts';
import type { Model, Thinking } from '../model/model.ts';
import { replaySession } from '../replay/replay-session.ts';
import { call, fail, say, type ScriptedModel, scriptedModel } from '../testing/index.ts';
import { recordingTool } from '../testing/recording-tool.ts';
import { type Scene, sessionScene } from '../testing/session-scene.ts';
import { sha256 } from '../testing/temporary-binding.ts';

const look = recordingTool({ name: 'look', effect: 'none' });

/** As an adapter makes one whose model decides by itself how much to think. */
const thinking = (model: ScriptedModel): ScriptedModel => Object.assign(model, { thinksAdaptively: true });

const asked = (model: ScriptedModel): (Thinking | undefined)[] => model.requests.map((request) => request.thinking);

async function replayed(scene: Scene, binding?: Scene['binding']) {
  const { store, sessionId } = scene;
  const readBlob = (hash: string) => store.blobs(sessionId).read(hash);
  return await replaySession({
    sessionId,
    events: await scene.events(),
    readBlob,
    sha256,
    ...(binding === undefined ? {} : { binding }),
  });
}

test.each<[string, { adaptiveThinking?: boolean; thinking?: Thinking }, boolean, Thinking | undefined]>([
  ['one that decides by itself is asked to', { adaptiveThinking: true }, true, { type: 'adaptive' }],
  ['another one is asked for nothing', { adaptiveThinking: true }, false, undefined],
  ['where it is not wanted nothing is asked', {}, true, undefined],
  ['what is said counts', { adaptiveThinking: true, thinking: { type: 'disabled' } }, true, { type: 'disabled' }],
])('of models: %s', async (_, binding, decides, expected) => {
  const model = scriptedModel([call('look'), say('seen')]);
  const scene = await sessionScene({ model: decides ? thinking(model) : model, tools: [look], binding });
  await scene.run('hi');
  expect(asked(model)).toEqual([expected, expected]);
  expect((await replayed(scene)).divergence).toBeUndefined();
  expect((await replayed(scene, scene.binding)).divergence).toBeUndefined();
});

test('each model of a turn is asked as it takes it, and the turn replays so', async () => {
  const overloaded = fail('model.overloaded', { status: 529 });
  const first = thinking(scriptedModel([call('look'), overloaded, overloaded, overloaded]));
  const second = scriptedModel([call('look'), say('done')], { name: 'other/model' });
  const load = (): Promise<Model> => Promise.resolve(second);
  const scene = await sessionScene({
    model: first,
    tools: [look],
    binding: {
      adaptiveThinking: true,
      fallback: { name: second.name, takesOver, load },
      retry: { baseDelayMs: 0, maxDelayMs: 0, jitter: 0, maxRetries: 5 },
    },
  });
  await scene.run('hi');
  expect(asked(first)).toEqual(Array.from({ length: 4 }, () => ({ type: 'adaptive' })));
  expect(asked(second)).toEqual([undefined, undefined]);
  expect((await replayed(scene)).divergence).toBeUndefined();
  expect((await replayed(scene, scene.binding)).divergence).toBeUndefined();
});

test('a session that was recorded before its model was asked replays with a binding that asks', async () => {
  const scene = await sessionScene({ model: scriptedModel([say('hello')]), tools: [look] });
  await scene.run('hi');
  const today = { ...scene.binding, model: thinking(scriptedModel([])), adaptiveThinking: true };
  expect((await replayed(scene, today)).divergence).toBeUndefined();
});
