import { expect, test } from 'vitest';
import { call, say, scriptedModel } from '../testing/index.ts';
import { recordingTool } from '../testing/recording-tool.ts';
import { sessionScene, storeAfterCrash } from '../testing/session-scene.ts';
import type { SceneOptions } from '../testing/session-scene.ts';

const look = recordingTool({ name: 'look', effect: 'none' });

async function requestsOf(steps: Parameters<typeof scriptedModel>[0], options: Partial<SceneOptions> = {}) {
  const scene = await sessionScene({ model: scriptedModel(steps), tools: [look], ...options });
  await scene.run('hello');
  const requested = (await scene.events()).filter((event) => event.type === 'model.requested');
  return { scene, requested };
}

const twoSteps = () => [call('look', { at: 'a' }, 'c1'), say('seen')];

test('a request is named by what it says: the same one by the same hash, in whatever session', async () => {
  const one = await requestsOf(twoSteps());
  const other = await requestsOf(twoSteps());
  expect(one.requested.map(({ requestHash }) => requestHash)).toEqual(
    other.requested.map(({ requestHash }) => requestHash),
  );
  expect(new Set(one.requested.map(({ requestHash }) => requestHash)).size).toBe(2);
  expect(one.requested[0]?.requestHash).toMatch(/^[0-9a-f]{64}$/);
});

test('what is not in the log otherwise is told apart: the system prompt, the tools, the settings', async () => {
  const [plain] = (await requestsOf(twoSteps())).requested;
  const prompted = (await requestsOf(twoSteps(), { binding: { system: 'You are another.' } })).requested[0];
  const tooled = (await requestsOf(twoSteps(), { tools: [look, recordingTool({ name: 'other' })] })).requested[0];
  const bounded = (await requestsOf(twoSteps(), { binding: { maxOutputTokens: 9, effort: 'low' } })).requested[0];
  const shaped = async (type: string) =>
    (await requestsOf(twoSteps(), { binding: { output: { schema: { type } } } })).requested[0];
  const [one, same, other] = [await shaped('object'), await shaped('object'), await shaped('array')];
  const { system, tools, messages } = plain?.parts ?? {};
  expect(prompted?.parts).toMatchObject({ tools, messages });
  expect(prompted?.parts?.system).not.toBe(system);
  expect(tooled?.parts).toMatchObject({ system, messages });
  expect(tooled?.parts?.tools).not.toBe(tools);
  expect(bounded?.parts).toMatchObject({ system, tools, messages, maxOutputTokens: 9, effort: 'low' });
  expect(one?.parts).toMatchObject({ system, tools, messages, output: expect.stringMatching(/^[0-9a-f]{64}$/) });
  expect(one?.requestHash).toBe(same?.requestHash);
  const hashes = [plain, prompted, tooled, bounded, one, other].map((event) => event?.requestHash);
  expect(new Set(hashes).size).toBe(6);
});

test('a request after a restart has the hash that it would have had without', async () => {
  const whole = await requestsOf([...twoSteps(), say('again')]);
  await whole.scene.run('more');
  const before = await requestsOf(twoSteps());
  const store = await storeAfterCrash(before.scene.store, before.scene.sessionId);
  const after = await sessionScene(
    { model: scriptedModel([say('again')]), tools: [look], store },
    before.scene.sessionId,
  );
  await after.run('more');
  const hashOfLast = async (scene: typeof after) =>
    (await scene.events()).findLast((event) => event.type === 'model.requested')?.requestHash;
  expect(await hashOfLast(after)).toBe(await hashOfLast(whole.scene));
});
