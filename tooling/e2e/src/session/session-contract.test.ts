import { allowApproval, denyApproval, type TurnInput } from '@rondo/client';
import { type Frame, type StreamEvent, type TurnRecord } from '@rondo/protocol';
import { call, pauseUntil, say, stall } from '@rondo/runtime/testing';
import { describe, expect, test, vi } from 'vitest';
import { collect, idsOf, stage, start, type Stage } from './session-stage.ts';
import { wires } from './wires.ts';

const picture = { type: 'image', uri: 'data:image/png;base64,iVBORw0KGgo=', altText: 'a dot' } as const;
const forms: readonly TurnInput[] = [
  ' just text ',
  [{ type: 'text', text: 'one' }, picture, { type: 'text', text: 'two' }],
];

/** What users said, as the session's history holds it. */
async function said(at: Stage, sessionId: string): Promise<unknown[]> {
  const { events } = await at.runtime.readEvents({ sessionId });
  return events.flatMap((event) =>
    event.type === 'entry.completed' && event.entry.type === 'message' && event.entry.role === 'user'
      ? [event.entry.content]
      : [],
  );
}

const asBlocks = (content: TurnInput): unknown =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : content;

describe.each(wires)('over $name', (wire) => {
  test('session.startTurn.content, session.run.content: each form reaches the history, none is an argument error', async () => {
    await using at = await stage(wire, [say('a'), say('b'), say('c'), say('d')]);
    const session = await at.client.createSession({ bindingId: at.bindingId });
    for (const form of forms) {
      await (await start(session, form)).result();
      await session.run(form);
    }
    const expected = forms.flatMap((form) => [asBlocks(form), asBlocks(form)]);
    expect(await said(at, session.id)).toEqual(expected);
    for (const send of [session.startTurn, session.run]) {
      await expect(Reflect.apply(send, undefined, [])).rejects.toBeInstanceOf(TypeError);
    }
    expect(await said(at, session.id)).toEqual(expected);
  });

  test('session.sendMessage.contentString, session.sendMessage.contentBlocks, turn.steer.content: as they were given', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    await using at = await stage(wire, [[pauseUntil(promise), say('a')], say('b')]);
    const session = await at.client.createSession({ bindingId: at.bindingId });
    const turn = await session.sendMessage(forms[0] ?? '');
    await session.sendMessage(forms[1] ?? '');
    for (const form of forms) await turn.steer(form);
    await expect(Reflect.apply(turn.steer, undefined, [])).rejects.toBeInstanceOf(TypeError);
    resolve();
    await turn.result();
    expect(await said(at, session.id)).toEqual([...forms, ...forms].map(asBlocks));
  });

  test('session.sendMessage.startsTurnWhenIdle, session.sendMessage.startedTrueForNewTurn, turn.id', async () => {
    await using at = await stage(wire, [say('heard')]);
    const session = await at.client.createSession({ bindingId: at.bindingId });
    const turn = await session.sendMessage('is anybody there');
    expect(turn.started).toBe(true);
    expect(await turn.result()).toMatchObject({ type: 'completed', turnId: turn.id });
    const events = await collect(turn.events());
    expect(events[0]).toMatchObject({ type: 'turn.started', turnId: turn.id });
    expect(events.filter((event) => 'turnId' in event && event.turnId !== turn.id)).toEqual([]);
    expect(JSON.stringify(at.model.requests[0]?.messages)).toContain('is anybody there');
  });

  test('turn.started.true, turn.started.false, turn.started.null: of a send, a send that joined, and no send', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    await using at = await stage(wire, [[pauseUntil(promise), say('a')], say('b'), say('c')]);
    const session = await at.client.createSession({ bindingId: at.bindingId });
    const turn = await start(session, 'one');
    expect([turn.started, (await session.sendMessage('two')).started]).toEqual([true, false]);
    const built = session.turn(turn.id);
    expect(built.started).toBeNull();
    resolve();
    await built.result();
    expect(built.started).toBeNull();
    expect((await session.sendMessage('three')).started).toBe(true);
  });

  test('turn.get.running, turn.get.blocked, turn.get.readsCurrentState: step by step, to the end', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    await using at = await stage(wire, [[pauseUntil(promise), call('Charge')], say('paid')]);
    const session = await at.client.createSession({ bindingId: at.bindingId });
    const turn = await start(session, 'pay');
    expect(await turn.get()).toMatchObject({ type: 'running', turnId: turn.id });
    resolve();
    const blocked = await turn.result();
    if (blocked.type !== 'blocked') throw new Error(`it is ${blocked.type}`);
    const now = await turn.get();
    expect(now).toMatchObject({ type: 'blocked', callbacks: [{ id: idOf(blocked.callbacks[0]) }] });
    await turn.answer(idOf(blocked.callbacks[0]), denyApproval());
    const ended = await turn.result({ after: blocked });
    expect(ended).toMatchObject({ type: 'completed', text: 'paid' });
    expect(await turn.get()).toEqual(ended);
  });

  test('turn.get.neverWaits: nor adds an event, however often it is asked', async () => {
    await using at = await stage(wire, [stall()]);
    const session = await at.client.createSession({ bindingId: at.bindingId });
    const turn = await start(session, 'wait for ever');
    for await (const event of turn.events()) if (event.type === 'model.requested') break;
    const before = await at.runtime.readEvents({ sessionId: session.id });
    for (let again = 0; again < 5; again += 1) expect((await turn.get()).type).toBe('running');
    expect(await at.runtime.readEvents({ sessionId: session.id })).toEqual(before);
    await turn.interrupt();
  });

  test('turn.handle.obtain: handles on one turn read alike', async () => {
    await using at = await stage(wire, [say('one'), say('two')]);
    const session = await at.client.createSession({ bindingId: at.bindingId });
    const turn = await start(session, 'a');
    await turn.result();
    await session.run('b');
    expect(await session.turn(turn.id).get()).toEqual(await turn.get());
  });

  test('turn.steer.conflict, turn.steer.conflictNotAdded, turn.interrupt.conflict: beside a later turn that goes on', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    await using at = await stage(wire, [say('one'), [pauseUntil(promise), say('two')]]);
    const session = await at.client.createSession({ bindingId: at.bindingId });
    const turn = await start(session, 'a');
    await turn.result();
    expect(await turn.steer('nowhere')).toEqual({ type: 'turnConflict' });
    expect(await turn.interrupt()).toEqual({ type: 'turnConflict' });
    const later = await start(session, 'b');
    expect(await turn.steer('nowhere')).toMatchObject({ type: 'turnConflict', turn: { id: later.id } });
    expect(await turn.interrupt()).toMatchObject({ type: 'turnConflict', turn: { id: later.id } });
    expect(await later.get()).toMatchObject({ type: 'running' });
    resolve();
    expect(await later.result()).toMatchObject({ type: 'completed', text: 'two' });
    expect(JSON.stringify(await said(at, session.id))).not.toContain('nowhere');
  });

  test('session.startTurn.busyKeyNotConsumed: it starts a turn later', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    await using at = await stage(wire, [[pauseUntil(promise), say('one')], say('two')]);
    const session = await at.client.createSession({ bindingId: at.bindingId });
    const turn = await start(session, 'a');
    const again = () => session.startTurn('b', { idempotencyKey: 'k' });
    const [busy, alsoBusy] = await Promise.all([again(), again()]);
    expect([busy.type, alsoBusy.type]).toEqual(['busy', 'busy']);
    resolve();
    await turn.result();
    expect(await said(at, session.id)).toEqual([asBlocks('a')]);
    const later = await again();
    expect(later).toMatchObject({ type: 'turn', started: true });
    if (later.type === 'turn') expect(await later.result()).toMatchObject({ type: 'completed', text: 'two' });
    expect(await said(at, session.id)).toEqual([asBlocks('a'), asBlocks('b')]);
  });

  test('session.startTurn.keyOptional, session.run.idempotencyKey: without a key each call counts, with one only the first', async () => {
    await using at = await stage(wire, [say('one'), say('two'), say('three')]);
    const session = await at.client.createSession({ bindingId: at.bindingId });
    const first = await start(session, 'same');
    await first.result();
    const second = await start(session, 'same');
    await second.result();
    expect(second.id).not.toBe(first.id);
    const keyed = await session.run('same', { idempotencyKey: 'k' });
    expect(await session.run('same', { idempotencyKey: 'k' })).toEqual(keyed);
    expect((await session.read()).turns).toBe(3);
    at.model.assertDone();
  });

  test('session.sendMessage.keyOptional, session.sendMessage.keySameTurn, error.sendMessage.keyConflict', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    await using at = await stage(wire, [[pauseUntil(promise), say('one')], say('two')]);
    const session = await at.client.createSession({ bindingId: at.bindingId });
    const controller = new AbortController();
    const send = at.near.send;
    vi.spyOn(at.near, 'send').mockImplementationOnce((frame: Frame) => {
      send.call(at.near, frame);
      controller.abort();
    });
    const dropped = session.sendMessage('first', { idempotencyKey: 'k', signal: controller.signal });
    await expect(dropped).rejects.toMatchObject({ code: 'operation.aborted' });
    const turn = await session.sendMessage('first', { idempotencyKey: 'k' });
    expect(turn.started).toBe(true);
    expect(await session.sendMessage('first', { idempotencyKey: 'k' })).toMatchObject({ id: turn.id, started: true });
    await session.sendMessage('unkeyed');
    await session.sendMessage('unkeyed');
    await expect(session.sendMessage('another', { idempotencyKey: 'k' })).rejects.toMatchObject({
      code: 'session.idempotency_conflict',
    });
    resolve();
    await turn.result();
    expect(await said(at, session.id)).toEqual(['first', 'unkeyed', 'unkeyed'].map(asBlocks));
  });

  test('session.run.leavingDoesNotStopTurn: nothing that stops is sent, and it ends as it would have', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    await using at = await stage(wire, [[pauseUntil(promise), say('late')]]);
    const session = await at.client.createSession({ bindingId: at.bindingId });
    const sent = vi.spyOn(at.near, 'send');
    const controller = new AbortController();
    const wait = session.run('hi', { signal: controller.signal, onEvent: () => controller.abort() });
    await expect(wait).rejects.toMatchObject({ code: 'operation.aborted' });
    const { activeTurnId = '' } = await session.read();
    resolve();
    expect(await session.turn(activeTurnId).result()).toMatchObject({ type: 'completed', text: 'late' });
    const methods = sent.mock.calls.map(([frame]) => ('method' in frame ? frame.method : 'answer'));
    expect(new Set(methods)).toEqual(
      new Set(['turn/start', 'events/subscribe', 'events/unsubscribe', 'session/read', 'turn/read']),
    );
  });

  test('cursor.result.afterRecordOrCursor, cursor.result.afterOwnOrEarlierRecord: which events a wait sees', async () => {
    await using at = await stage(wire, [say('one'), call('Charge'), say('two')]);
    const session = await at.client.createSession({ bindingId: at.bindingId });
    const first = await session.run('a');
    const blocked = await session.run('b');
    if (first.type !== 'completed' || blocked.type !== 'blocked') throw new Error(`it is ${blocked.type}`);
    const cursors = [first.cursor, blocked.cursor] as const;
    const turn = session.turn(blocked.turnId);
    await turn.answer(idOf(blocked.callbacks[0]), allowApproval());
    const ended = await turn.result({ after: blocked });
    const all = idsOf(await collect(turn.events()));

    async function waitAfter(after: TurnRecord | string): Promise<string[]> {
      const seen: StreamEvent[] = [];
      const record = await turn.result({ after, onEvent: (event) => void seen.push(event) });
      expect(record).toEqual(ended);
      return idsOf(seen);
    }
    expect(await waitAfter(first)).toEqual(all);
    expect(await waitAfter(cursors[0])).toEqual(all);
    const rest = all.slice(all.indexOf(cursors[1]) + 1);
    expect(rest.length).toBeGreaterThan(0);
    expect(await waitAfter(blocked)).toEqual(rest);
    expect(await waitAfter(cursors[1])).toEqual(rest);
  });

  test.each([
    ['an allowed call runs', allowApproval(), 1],
    ['a denied one does not', denyApproval({ message: 'no' }), 0],
  ])(
    'answer.approval.accepts, answer.approval.answerThatCounted, answer.callbackId.asInBlocked: %s',
    async (_what, answer, runs) => {
      await using at = await stage(wire, [call('Charge'), say('done')]);
      const session = await at.client.createSession({ bindingId: at.bindingId });
      const blocked = await session.run('pay');
      if (blocked.type !== 'blocked') throw new Error(`it is ${blocked.type}`);
      const turn = session.turn(blocked.turnId);
      const outcome = await turn.answer(idOf(blocked.callbacks[0]), answer);
      expect(outcome).toMatchObject({ type: 'answered', answer: { ...answer } });
      expect(await turn.result({ after: blocked })).toMatchObject({ type: 'completed', text: 'done' });
      expect(at.charge.calls).toHaveLength(runs);
    },
  );
});

function idOf(callback: { readonly type: string } | undefined): string {
  if (callback && 'id' in callback && typeof callback.id === 'string') return callback.id;
  throw new Error(`no question but ${JSON.stringify(callback)}`);
}
