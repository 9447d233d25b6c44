import type { AnyEvent } from '@rondo/protocol';
import { describe, expect, test, vi } from 'vitest';
import { createMemoryStore } from '../event/memory-store.ts';
import type { LoopHook } from '../hook/loop-hook.ts';
import type { Model, ModelPart } from '../model/model.ts';
import { interceptAppends } from '../testing/intercept-appends.ts';
import { recordingTool } from '../testing/recording-tool.ts';
import { scriptedModel } from '../testing/scripted-model.ts';
import { call, pauseUntil, say, stopWith } from '../testing/scripted-step.ts';
import { sessionScene, storeAfterCrash, type Scene } from '../testing/session-scene.ts';
import type { Asker } from './binding.ts';

function entriesOf(events: readonly AnyEvent[]) {
  return events.flatMap((event) => (event.type === 'entry.completed' ? [event.entry] : []));
}

/** Says half of something, and goes on whatever its signal says, until it is let go. */
function deafModel(halfSaid: () => void, go: Promise<void>): Model {
  return {
    name: 'deaf',
    async *stream(): AsyncGenerator<ModelPart, void> {
      yield { type: 'start', model: 'deaf' };
      yield { type: 'block-start', index: 0, block: 'text' };
      yield { type: 'delta', index: 0, text: 'half' };
      halfSaid();
      await go;
      yield { type: 'delta', index: 0, text: ' of it' };
      yield { type: 'block-end', index: 0, block: { type: 'text', text: 'half of it' } };
      yield { type: 'end', stopReason: 'end_turn', usage: { inputTokens: 1, outputTokens: 1 } };
    },
  };
}

describe('a reply', () => {
  test('whose model does not notice the interrupt keeps what was shown, as interrupted', async () => {
    const half = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    const scene = await sessionScene({ model: deafModel(half.resolve, go.promise) });
    const turnId = await scene.start('go');
    await half.promise;
    const interrupting = scene.runtime.interruptTurn({ sessionId: scene.sessionId, turnId });
    go.resolve();
    await interrupting;
    expect(entriesOf(await scene.events()).at(-1)).toMatchObject({
      type: 'assistant',
      aborted: true,
      content: [{ type: 'text', text: 'half' }],
    });
  });
});

test('a model that paused is asked again with its own words as the last ones', async () => {
  const model = scriptedModel([[say('I look.'), stopWith('pause_turn')], say('Found.'), say('bye')]);
  const scene = await sessionScene({ model });
  await scene.run('go');
  await scene.run('thanks');
  expect(model.requests.map(({ messages }) => messages.map(({ role }) => role))).toEqual([
    ['user'],
    ['user', 'assistant'],
    ['user', 'assistant', 'user'],
  ]);
  expect(model.requests[2]?.messages[1]?.content).toEqual([
    { type: 'text', text: 'I look.' },
    { type: 'text', text: 'Found.' },
  ]);
});

describe('a message that comes as the turn ends', () => {
  test('joins it or starts the next, and is told of the turn that has it', async () => {
    for (let hops = 0; hops < 40; hops += 1) {
      const gate = Promise.withResolvers<void>();
      const scene = await sessionScene({ model: scriptedModel([[say('one'), pauseUntil(gate.promise)], say('two')]) });
      const turnId = await scene.start('go');
      gate.resolve();
      for (let hop = 0; hop < hops; hop += 1) await Promise.resolve();
      const sent = await scene.send('and this', { messageId: 'm1' });
      await scene.ended(sent.turnId ?? '');
      const said = (await scene.events()).find(
        (event) => event.type === 'entry.completed' && event.entry.type === 'message' && event.entry.messageId === 'm1',
      );
      expect(said).toMatchObject({ turnId: sent.turnId });
      expect(await scene.runtime.readTurn({ sessionId: scene.sessionId, turnId: sent.turnId ?? '' })).toMatchObject({
        type: 'completed',
        text: 'two',
      });
      expect(sent.started).toBe(sent.turnId !== turnId);
    }
  });
});

