import type { SessionEvent } from '@rondo/protocol';
import { expect, test } from 'vitest';
import { createMemoryStore } from '../event/memory-store.ts';
import { recordingTool } from '../testing/recording-tool.ts';
import { scriptedModel } from '../testing/scripted-model.ts';
import { call, say } from '../testing/scripted-step.ts';
import { sessionScene } from '../testing/session-scene.ts';
import { systemClock } from '../event/clock.ts';
import type { EventStore, OwnedLog } from '../event/event-store.ts';
import { emptyTreeState } from '../event/tree-state.ts';
import { createTreeWriter } from './tree-writer.ts';

function notice(message: string) {
  return { type: 'notice', level: 'info', message } as const;
}

test('what could not be moved out of an event leaves no hole: nothing after it is stored', async () => {
  const appended: SessionEvent[] = [];
  const log: OwnedLog = {
    sessionId: 's1',
    epoch: 1,
    lastSeq: 0,
    damage: undefined,
    readOnly: false,
    append: (events) => {
      appended.push(...events.map(({ event }) => event));
      return Promise.resolve();
    },
    release: () => Promise.resolve(),
  };
  const spilled = Promise.withResolvers<never>();
  const writer = createTreeWriter({
    log,
    state: emptyTreeState('s1'),
    clock: systemClock,
    secrets: () => [],
    spill: (encoded) => (encoded.json.includes('large') ? spilled.promise : encoded),
    publish: () => {},
  });
  const first = writer.emit('s1', [notice('first')]).committed;
  const large = writer.emit('s1', [notice('large')]).committed;
  const after = writer.emit('s1', [notice('after')]).committed;
  spilled.reject(new Error('no space left'));
  await first;
  await expect(large).rejects.toMatchObject({ code: 'session.write_failed' });
  await expect(after).rejects.toMatchObject({ code: 'session.write_failed' });
  await expect(writer.emit('s1', [notice('much later')]).committed).rejects.toMatchObject({
    code: 'session.write_failed',
  });
  expect(appended.map((event) => event.seq)).toEqual([1]);
  expect(writer.failed.aborted).toBe(true);
});

test('a session whose blob could not be written says so and can be opened again', async () => {
  const store = createMemoryStore();
  let full = true;
  const failing: EventStore = {
    ...store,
    blobs: (sessionId) => {
      const blobs = store.blobs(sessionId);
      return {
        ...blobs,
        write: (bytes) => (full ? Promise.reject(new Error('no space left')) : blobs.write(bytes)),
      };
    },
  };
  const large = recordingTool({ name: 'large', effect: 'none', results: ['x'.repeat(200_000)] });
  const scene = await sessionScene({
    model: scriptedModel([call('large'), say('never'), say('again')]),
    tools: [large],
    store: failing,
  });
  const turnId = await scene.start('go');
  await expect(scene.ended(turnId)).rejects.toMatchObject({ code: 'session.write_failed' });
  full = false;
  const where = { sessionId: scene.sessionId, bindingId: scene.bindingId };
  await scene.runtime.openSession({ ...where, unfinished: 'settle' });
  const seqs = (await scene.events()).map((event) => event.seq);
  expect(seqs).toEqual(seqs.map((_, index) => index + 1));
  expect(await scene.runtime.readTurn({ sessionId: scene.sessionId, turnId })).toMatchObject({ type: 'interrupted' });
});

test('what JSON cannot carry is refused and takes no place', async () => {
  const store = createMemoryStore();
  const writer = createTreeWriter({
    log: await store.create('s1'),
    state: emptyTreeState('s1'),
    clock: systemClock,
    secrets: () => [],
    spill: (encoded) => encoded,
    publish: () => {},
  });
  const odd = { ...notice('odd'), details: { count: 1n as never } };
  expect(() => writer.emit('s1', [notice('lost with it'), odd])).toThrow(TypeError);
  const { events } = writer.emit('s1', [notice('first')]);
  expect(events.map(({ seq }) => seq)).toEqual([1]);
});
