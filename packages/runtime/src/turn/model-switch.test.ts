import type { AnyEvent } from '@rondo/protocol';
import { describe, expect, test } from 'vitest';
import { createRuntime } from '../create-runtime.ts';
import type { ModelMessage } from '../model/model.ts';
import { textBlock } from '../testing/conversation.ts';
import { picture } from '../testing/picture.ts';
import { recordingTool } from '../testing/recording-tool.ts';
import { type ScriptedModel, scriptedModel } from '../testing/scripted-model.ts';
import { call, pauseUntil, say, sayOpaque, think, thinkRedacted, use } from '../testing/scripted-step.ts';
import { type Scene, type SceneOptions, sessionScene, storeAfterCrash } from '../testing/session-scene.ts';
import { sha256 } from '../testing/temporary-binding.ts';

const look = () => recordingTool({ name: 'look', effect: 'none' });

/** One more turn of the session, by another model. */
async function turnWith(scene: Scene, model: ScriptedModel, text: string): Promise<void> {
  const bindingId = scene.runtime.bind({ ...scene.binding, model });
  expect(await scene.ended(await scene.start(text, { bindingId }))).toMatchObject({ type: 'completed' });
  model.assertDone();
}

/** The same session in another process, which has the log alone. */
async function resumed(scene: Scene, options: SceneOptions): Promise<Scene> {
  return await sessionScene(
    { ...options, store: await storeAfterCrash(scene.store, scene.sessionId) },
    scene.sessionId,
  );
}

const messagesOf = (model: ScriptedModel): readonly ModelMessage[] => model.requests.at(-1)?.messages ?? [];
const blocksOf = (model: ScriptedModel): string[] =>
  messagesOf(model).flatMap(({ content }) =>
    content.map((block) => (block.type === 'text' ? `text ${block.text}` : block.type)),
  );
const notices = (events: readonly AnyEvent[]) => events.filter((event) => event.type === 'notice');

const thoughtful = () => [
  [think('first', 's1'), thinkRedacted('r1'), say('I look.'), call('look', {}, 'c1')],
  [think('second', 's2'), say('seen')],
];

