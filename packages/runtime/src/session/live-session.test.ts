import { describe, expect, test, vi } from 'vitest';
import { createMemoryStore } from '../event/memory-store.ts';
import { interceptAppends } from '../testing/intercept-appends.ts';
import { recordingTool } from '../testing/recording-tool.ts';
import { scriptedModel } from '../testing/scripted-model.ts';
import { call, pauseUntil, say, stall } from '../testing/scripted-step.ts';
import { sessionScene, storeAfterCrash } from '../testing/session-scene.ts';

const text = (value: string) => [{ type: 'text' as const, text: value }];

describe('closing', () => {
  test('while a turn is about to start starts nothing', async () => {
    const asked = Promise.withResolvers<void>();
    const environment = Promise.withResolvers<string>();
    const model = scriptedModel([say('never')]);
    const scene = await sessionScene({
      model,
      binding: { environment: () => (asked.resolve(), environment.promise) },
    });
    const starting = scene.start('go');
    await asked.promise;
    const closing = scene.runtime.close();
    environment.resolve('a folder');
    await expect(starting).rejects.toMatchObject({ code: 'channel.closed' });
    await closing;
    expect(model.requests).toHaveLength(0);
    expect((await scene.events()).map((event) => event.type)).toEqual(['session.created', 'session.acquired']);
  });
});
