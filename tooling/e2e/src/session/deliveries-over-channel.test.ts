import { allowApproval, type Session } from '@rondo/client';
import { createMemoryStore, createRuntime } from '@rondo/runtime';
import { call, say, scriptedModel, sha256, stall, temporaryBinding } from '@rondo/runtime/testing';
import { describe, expect, test } from 'vitest';
import { stage, start } from './session-stage.ts';
import { wires } from './wires.ts';

describe.each(wires)('over $name', (wire) => {
  /** A session whose turn waits for an answer, so that what is sent waits too. */
  async function blocked(steps: Parameters<typeof stage>[1]) {
    const scene = await stage(wire, [call('Charge', {}), ...steps]);
    const { client, bindingId } = scene;
    const session = client.session((await client.createSession({ bindingId })).id, { bindingId });
    const turn = await start(session, 'Charge it');
    const state = await turn.result();
    if (state.type !== 'blocked') throw new Error(`the turn is ${state.type}`);
    const goOn = () =>
      turn.answer(state.callbacks[0]?.type === 'approval' ? state.callbacks[0].id : '', allowApproval());
    return { ...scene, session, turn, goOn };
  }

  test('what waits is listed as it was sent, and each message is read where it was meant for', async () => {
    const scene = await blocked([say('Charged, and this.'), say('Next.'), say('Later.')]);
    await using _ = scene;
    const { session, turn, goOn, model } = scene;
    await session.sendMessage('later', { delivery: 'later', messageId: 'm3' });
    await session.sendMessage('next', { delivery: 'next', messageId: 'm2' });
    await session.sendMessage('join', { delivery: 'join', messageId: 'm1' });
    const waiting = await session.waitingMessages();
    expect(waiting.map(({ messageId, delivery }) => [messageId, delivery])).toEqual([
      ['m3', 'later'],
      ['m2', 'next'],
      ['m1', 'join'],
    ]);
    expect(waiting[0]?.content).toEqual([{ type: 'text', text: 'later' }]);
    await goOn();
    await turns(session, 3);
    expect(await session.waitingMessages()).toEqual([]);
    const messages = await userMessages(session);
    expect(messages).toEqual(expect.arrayContaining([expect.objectContaining({ messageId: 'm1', turnId: turn.id })]));
    expect(new Set(messages.map(({ turnId }) => turnId)).size).toBe(3);
    model.assertDone();
  });

  test('what nobody has read is taken back, once, and nobody reads it then', async () => {
    const scene = await blocked([say('Charged.')]);
    await using _ = scene;
    const { session, turn, goOn, model, connectAnother, bindingId } = scene;
    const other = (await connectAnother()).session(session.id, { bindingId });
    for (const delivery of ['join', 'next', 'later'] as const) {
      await session.sendMessage(`not ${delivery}`, {
        delivery,
        messageId: delivery,
        idempotencyKey: `key ${delivery}`,
      });
      const taken = { messageId: delivery, delivery, content: [{ type: 'text', text: `not ${delivery}` }] };
      const both = await Promise.all([session.cancelMessage(delivery), other.cancelMessage(delivery)]);
      expect(both.filter((message) => message !== undefined)).toEqual([taken]);
    }
    expect(await session.waitingMessages()).toEqual([]);
    expect(await session.cancelMessage('nobody')).toBeUndefined();
    // Its key is free for what is said instead.
    await session.sendMessage('something else', { delivery: 'join', messageId: 'else', idempotencyKey: 'key next' });
    await goOn();
    await turn.result({ after: (await session.read()).cursor });
    expect((await userMessages(session)).map(({ messageId }) => messageId).slice(1)).toEqual(['else']);
    expect(await session.cancelMessage('else')).toBeUndefined();
    expect(JSON.stringify(model.requests)).not.toContain('not next');
  });
});

test('messages that wait are listed and taken back after a restart, without the agent', async () => {
  const store = createMemoryStore();
  await using temporary = await temporaryBinding({ model: scriptedModel([stall()]) });
  const first = createRuntime({ store, sha256 });
  const bindingId = first.bind(temporary.binding);
  const { sessionId } = await first.createSession({ bindingId });
  const content = [{ type: 'text' as const, text: 'go' }];
  await first.startTurn({ sessionId, bindingId, content });
  await first.sendMessage({ sessionId, bindingId, content, delivery: 'next', messageId: 'kept' });
  await first.sendMessage({ sessionId, bindingId, content, delivery: 'later', messageId: 'taken' });
  await first.closeSession({ sessionId });

  const second = createRuntime({ store, sha256 });
  const ids = async () => (await second.listMessages({ sessionId })).messages.map(({ messageId }) => messageId);
  expect(await ids()).toEqual(['kept', 'taken']);
  expect(await second.cancelMessage({ sessionId, messageId: 'taken' })).toMatchObject({ type: 'cancelled' });
  expect(await second.cancelMessage({ sessionId, messageId: 'taken' })).toEqual({ type: 'gone' });
  expect(await ids()).toEqual(['kept']);
  expect((await second.readSession({ sessionId })).status).toBe('running');
  await first.close();
  await second.close();
});

/** Resolves when so many turns have ended. */
async function turns(session: Session, count: number): Promise<void> {
  let left = count;
  for await (const event of session.events()) {
    if (event.type === 'turn.ended') left -= 1;
    if (left === 0) return;
  }
}

async function userMessages(session: Session) {
  const said: { readonly messageId: string | undefined; readonly turnId: string | undefined }[] = [];
  const last = (await session.read()).cursor;
  for await (const event of session.events()) {
    if (event.type === 'entry.completed' && event.entry.type === 'message' && event.entry.role === 'user')
      said.push({ messageId: event.entry.messageId, turnId: event.turnId });
    if ('id' in event && event.id === last) break;
  }
  return said;
}
