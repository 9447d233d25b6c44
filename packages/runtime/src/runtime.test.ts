import { describe, expect, test } from 'vitest';
import { createMemoryStore } from './event/memory-store.ts';
import { recordingTool } from './testing/recording-tool.ts';
import { scriptedModel } from './testing/scripted-model.ts';
import { call, say, stall } from './testing/scripted-step.ts';
import { sessionScene } from './testing/session-scene.ts';

const UNKNOWN = '99999999-9999-4999-8999-999999999999';
const content = [{ type: 'text' as const, text: 'go' }];

describe('a session that nobody has', () => {
  test('is not found, whatever is asked of it', async () => {
    const { runtime, bindingId } = await sessionScene({ model: scriptedModel([]) });
    const sessionId = UNKNOWN;
    const asks: Record<string, () => Promise<unknown>> = {
      open: () => runtime.openSession({ sessionId, bindingId, unfinished: 'settle' }),
      read: () => runtime.readSession({ sessionId }),
      fork: () => runtime.forkSession({ sessionId, bindingId }),
      update: () => runtime.updateSession({ sessionId, title: 'x' }),
      start: () => runtime.startTurn({ sessionId, bindingId, content }),
      send: () => runtime.sendMessage({ sessionId, bindingId, content, delivery: 'join' }),
      steer: () => runtime.steerTurn({ sessionId, turnId: 't', content }),
      turn: () => runtime.readTurn({ sessionId, turnId: 't' }),
      interrupt: () => runtime.interruptTurn({ sessionId, turnId: 't' }),
      answer: () => runtime.answerCallback({ sessionId, callbackId: UNKNOWN, answer: { type: 'deny' } }),
      events: () => runtime.readEvents({ sessionId }),
      subscribe: () =>
        runtime.subscribe(sessionId, { signal: new AbortController().signal })[Symbol.asyncIterator]().next(),
    };
    for (const [name, ask] of Object.entries(asks)) {
      const error = await ask().then(
        () => 'no error',
        (thrown: unknown) => thrown,
      );
      expect([name, error]).toMatchObject([name, { code: 'session.not_found' }]);
      expect((error as Error).message).toContain(UNKNOWN);
    }
    // Nothing of it stays behind: an ID that was asked for can be made.
    expect(await runtime.createSession({ sessionId, bindingId })).toEqual({ sessionId });
  });
});

describe('a turn that nobody started', () => {
  test('is not found, is in no conflict, and takes no text', async () => {
    const { runtime, sessionId, run } = await sessionScene({ model: scriptedModel([say('one')]) });
    await run('go');
    const where = { sessionId, turnId: UNKNOWN };
    await expect(runtime.readTurn(where)).rejects.toMatchObject({ code: 'turn.not_found' });
    expect(await runtime.interruptTurn(where)).toEqual({ type: 'conflict' });
    expect(await runtime.steerTurn({ ...where, content })).toEqual({ type: 'conflict' });
  });
});

describe('a session of another process', () => {
  async function owned() {
    const store = createMemoryStore();
    const act = recordingTool({ name: 'act' });
    const owner = await sessionScene({
      model: scriptedModel([say('one'), call('act'), stall()]),
      tools: [act],
      allowed: [],
      store,
    });
    const first = await owner.run('go');
    const turnId = await owner.start('and on');
    await owner.until((event) => event.type === 'callback.opened');
    const other = await sessionScene({ model: scriptedModel([]), tools: [act], store }, owner.sessionId);
    return { owner, other, first, turnId };
  }

  test('can be read and followed', async () => {
    const { owner, other, first, turnId } = await owned();
    const { sessionId } = owner;
    expect(await other.runtime.readSession({ sessionId })).toMatchObject({ status: 'blocked', activeTurnId: turnId });
    const { cursor } = await other.runtime.readSession({ sessionId });
    expect(await other.runtime.readTurn({ sessionId, turnId: first.turnId })).toEqual({ ...first, cursor });
    expect(await other.runtime.readTurn({ sessionId, turnId })).toMatchObject({ type: 'blocked' });
    const page = await other.runtime.readEvents({ sessionId, limit: 3 });
    expect(page.events.map((event) => event.seq)).toEqual([1, 2, 3]);
    expect(page.more).toBe(true);
    const ended = other.until((event) => event.type === 'turn.ended' && event.turnId === turnId);
    await owner.runtime.interruptTurn({ sessionId, turnId });
    expect(await ended).toMatchObject({ record: { type: 'interrupted' } });
  });

  test('cannot be worked on, and says why', async () => {
    const { owner, other, turnId } = await owned();
    const { sessionId } = owner;
    const { runtime, bindingId } = other;
    await expect(runtime.openSession({ sessionId, bindingId, unfinished: 'settle' })).rejects.toMatchObject({
      code: 'session.in_use',
    });
    await expect(runtime.startTurn({ sessionId, bindingId, content })).rejects.toMatchObject({
      code: 'session.in_use',
    });
    await expect(runtime.interruptTurn({ sessionId, turnId })).rejects.toMatchObject({
      code: 'session.in_use',
    });
    expect(await owner.runtime.readTurn({ sessionId, turnId })).toMatchObject({ type: 'blocked' });
  });
});

describe('a cursor', () => {
  test('of another session, of no event, or of no form is refused wherever one is taken', async () => {
    const { runtime, sessionId, bindingId, run } = await sessionScene({ model: scriptedModel([say('one')]) });
    await run('go');
    for (const after of [`${UNKNOWN}:1`, `${sessionId}:999`, 'nonsense', `${sessionId}:-1`, `${sessionId}:1.5`]) {
      const refused = { code: 'cursor.invalid' };
      await expect(runtime.readEvents({ sessionId, after })).rejects.toMatchObject(refused);
      await expect(runtime.forkSession({ sessionId, bindingId, after })).rejects.toMatchObject(refused);
      const { signal } = new AbortController();
      const batches = runtime.subscribe(sessionId, { after, signal })[Symbol.asyncIterator]();
      await expect(batches.next()).rejects.toMatchObject(refused);
    }
  });
});

describe('a runtime that was closed', () => {
  test('takes nothing more, and says so', async () => {
    const { runtime, sessionId, bindingId } = await sessionScene({ model: scriptedModel([]) });
    await runtime.close();
    await runtime.close();
    const closed = { code: 'channel.closed' };
    await expect(runtime.startTurn({ sessionId, bindingId, content })).rejects.toMatchObject(closed);
    await expect(runtime.createSession({ bindingId })).rejects.toMatchObject(closed);
    await expect(runtime.interruptTurn({ sessionId, turnId: 't' })).rejects.toMatchObject(closed);
  });
});
