import type { AnyEvent, CallbackAnswer, OpenCallback } from '@rondo/protocol';
import { describe, expect, test } from 'vitest';
import { call, say } from '../testing/scripted-step.ts';
import { scriptedModel } from '../testing/scripted-model.ts';
import { type Scene, sessionScene, storeAfterCrash } from '../testing/session-scene.ts';
import { defineClientTool } from '../tool/define-client-tool.ts';
import { defineTool } from '../tool/define-tool.ts';
import type { SignInOutcome } from '../tool/tool.ts';

const anything = { type: 'object' } as const;
const pick = defineClientTool({ name: 'pick', title: 'Pick a file', description: 'Picks.', input: anything });
const look = defineClientTool({ name: 'look', description: 'Looks.', input: anything, effect: 'none' });

/** A tool that says what it was told about its sources. */
const mail = (outcomes: SignInOutcome[], effect: 'none' | 'once' = 'none') =>
  defineTool({
    name: 'mail',
    description: 'Reads mail.',
    input: anything,
    effect,
    run: async (_input, { requestSignIn }) => {
      const outcome = await requestSignIn([{ sourceId: 'mail', name: 'Mail' }, { sourceId: 'files' }]);
      outcomes.push(outcome);
      return `connected ${outcome.connected.join()}`;
    },
  });

const open = (event: { readonly type: string }) => event.type === 'callback.opened';

async function nextQuestion(scene: Scene, after?: string): Promise<{ callback: OpenCallback; id: string; at: string }> {
  const event = await scene.until(open, after === undefined ? {} : { after });
  if (event.type !== 'callback.opened' || !('id' in event) || !('id' in event.callback)) throw new Error('no question');
  return { callback: event.callback, id: event.callback.id as string, at: event.id };
}

const answer = (scene: Scene, callbackId: string, given: CallbackAnswer) =>
  scene.runtime.answerCallback({ sessionId: scene.sessionId, callbackId, answer: given });

const result = (text: string): CallbackAnswer => ({ type: 'tool_result', result: text });
const completed = (events: readonly AnyEvent[]) =>
  events.filter((event): event is Extract<AnyEvent, { type: 'tool.completed' }> => event.type === 'tool.completed');

describe('a client tool', () => {
  test('asks the client once it is permitted, and its answer is the result of the call', async () => {
    const model = scriptedModel([call('pick', { ext: 'ts' }), say('thanks')]);
    const scene = await sessionScene({ model, tools: [pick], allowed: [] });
    const turnId = await scene.start('go');
    const permission = await nextQuestion(scene);
    expect(permission.callback.type).toBe('approval');
    await answer(scene, permission.id, { type: 'allow', scope: 'once' });
    const { callback, id } = await nextQuestion(scene, permission.at);
    expect(callback).toMatchObject({
      type: 'client_tool',
      title: 'Pick a file',
      call: { name: 'pick', toolId: 'client.pick', arguments: { ext: 'ts' } },
    });
    await answer(scene, id, { type: 'tool_result', result: { path: 'a.ts' } });
    expect(await scene.ended(turnId)).toMatchObject({ type: 'completed', text: 'thanks' });
    const events = await scene.events();
    expect(completed(events)).toMatchObject([
      { outcome: 'success', structured: { path: 'a.ts' }, content: [{ type: 'text', text: '{"path":"a.ts"}' }] },
    ]);
    expect(events.find((event) => event.type === 'tool.requested')).toMatchObject({ toolKind: 'client' });
  });

  test.each<[string, CallbackAnswer, object]>([
    ['an error', { type: 'tool_result', error: 'it is away' }, { isError: true, content: [{ text: 'it is away' }] }],
    ['nothing', { type: 'tool_result' }, { isError: false, content: [{ text: 'null' }] }],
    [
      'content beside the result',
      { type: 'tool_result', result: { n: 1 }, content: [{ type: 'text', text: 'one' }] },
      { isError: false, structured: { n: 1 }, content: [{ text: 'one' }] },
    ],
  ])('may end with %s', async (_what, given, expected) => {
    const model = scriptedModel([call('pick'), say('well')]);
    const scene = await sessionScene({ model, tools: [pick] });
    const turnId = await scene.start('go');
    await answer(scene, (await nextQuestion(scene)).id, given);
    await scene.ended(turnId);
    expect(completed(await scene.events())).toMatchObject([expected]);
  });

  test('is asked again under the same ID after a crash, and what was answered before it is not asked again', async () => {
    const model = scriptedModel([[call('pick', {}, 'one'), call('pick', {}, 'two')]]);
    const scene = await sessionScene({ model, tools: [pick] });
    await scene.start('go');
    const first = await nextQuestion(scene);
    await answer(scene, first.id, result('first'));
    const second = await nextQuestion(scene, first.at);
    // The process dies between an answer and the end of its call.
    const store = await storeAfterCrash(scene.store, scene.sessionId, (event) => event.type !== 'tool.completed');

    const after = scriptedModel([say('both are here')]);
    const next = await sessionScene({ model: after, tools: [pick], store }, scene.sessionId);
    const opened = await next.runtime.openSession({
      sessionId: scene.sessionId,
      bindingId: next.bindingId,
      unfinished: 'continue',
    });
    await answer(next, second.id, result('second'));
    expect(await next.ended(opened.openTurnId ?? '')).toMatchObject({ type: 'completed', text: 'both are here' });
    const events = await next.events();
    expect(events.filter(open)).toHaveLength(2);
    expect(completed(events).map(({ content }) => content)).toMatchObject([[{ text: 'first' }], [{ text: 'second' }]]);
  });

  test('that an interrupt ends is closed', async () => {
    const scene = await sessionScene({ model: scriptedModel([call('pick')]), tools: [pick] });
    const turnId = await scene.start('go');
    const { id } = await nextQuestion(scene);
    await scene.runtime.interruptTurn({ sessionId: scene.sessionId, turnId });
    expect(await scene.ended(turnId)).toMatchObject({ type: 'interrupted' });
    expect(await answer(scene, id, result('late'))).toMatchObject({ type: 'alreadySettled' });
    const events = await scene.events();
    expect(events.find((event) => event.type === 'callback.resolved')).toMatchObject({ resolution: 'closed' });
    expect(completed(events)).toMatchObject([{ outcome: 'interrupted' }]);
  });

  test('of a session that nobody attends fails at once', async () => {
    const model = scriptedModel([call('pick'), say('alone')]);
    const scene = await sessionScene({ model, tools: [pick], binding: { unattended: 'deny' } });
    expect(await scene.run('go')).toMatchObject({ type: 'completed', text: 'alone' });
    expect(completed(await scene.events())).toMatchObject([{ outcome: 'error' }]);
  });

  test('that only reads is asked beside others, and three are answered from the last', async () => {
    const model = scriptedModel([
      [call('look', { n: 1 }), call('look', { n: 2 }), call('look', { n: 3 })],
      say('seen'),
    ]);
    const scene = await sessionScene({ model, tools: [look] });
    const turnId = await scene.start('go');
    const ids: string[] = [];
    let at: string | undefined;
    for (let number = 0; number < 3; number += 1) {
      const question = await nextQuestion(scene, at);
      ids.push(question.id);
      at = question.at;
    }
    const read = () => scene.runtime.readTurn({ sessionId: scene.sessionId, turnId });
    for (const id of ids.reverse()) {
      expect((await read()).type).toBe('blocked');
      await answer(scene, id, result(id));
    }
    await scene.ended(turnId);
    const statuses = (await scene.events()).flatMap((event) => (event.type === 'turn.updated' ? [event.status] : []));
    expect(statuses).toEqual(['blocked', 'running']);
  });
});