describe('a session that moves between models', () => {
  test('says which one it had last: live, in another process, and in a list', async () => {
    const scene = await sessionScene({ model: scriptedModel([say('one')], { name: 'vendor/one' }) });
    const { sessionId } = scene;
    await scene.run('go');
    await turnWith(scene, scriptedModel([say('two')], { name: 'vendor/two' }), 'and you?');
    expect((await scene.runtime.readSession({ sessionId })).model).toBe('vendor/two');
    const other = createRuntime({ sha256, store: await storeAfterCrash(scene.store, sessionId) });
    expect((await other.readSession({ sessionId })).model).toBe('vendor/two');
    expect((await other.listSessions({})).sessions.map(({ model }) => model)).toEqual(['vendor/two']);
    await other.close();
  });

  test('gives each its own reasoning alone, and comes back to the first with the bytes that it knows', async () => {
    const one = scriptedModel(thoughtful(), { name: 'vendor/one' });
    const scene = await sessionScene({ model: one, tools: [look()] });
    await scene.run('go');
    const two = scriptedModel([[think('other', 's3'), say('hello')]], { name: 'vendor/two' });
    await turnWith(scene, two, 'and you?');
    expect(blocksOf(two)).toEqual([
      'text go',
      'text I look.',
      'tool_call',
      'tool_result',
      'text seen',
      'text and you?',
    ]);

    one.push(say('back'));
    await turnWith(scene, one, 'back');
    const [, second, third] = one.requests;
    expect(third?.messages.slice(0, 3)).toEqual(second?.messages);
    expect(blocksOf(one)).toEqual([
      'text go',
      'reasoning',
      'reasoning',
      'text I look.',
      'tool_call',
      'tool_result',
      'reasoning',
      'text seen',
      'text and you?',
      'text hello',
      'text back',
    ]);
    const later = scriptedModel([say('later')], { name: 'vendor/one' });
    await turnWith(await resumed(scene, { model: later, tools: [look()] }), later, 'later');
    expect(messagesOf(later).slice(0, third?.messages.length)).toEqual(third?.messages);
  });

  test('has one model under one name, wherever it was asked', async () => {
    const one = scriptedModel([[think('hm', 's1'), say('so')]], { name: 'vendor/one' });
    const scene = await sessionScene({ model: one });
    await scene.run('go');
    const elsewhere = scriptedModel([say('more')], { name: 'vendor/one' });
    await turnWith(scene, elsewhere, 'on');
    expect(blocksOf(elsewhere)).toContain('reasoning');
  });

  test('leaves out a reply that was nothing but reasoning, and what only the other provider understands', async () => {
    const search = { type: 'server_tool_use', name: 'web_search', input: { query: 'rondo' }, id: 'srv_1' };
    const found = {
      type: 'web_search_tool_result',
      content: [{ title: 'Rondo', url: 'https://r.example', encrypted_content: 'EqgfCi' }],
    };
    const one = scriptedModel(
      [
        [think('only', 's1')],
        [sayOpaque('vendor', search), sayOpaque('vendor', found), say('found')],
        [sayOpaque('vendor', { type: 'sealed', data: 'x' })],
      ],
      { name: 'vendor/one' },
    );
    const scene = await sessionScene({ model: one });
    for (const text of ['think', 'search', 'seal']) await scene.run(text);
    const two = scriptedModel([say('hello')], { name: 'other/two' });
    await turnWith(scene, two, 'and you?');
    expect(blocksOf(two)).toEqual([
      'text think',
      'text search',
      'text [server_tool_use, in short: web_search; rondo]',
      'text [web_search_tool_result, in short: Rondo; https://r.example]',
      'text found',
      'text seal',
      'text and you?',
    ]);
    expect(messagesOf(two).map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    const same = scriptedModel([say('hello')], { name: 'vendor/one' });
    await turnWith(scene, same, 'and you again?');
    expect(blocksOf(same).filter((block) => block === 'opaque')).toHaveLength(3);
  });

  test('says once what a model does not get to see, in all processes, and again for another reason', async () => {
    const items = [textBlock('look'), picture({ width: 3000 }), picture()];
    const blind = { name: 'vendor/blind', input: { images: [] } };
    const one = scriptedModel([say('nothing'), say('still nothing')], blind);
    const scene = await sessionScene({ model: one });
    await scene.ended(await scene.start('', { content: items }));
    await turnWith(scene, one, 'and now?');
    const small = scriptedModel([say('one')], { name: 'vendor/small', input: { maxImageEdge: 2000 } });
    await turnWith(scene, small, 'you?');
    const later = scriptedModel([say('nothing')], blind);
    const again = await resumed(scene, { model: later });
    await again.run('and now?');
    const said = notices(await again.events());
    expect(said).toMatchObject([
      {
        level: 'warning',
        message: expect.stringMatching(
          /^not sent to vendor\/blind: image \(image\/png, \d+ bytes\) and 1 more: this model takes no images$/,
        ),
        details: { status: 'quarantined', reason: 'this model takes no images', blocks: [{ block: 1 }, { block: 2 }] },
      },
      { message: expect.stringContaining('3000 x 3 pixels'), details: { blocks: [{ block: 1 }] } },
    ]);
    expect(messagesOf(later)[0]).toEqual(messagesOf(one)[0]);
    expect(blocksOf(small).filter((block) => block === 'image')).toHaveLength(1);
  });

  test('counts what each used under its own name, at its own price', async () => {
    const price = (input: number) => ({ input, output: 0 });
    const used = use({ inputTokens: 1_000_000, outputTokens: 1 });
    const one = scriptedModel([[say('one'), used]], { name: 'vendor/one', price: price(1) });
    const scene = await sessionScene({ model: one });
    await scene.run('go');
    await turnWith(scene, scriptedModel([[say('two'), used]], { name: 'vendor/two', price: price(10) }), 'and you?');
    const completed = (await scene.events()).filter((event) => event.type === 'model.completed');
    expect(completed).toMatchObject([
      { model: 'vendor/one', costUsd: 1 },
      { model: 'vendor/two', costUsd: 10 },
    ]);
    const turns = (await scene.events()).filter((event) => event.type === 'turn.ended');
    expect(turns.map(({ record }) => 'usage' in record && record.usage?.map(({ model }) => model))).toEqual([
      ['vendor/one'],
      ['vendor/two'],
    ]);
  });
});

describe('reasoning', () => {
  test('that was interrupted is not sent, and the session goes on in another process and by another model', async () => {
    const never = Promise.withResolvers<void>();
    const one = scriptedModel(
      [
        [think('whole', 's1'), say('I look.'), call('look', {}, 'c1')],
        [think(['half of', ' a thought'], 's2'), pauseUntil(never.promise), say('never said')],
      ],
      { name: 'vendor/one' },
    );
    const scene = await sessionScene({ model: one, tools: [look()] });
    const turnId = await scene.start('go');
    await scene.until((event) => event.type === 'reasoning.delta' && event.text.includes('half of'), { deltas: true });
    await scene.runtime.interruptTurn({ sessionId: scene.sessionId, turnId });
    expect(await scene.ended(turnId)).toMatchObject({ type: 'interrupted' });
    for (const name of ['vendor/one', 'vendor/two']) {
      const later = scriptedModel([say('on')], { name });
      await turnWith(await resumed(scene, { model: later, tools: [look()] }), later, 'on');
      expect(blocksOf(later).filter((block) => block === 'reasoning')).toHaveLength(name === 'vendor/one' ? 1 : 0);
      expect(JSON.stringify(messagesOf(later))).not.toContain('half of');
    }
  });

  test('in which a secret stood is stored without its seal and never sent again', async () => {
    const secret = 'sk-0123456789';
    const one = scriptedModel(
      [
        [
          think(`the key is ${secret}`, 's1'),
          think('so', 's2'),
          say('I have it.'),
          sayOpaque('vendor', { type: 'note', text: secret }),
        ],
      ],
      { name: 'vendor/one' },
    );
    const scene = await sessionScene({ model: one, binding: { secrets: [secret] } });
    await scene.run('go');
    one.push(say('on'));
    await turnWith(scene, one, 'on');
    expect(blocksOf(one)).toEqual(['text go', 'text I have it.', 'text [note, in short: [redacted]]', 'text on']);
    expect(JSON.stringify(await scene.events())).not.toContain(secret);
  });
});