describe('a turn that was cut off after its last reply', () => {
  const cut = async (...steps: Parameters<typeof scriptedModel>[0]): Promise<{ scene: Scene; turnId: string }> => {
    const first = await sessionScene({ model: scriptedModel(steps) });
    const record = await first.run('go');
    const store = await storeAfterCrash(first.store, first.sessionId, (event) => event.type !== 'turn.ended');
    return {
      scene: await sessionScene({ model: scriptedModel([say('asked again')]), store }, first.sessionId),
      turnId: record.turnId,
    };
  };
  const goOn = async ({ scene, turnId }: { scene: Scene; turnId: string }) => {
    const { sessionId, bindingId } = scene;
    await scene.runtime.openSession({ sessionId, bindingId, unfinished: 'continue' });
    return await scene.ended(turnId);
  };

  test('ends completed without asking the model again', async () => {
    expect(await goOn(await cut([say('done')]))).toMatchObject({
      type: 'completed',
      text: 'done',
      stopReason: 'end_turn',
    });
  });

  test('ends refused when the model had refused', async () => {
    expect(await goOn(await cut([say('no'), stopWith('refusal')]))).toMatchObject({
      type: 'failed',
      error: { code: 'model.refused' },
    });
  });

  test('goes on when the model had only paused', async () => {
    const first = await sessionScene({ model: scriptedModel([[say('wait'), stopWith('pause_turn')], say('done')]) });
    const { turnId } = await first.run('go');
    let replies = 0;
    const store = await storeAfterCrash(first.store, first.sessionId, (event) => {
      if (event.type === 'model.completed') replies += 1;
      return replies === 0 || (replies === 1 && event.type === 'model.completed');
    });
    const scene = await sessionScene({ model: scriptedModel([say('asked again')]), store }, first.sessionId);
    expect(await goOn({ scene, turnId })).toMatchObject({ type: 'completed', text: 'asked again' });
  });
});

describe('a question', () => {
  const askingScene = async (asker: Asker, store = createMemoryStore()) => {
    const act = recordingTool({ name: 'act' });
    const model = scriptedModel([call('act'), say('done')]);
    return { act, ...(await sessionScene({ model, tools: [act], allowed: [], store, binding: { asker } })) };
  };
  const opened = async (scene: Scene) => {
    const event = await scene.until(({ type }) => type === 'callback.opened');
    if (event.type !== 'callback.opened' || event.callback.type !== 'approval') throw new Error('no approval');
    return event.callback.id;
  };

  test('that somebody else answers is taken back from the function that was asked', async () => {
    const asked = Promise.withResolvers<AbortSignal>();
    const scene = await askingScene({
      name: 'slow',
      ask: (_, { signal }) => (asked.resolve(signal), new Promise(() => {})),
    });
    const turnId = await scene.start('go');
    const callbackId = await opened(scene);
    const signal = await asked.promise;
    expect(signal.aborted).toBe(false);
    await scene.runtime.answerCallback({ sessionId: scene.sessionId, callbackId, answer: { type: 'allow' } });
    expect(await scene.ended(turnId)).toMatchObject({ type: 'completed' });
    expect(signal.aborted).toBe(true);
  });

  test('whose function fails after somebody else has answered is not said to be open', async () => {
    const late = Promise.withResolvers<never>();
    const asked = Promise.withResolvers<void>();
    const scene = await askingScene({ name: 'slow', ask: () => (asked.resolve(), late.promise) });
    const turnId = await scene.start('go');
    const callbackId = await opened(scene);
    await asked.promise;
    await scene.runtime.answerCallback({ sessionId: scene.sessionId, callbackId, answer: { type: 'allow' } });
    await scene.ended(turnId);
    late.reject(new Error('the terminal is gone'));
    await new Promise(setImmediate);
    expect((await scene.events()).filter((event) => event.type === 'notice')).toEqual([]);
  });

  test('is put to nobody when the turn was interrupted before it was stored', async () => {
    const reached = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    const store = interceptAppends(createMemoryStore(), async (events) => {
      if (!events.some((event) => event.type === 'callback.opened')) return;
      reached.resolve();
      await gate.promise;
    });
    let asked = 0;
    const scene = await askingScene(
      { name: 'quick', ask: () => ((asked += 1), Promise.resolve({ type: 'allow', scope: 'once' })) },
      store,
    );
    const turnId = await scene.start('go');
    await reached.promise;
    const interrupting = scene.runtime.interruptTurn({ sessionId: scene.sessionId, turnId });
    gate.resolve();
    await interrupting;
    expect(asked).toBe(0);
    expect(scene.act.calls).toHaveLength(0);
  });
});

