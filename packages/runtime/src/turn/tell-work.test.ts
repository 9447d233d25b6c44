import type { StreamEvent } from '@rondo/protocol';
import { expect, test } from 'vitest';
import { manualClock } from '../testing/manual-clock.ts';
import { recordingTool } from '../testing/recording-tool.ts';
import { scriptedModel } from '../testing/scripted-model.ts';
import { call, say, think } from '../testing/scripted-step.ts';
import { sessionScene, type Scene } from '../testing/session-scene.ts';
import { TELL_WORK_MS } from './tell-work.ts';

/** A call that lasts until it is let go, and what a subscriber to these kinds is shown of its session. */
async function slowCall(deltas: boolean | readonly string[]) {
  const clock = manualClock();
  const release = Promise.withResolvers<string>();
  const wait = recordingTool({
    name: 'wait',
    results: [
      (_input, context) => {
        context.progress({ output: 'half' });
        return release.promise;
      },
    ],
  });
  const model = scriptedModel([[think('hm'), call('wait')], say('done')]);
  const scene = await sessionScene({ model, tools: [wait], clock });
  const shown: StreamEvent[] = [];
  const seen = follow(scene, deltas, shown);
  return { clock, scene, release, shown, seen };
}

async function follow({ runtime, sessionId }: Scene, deltas: boolean | readonly string[], shown: StreamEvent[]) {
  for await (const batch of runtime.subscribe(sessionId, { signal: new AbortController().signal, deltas })) {
    shown.push(...batch.filter((event) => !('seq' in event)));
    if (batch.some(({ type }) => type === 'turn.ended')) return;
  }
}

test('a call that lasts is told of every few seconds, until it ends', async () => {
  const { clock, scene, release, shown, seen } = await slowCall(['tool.progress']);
  const turnId = await scene.start('go');
  await scene.until(({ type }) => type === 'tool.started');
  await clock.whenSleeping();
  await clock.advance(TELL_WORK_MS * 2 + 1);
  release.resolve('ok');
  await scene.ended(turnId);
  await seen;
  expect(shown).toMatchObject([
    { type: 'tool.progress', progress: { output: 'half' } },
    { type: 'tool.progress', progress: null, elapsedMs: TELL_WORK_MS },
    { type: 'tool.progress', progress: null, elapsedMs: TELL_WORK_MS * 2 },
  ]);
  expect(clock.sleeping).toEqual([]);
});

test('who asks for some kinds of what is shown gets those alone; nothing is made for nobody', async () => {
  const { clock, scene, release, shown, seen } = await slowCall(['reasoning.delta']);
  const turnId = await scene.start('go');
  await scene.until(({ type }) => type === 'tool.started');
  expect(clock.sleeping).toEqual([]);
  release.resolve('ok');
  await scene.ended(turnId);
  await seen;
  expect(shown.map((event) => ('text' in event ? [event.type, event.text] : event.type))).toEqual([
    ['reasoning.delta', ''],
    ['reasoning.delta', 'hm'],
  ]);
});
