import type { AnyEvent } from '@rondo/protocol';
import { describe, expect, test } from 'vitest';
import { replaySession } from '../replay/replay-session.ts';
import { recordingTool } from '../testing/recording-tool.ts';
import { scriptedModel } from '../testing/scripted-model.ts';
import { call, say, stall } from '../testing/scripted-step.ts';
import { sessionScene, type Scene } from '../testing/session-scene.ts';
import { sha256 } from '../testing/temporary-binding.ts';

/** The texts that the model was sent last, one a message. */
function lastAsked(model: ReturnType<typeof scriptedModel>): string[] {
  return (model.requests.at(-1)?.messages ?? []).map((message) =>
    message.content.map((block) => (block.type === 'text' ? block.text : block.type)).join(' '),
  );
}

async function cursorOf(scene: Scene, fits: (event: AnyEvent) => boolean): Promise<string> {
  const found = (await scene.events()).findLast(fits);
  if (found === undefined) throw new Error('no such event');
  return found.id;
}

const said = (text: string) => (event: AnyEvent) =>
  event.type === 'entry.completed' &&
  event.entry.type !== 'unknown' &&
  'content' in event.entry &&
  JSON.stringify(event.entry.content).includes(text);

const open = (scene: Scene, after: string) =>
  scene.runtime.openSession({
    sessionId: scene.sessionId,
    bindingId: scene.bindingId,
    unfinished: 'settle',
    after,
  });

describe('a session that goes on from an earlier place', () => {
  test('forgets what came behind it, keeps it in the log, and finds it again', async () => {
    const model = scriptedModel([say('one'), say('two'), say('three'), say('four'), say('five')]);
    const scene = await sessionScene({ model });
    await scene.run('first');
    await scene.run('second');
    const before = await scene.events();
    await open(scene, await cursorOf(scene, said('one')));
    await scene.run('another');
    expect(lastAsked(model)).toEqual(['first', 'one', 'another']);
    expect((await scene.events()).slice(0, before.length)).toEqual(before);
    // What a branch left behind can be gone back to, and what that left behind too.
    await open(scene, await cursorOf(scene, said('two')));
    await scene.run('third');
    expect(lastAsked(model)).toEqual(['first', 'one', 'second', 'two', 'third']);
    await open(scene, await cursorOf(scene, said('three')));
    await scene.run('again');
    expect(lastAsked(model)).toEqual(['first', 'one', 'another', 'three', 'again']);
    // Another owner finds the newest branch in the log.
    const later = scriptedModel([say('six')]);
    await scene.runtime.closeSession({ sessionId: scene.sessionId });
    const elsewhere = await sessionScene({ model: later, store: scene.store }, scene.sessionId);
    await elsewhere.run('more');
    expect(lastAsked(later)).toEqual(['first', 'one', 'another', 'three', 'again', 'five', 'more']);
    const report = await replaySession({
      sessionId: scene.sessionId,
      events: await scene.events(),
      readBlob: () => Promise.reject(new Error('none')),
      sha256,
    });
    expect(report.divergence).toBeUndefined();
  });

  test('a fork of it goes on from the newest branch', async () => {
    const model = scriptedModel([say('one'), say('two'), say('three'), say('four')]);
    const scene = await sessionScene({ model });
    await scene.run('first');
    await scene.run('second');
    await open(scene, await cursorOf(scene, said('one')));
    await scene.run('another');
    const fork = await scene.runtime.forkSession({ sessionId: scene.sessionId, bindingId: scene.bindingId });
    await scene.runtime.closeSession({ sessionId: fork.sessionId });
    await (await sessionScene({ model, store: scene.store }, fork.sessionId)).run('in the fork');
    expect(lastAsked(model)).toEqual(['first', 'one', 'another', 'three', 'in the fork']);
  });

  test('goes on behind a call whose result is not taken along, and forgets what the call had remembered', async () => {
    const act = recordingTool({ name: 'act', results: [{ content: 'acted', remembered: { seen: 'yes' } }] });
    const model = scriptedModel([call('act'), say('done'), say('anew')]);
    const scene = await sessionScene({ model, tools: [act] });
    await scene.run('go');
    const tool = await cursorOf(scene, said('tool_call'));
    await open(scene, tool);
    await scene.run('again');
    const results = model.requests
      .at(-1)
      ?.messages.flatMap(({ content }) => content.filter(({ type }) => type === 'tool_result'));
    expect(JSON.stringify(results)).toContain('cut off');
  });

  test('is refused while a turn is at work, and for what is no place', async () => {
    const model = scriptedModel([say('one'), stall()]);
    const scene = await sessionScene({ model });
    await scene.run('first');
    const created = await cursorOf(scene, ({ type }) => type === 'session.created');
    const place = await cursorOf(scene, said('one'));
    await expect(open(scene, created)).rejects.toMatchObject({ code: 'cursor.invalid' });
    const turnId = await scene.start('second');
    await scene.until((event) => event.type === 'model.requested' && event.turnId === turnId);
    await expect(open(scene, place)).rejects.toMatchObject({ code: 'session.busy' });
    await scene.runtime.interruptTurn({ sessionId: scene.sessionId, turnId });
  });

  test('says nothing where it is the end already', async () => {
    const scene = await sessionScene({ model: scriptedModel([say('one')]) });
    await scene.run('first');
    const { length } = await scene.events();
    await open(scene, await cursorOf(scene, said('one')));
    expect(await scene.events()).toHaveLength(length);
  });
});
