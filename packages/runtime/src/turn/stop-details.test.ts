import { expect, test } from 'vitest';
import type { Model, ModelPart } from '../model/model.ts';
import { sessionScene, storeAfterCrash } from '../testing/session-scene.ts';

const stopDetails = { category: 'cyber', explanation: 'This request was declined.' };

function modelThatStops(stopReason: string): Model {
  async function* stream(): AsyncGenerator<ModelPart, void> {
    yield await Promise.resolve({ type: 'start', model: 'own' } as const);
    yield { type: 'block-start', index: 0, block: 'text' };
    yield { type: 'block-end', index: 0, block: { type: 'text', text: 'so far' } };
    yield { type: 'end', stopReason, usage: { inputTokens: 1, outputTokens: 1 }, stopDetails };
  }
  return { name: 'own/model', stream };
}

test.each([
  ['max_tokens', { type: 'completed', stopReason: 'max_tokens', stopDetails }],
  ['refusal', { type: 'failed', error: { code: 'model.refused', data: stopDetails } }],
])(
  'what a provider adds to %s is kept, with the reply and with the turn’s end, over a crash too',
  async (reason, end) => {
    const scene = await sessionScene({ model: modelThatStops(reason) });
    expect(await scene.run('go')).toMatchObject(end);
    const completed = (await scene.events()).find((event) => event.type === 'model.completed');
    expect(completed).toMatchObject({ stopReason: reason, stopDetails });

    const { sessionId } = scene;
    const store = await storeAfterCrash(scene.store, sessionId, (event) => event.type !== 'turn.ended');
    const again = await sessionScene({ model: modelThatStops('must not be asked'), store }, sessionId);
    const opened = await again.runtime.openSession({ sessionId, bindingId: again.bindingId, unfinished: 'continue' });
    expect(await again.ended(opened.openTurnId ?? '')).toMatchObject(end);
  },
);