describe('a tool that needs a sign-in', () => {
  test('waits for it and learns what was connected', async () => {
    const outcomes: SignInOutcome[] = [];
    const scene = await sessionScene({ model: scriptedModel([call('mail'), say('read')]), tools: [mail(outcomes)] });
    const turnId = await scene.start('go');
    const { callback, id } = await nextQuestion(scene);
    expect(callback).toMatchObject({
      type: 'sign_in',
      title: 'Sign in to Mail, files',
      requests: [{ sourceId: 'mail' }, { sourceId: 'files' }],
    });
    await answer(scene, id, { type: 'sign_in', connected: ['mail'], denied: ['files'] });
    expect(await scene.ended(turnId)).toMatchObject({ type: 'completed', text: 'read' });
    expect(outcomes).toEqual([{ connected: ['mail'], denied: ['files'] }]);
  });

  test('asks again under the same ID after a crash', async () => {
    const scene = await sessionScene({ model: scriptedModel([call('mail')]), tools: [mail([])] });
    await scene.start('go');
    const { id } = await nextQuestion(scene);
    const store = await storeAfterCrash(scene.store, scene.sessionId);
    const outcomes: SignInOutcome[] = [];
    const next = await sessionScene(
      { model: scriptedModel([say('read')]), tools: [mail(outcomes)], store },
      scene.sessionId,
    );
    const opened = await next.runtime.openSession({
      sessionId: scene.sessionId,
      bindingId: next.bindingId,
      unfinished: 'continue',
    });
    await answer(next, id, { type: 'sign_in', connected: ['mail', 'files'], denied: [] });
    expect(await next.ended(opened.openTurnId ?? '')).toMatchObject({ type: 'completed', text: 'read' });
    expect(outcomes).toEqual([{ connected: ['mail', 'files'], denied: [] }]);
    expect((await next.events()).filter(open)).toHaveLength(1);
  });

  test('and is not run again leaves no question behind', async () => {
    const scene = await sessionScene({ model: scriptedModel([call('mail')]), tools: [mail([], 'once')] });
    await scene.start('go');
    await nextQuestion(scene);
    const store = await storeAfterCrash(scene.store, scene.sessionId);
    const next = await sessionScene(
      { model: scriptedModel([say('who knows')]), tools: [mail([], 'once')], store },
      scene.sessionId,
    );
    const opened = await next.runtime.openSession({
      sessionId: scene.sessionId,
      bindingId: next.bindingId,
      unfinished: 'continue',
    });
    await next.ended(opened.openTurnId ?? '');
    const events = await next.events();
    expect(completed(events)).toMatchObject([{ outcome: 'unknown' }]);
    expect(events.filter((event) => event.type === 'callback.resolved')).toMatchObject([{ resolution: 'closed' }]);
    expect(events.flatMap((event) => (event.type === 'turn.updated' ? [event.status] : []))).toEqual([
      'blocked',
      'running',
    ]);
  });

  test('is denied every source where nobody attends', async () => {
    const outcomes: SignInOutcome[] = [];
    const scene = await sessionScene({
      model: scriptedModel([call('mail'), say('none')]),
      tools: [mail(outcomes)],
      binding: { unattended: 'deny' },
    });
    await scene.run('go');
    expect(outcomes).toEqual([{ connected: [], denied: ['mail', 'files'] }]);
  });
});