describe('calls of one step', () => {
  test('that fail where no tool should still end with one result each', async () => {
    const broken = recordingTool({ name: 'broken', effect: 'none' });
    const bad = Object.create(broken, {
      validate: {
        value: () => {
          throw new Error('a schema with a fault');
        },
      },
    }) as typeof broken;
    const gate = Promise.withResolvers<string>();
    const slow = recordingTool({ name: 'slow', effect: 'none', results: [() => gate.promise] });
    const model = scriptedModel([[call('slow'), call('broken')], say('done')]);
    const scene = await sessionScene({ model, tools: [slow, bad] });
    const turnId = await scene.start('go');
    await new Promise(setImmediate);
    gate.resolve('late');
    await scene.ended(turnId);
    await new Promise(setImmediate);
    const events = await scene.events();
    const results = events.filter((event) => event.type === 'tool.completed');
    expect(results.map((event) => event.name).sort()).toEqual(['broken', 'slow']);
    expect(events.at(-1)?.type).toBe('turn.ended');
  });
});

test('an interrupt says whether it stopped the tools or the reply behind them', async () => {
  const held = Promise.withResolvers<string>();
  const never = Promise.withResolvers<void>();
  const act = recordingTool({ name: 'act', results: ['done', () => held.promise] });
  const model = scriptedModel([call('act'), [say('so'), pauseUntil(never.promise)], call('act')]);
  const scene = await sessionScene({ model, tools: [act] });
  const interrupted = async (reached: (event: { type: string }) => boolean) => {
    const turnId = await scene.start('go');
    await scene.until((event) => reached(event) && 'turnId' in event && event.turnId === turnId, { deltas: true });
    await scene.runtime.interruptTurn({ sessionId: scene.sessionId, turnId });
    return await scene.ended(turnId);
  };
  expect(await interrupted(({ type }) => type === 'text.delta')).toMatchObject({ terminalReason: 'aborted_streaming' });
  // The tool is deaf: it is left behind after seconds, which pass at once here.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    let isOver = false;
    const inTools = interrupted(({ type }) => type === 'tool.started').finally(() => (isOver = true));
    while (!isOver) await vi.advanceTimersByTimeAsync(1000);
    expect(await inTools).toMatchObject({ terminalReason: 'aborted_tools' });
  } finally {
    vi.useRealTimers();
  }
  held.resolve('late');
});

test.each([
  ['a number where words belong', { content: 1 }],
  ['a block without its text', { content: [{ type: 'text' }] }],
  ['no result', undefined],
  ['what JSON cannot carry', { content: 'done', structured: { count: 1n } }],
  ['a block that JSON cannot carry', { content: [{ type: 'resource_link', uri: 'x:y', size: 1n }] }],
])('a tool that gives %s fails its call alone', async (_, given) => {
  const act = recordingTool({ name: 'act', results: [() => given as never] });
  const scene = await sessionScene({ model: scriptedModel([call('act'), say('so'), say('on')]), tools: [act] });
  expect(await scene.run('go')).toMatchObject({ type: 'completed', text: 'so' });
  const events = await scene.events();
  expect(events.find((event) => event.type === 'tool.completed')).toMatchObject({ outcome: 'error' });
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_event, index) => index + 1));
  expect(await scene.run('again')).toMatchObject({ type: 'completed', text: 'on' });
});

test('a tool that prepares what JSON cannot carry is not run, and fails its call alone', async () => {
  const act = recordingTool({
    name: 'act',
    effect: 'reconcile',
    prepare: () => Promise.resolve(1n as never),
    reconcile: () => Promise.resolve({ outcome: 'not_done' }),
  });
  const scene = await sessionScene({ model: scriptedModel([call('act'), say('so')]), tools: [act] });
  expect(await scene.run('go')).toMatchObject({ type: 'completed', text: 'so' });
  expect(act.calls).toEqual([]);
});

test('what a tool gives beside JSON is left out, also of what a hook is shown', async () => {
  const given = { content: 'done', structured: { at: new Date(0), run: () => undefined } };
  const act = recordingTool({ name: 'act', results: [() => given as never] });
  const shown: unknown[] = [];
  const hook: LoopHook = { name: 'watch', postToolCall: (_, { result }) => void shown.push(result.structured) };
  const model = scriptedModel([call('act'), say('so')]);
  const scene = await sessionScene({ model, tools: [act], binding: { hooks: [hook] } });
  expect(await scene.run('go')).toMatchObject({ type: 'completed', text: 'so' });
  expect(shown).toEqual([{ at: '1970-01-01T00:00:00.000Z' }]);
});
