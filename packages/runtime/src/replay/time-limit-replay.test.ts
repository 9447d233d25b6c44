import { expect, test } from 'vitest';
import { continueWith } from '../hook/hook-decision.ts';
import { call, say, scriptedModel } from '../testing/index.ts';
import { recordingTool } from '../testing/recording-tool.ts';
import { sessionScene } from '../testing/session-scene.ts';
import { sha256 } from '../testing/temporary-binding.ts';
import { replaySession } from './replay-session.ts';

test('what comes from outside when the time is over, behind the turn’s last look at it, ends no turn in its replay', async () => {
  const scene = await sessionScene({
    model: scriptedModel([call('look'), say('done')]),
    tools: [recordingTool({ name: 'look', effect: 'none' })],
    binding: { limits: { maxDurationMs: 60_000 }, hooks: [{ name: 'same', postAgentTurn: () => continueWith() }] },
  });
  await scene.run('go');
  const { sessionId, store } = scene;
  const events = await scene.events();
  const requests = events.filter(({ type }) => type === 'model.requested');
  expect(requests).toHaveLength(2);
  for (const { seq, id, at } of requests) {
    const late = new Date(Date.parse(at) + 3_600_000).toISOString();
    const titled = {
      type: 'session.updated',
      title: 'late',
      seq: seq - 0.5,
      id: `${id}.5`,
      at: late,
      sessionId,
    } as const;
    const log = events.toSpliced(
      events.findIndex((event) => event.seq === seq),
      0,
      titled,
    );
    const readBlob = (hash: string) => store.blobs(sessionId).read(hash);
    expect((await replaySession({ sessionId, events: log, readBlob, sha256 })).divergence).toBeUndefined();
  }
});
