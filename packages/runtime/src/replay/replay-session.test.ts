import { expect, test } from 'vitest';
import { call, fail, say, scriptedModel } from '../testing/index.ts';
import { recordingTool } from '../testing/recording-tool.ts';
import { sessionScene, type Scene, type SceneOptions } from '../testing/session-scene.ts';
import { sha256 } from '../testing/temporary-binding.ts';
import { replaySession, type ReplaySessionOptions } from './replay-session.ts';

async function replayOf(scene: Scene, options: Partial<ReplaySessionOptions> = {}) {
  const { store, sessionId } = scene;
  const readBlob = (hash: string) => store.blobs(sessionId).read(hash);
  return await replaySession({ sessionId, events: await scene.events(), readBlob, sha256, ...options });
}

const look = recordingTool({ name: 'look', effect: 'none' });
const write = recordingTool({ name: 'write', effect: 'once' });

function scene(steps: Parameters<typeof scriptedModel>[0], options: Partial<SceneOptions> = {}): Promise<Scene> {
  return sessionScene({ model: scriptedModel(steps), tools: [look, write], ...options });
}

test('a session of text replays without a model', async () => {
  const of = await scene([say('hello'), say('bye')]);
  await of.run('hi');
  await of.run('go');
  const report = await replayOf(of);
  expect(report).toMatchObject({ turns: 2, requests: 2, mode: 'strict' });
  expect(report.divergence).toBeUndefined();
  expect((await replayOf(of, { binding: of.binding })).divergence).toBeUndefined();
});

test('calls replay, at once and in order, and a request that was tried again', async () => {
  const of = await scene([
    [call('look', { at: 1 }), call('look', { at: 2 }), call('write', { at: 3 })],
    fail('model.overloaded'),
    say('done'),
  ]);
  await of.run('hi');
  const report = await replayOf(of);
  expect(report.divergence).toBeUndefined();
  expect((await replayOf(of, { binding: of.binding })).divergence).toBeUndefined();
});
