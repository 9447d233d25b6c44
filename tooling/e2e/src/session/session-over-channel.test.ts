import { allowApproval, denyApproval, type Session } from '@rondo/client';
import { type StreamEvent } from '@rondo/protocol';
import { call, pauseUntil, say, stall } from '@rondo/runtime/testing';
import { describe, expect, test } from 'vitest';
import { collect, idsOf, stage, start } from './session-stage.ts';
import { wires } from './wires.ts';

describe.each(wires)('over $name', (wire) => {
  test('session.obtain.startSession, session.id, session.run.returnsEndedRecord', async () => {
    await using at = await stage(wire, [say(['Hel', 'lo'])]);
    const session = await at.client.createSession({ bindingId: at.bindingId, title: 'First' });
    const record = await session.run('hi');
    expect(record).toMatchObject({ type: 'completed', text: 'Hello', sessionId: session.id, stopReason: 'end_turn' });
    if (record.type === 'busy') throw new Error('busy');
    expect(at.client.session(session.id).id).toBe(session.id);
    expect(await session.turn(record.turnId).get()).toEqual(record);
    expect(await session.turn(record.turnId).result()).toEqual(record);
    expect(await session.read()).toMatchObject({ id: session.id, title: 'First', status: 'waiting', turns: 1 });
    expect((await collect(at.client.listSessions())).map(({ id }) => id)).toEqual([session.id]);
    at.model.assertDone();
  });

  test('wait.run.onEvent, wait.run.onEventLastIsTurnEnded, cursor.turnIterEvents.afterDefault: a wait and an iteration see the same', async () => {
    await using at = await stage(wire, [say('one'), say('two'), say('three')]);
    const session = await at.client.createSession({ bindingId: at.bindingId });
    const first = await session.run('a');
    const seen: StreamEvent[] = [];
    const second = await session.run('b', { onEvent: (event) => void seen.push(event) });
    if (first.type === 'busy' || second.type === 'busy') throw new Error('busy');
    expect(seen[0]?.type).toBe('turn.started');
    expect(seen.at(-1)).toMatchObject({ type: 'turn.ended', record: second });
    const turn = session.turn(second.turnId);
    expect(idsOf(await collect(turn.events()))).toEqual(idsOf(seen));
    expect(idsOf(await collect(turn.events({ after: first })))).toEqual(idsOf(seen));
    for (const [index, event] of seen.entries()) {
      const after = idsOf([event])[0] ?? '';
      expect(idsOf(await collect(turn.events({ after })))).toEqual(idsOf(seen.slice(index + 1)));
    }
    expect(await collect(turn.events({ after: second }))).toEqual([]);

    const promised: StreamEvent[] = [];
    const third = await session.run('c', {
      async onEvent(event) {
        await Promise.resolve();
        promised.push(event);
      },
    });
    if (third.type === 'busy') throw new Error('busy');
    expect(promised.at(-1)).toMatchObject({ type: 'turn.ended', record: third });
    expect(idsOf(promised)).toEqual(idsOf(await collect(session.turn(third.turnId).events())));
  });

  test('a later turn is waited for without reading what came before it', async () => {
    await using at = await stage(wire, [say('one'), say('two')]);
    const session = await at.client.createSession({ bindingId: at.bindingId });
    await session.run('a');
    const second = await session.run('b');
    if (second.type === 'busy') throw new Error('busy');
    const signal = AbortSignal.timeout(60_000);
    for await (const batch of at.runtime.subscribe(session.id, { fromTurn: second.turnId, signal })) {
      expect(batch[0]).toMatchObject({ type: 'turn.started', turnId: second.turnId });
      break;
    }
  });

  test('cursor.sessionIterEvents.afterCursor: from every place a session’s events are exactly the rest, stored and live', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    await using at = await stage(wire, [say('one'), [say('two'), pauseUntil(promise), say('three')]]);
    const session = await at.client.createSession({ bindingId: at.bindingId });
    await session.run('a');
    const turn = await start(session, 'b');
    const reading = collect(turn.events());
    const controller = new AbortController();
    const live: StreamEvent[] = [];
    const following = (async () => {
      for await (const event of session.events({ signal: controller.signal })) live.push(event);
    })();
    resolve();
    await turn.result();
    const own = await reading;
    controller.abort();
    await expect(following).rejects.toMatchObject({ code: 'operation.aborted' });

    const all = idsOf(await readAll(session, own.at(-1)));
    expect(all.slice(0, live.length)).toEqual(idsOf(live));
    expect(all.slice(-own.length)).toEqual(idsOf(own));
    for (const [index, after] of all.entries()) {
      if (index === all.length - 1) continue;
      expect(idsOf(await readAll(session, own.at(-1), after))).toEqual(all.slice(index + 1));
    }
  });

  test('deltas join to the text, stand before the entry that holds it, and are not replayed', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    await using at = await stage(wire, [[pauseUntil(promise), say(['a', 'b', 'c'])]]);
    const session = await at.client.createSession({ bindingId: at.bindingId });
    const turn = await start(session, 'go');
    const iterator = turn.events({ deltas: true })[Symbol.asyncIterator]();
    const events: StreamEvent[] = [];
    for (let result = await iterator.next(); !result.done; result = await iterator.next()) {
      events.push(result.value);
      if (result.value.type === 'model.requested') resolve();
    }
    const deltas = events.filter((event) => event.type === 'text.delta');
    expect(deltas.map(({ text }) => text).join('')).toBe('abc');
    const whole = events.findIndex((event) => event.type === 'entry.completed' && event.entry.type === 'assistant');
    expect(events.findLastIndex((event) => event.type === 'text.delta')).toBeLessThan(whole);
    const replay = await collect(turn.events({ deltas: true }));
    expect(replay.some((event) => event.type === 'text.delta')).toBe(false);
  });

  test('session.run.returnsBlockedRecord, answer.answered, wait.result.afterOwnRecordWaitsPast', async () => {
    await using at = await stage(wire, [call('Charge', { amount: 3 }), say('charged')]);
    const session = await at.client.createSession({ bindingId: at.bindingId });
    const blocked = await session.run('pay');
    if (blocked.type !== 'blocked') throw new Error(`it is ${blocked.type}`);
    const [question] = blocked.callbacks;
    if (question?.type !== 'approval') throw new Error('no approval');
    expect(question.request).toMatchObject({ tool: { name: 'Charge' }, input: { amount: 3 } });
    expect(at.charge.calls).toHaveLength(0);

    const turn = session.turn(blocked.turnId);
    const outcome = await turn.answer(question.id, allowApproval());
    expect(outcome).toEqual({ type: 'answered', sessionId: session.id, answer: { type: 'allow', scope: 'once' } });
    expect(await turn.result({ after: blocked })).toMatchObject({ type: 'completed', text: 'charged' });
    expect(at.charge.calls).toHaveLength(1);
    expect(await turn.answer(question.id, allowApproval())).toEqual({ type: 'alreadySettled', sessionId: session.id });
    const resolved = (await collect(turn.events())).find((event) => event.type === 'callback.resolved');
    expect(resolved).toMatchObject({ callbackId: question.id, by: 'tester', resolution: 'answered' });
  });

  test('answer.approval.raceBothAnswered: two clients, one answer counts and both read it', async () => {
    await using at = await stage(wire, [call('Charge'), say('ok')]);
    const session = await at.client.createSession({ bindingId: at.bindingId });
    const blocked = await session.run('pay');
    if (blocked.type !== 'blocked') throw new Error(`it is ${blocked.type}`);
    const id = blocked.callbacks[0]?.type === 'approval' ? blocked.callbacks[0].id : '';
    const other = (await at.connectAnother()).session(session.id);
    // Both are at work, so that both read the question as open before either answer arrives.
    expect(await other.turn(blocked.turnId).get()).toMatchObject({ type: 'blocked' });
    const outcomes = await Promise.all([
      session.turn(blocked.turnId).answer(id, allowApproval()),
      other.turn(blocked.turnId).answer(id, denyApproval({ message: 'too late' })),
    ]);
    expect(outcomes[0]).toMatchObject({ type: 'answered' });
    expect(outcomes[1]).toEqual(outcomes[0]);
    await session.turn(blocked.turnId).result({ after: blocked });
  });

  test('a question nobody asked, and an answer that cannot be', async () => {
    await using at = await stage(wire, [call('Charge'), stall()]);
    const session = await at.client.createSession({ bindingId: at.bindingId });
    const blocked = await session.run('pay');
    if (blocked.type !== 'blocked') throw new Error(`it is ${blocked.type}`);
    const turn = session.turn(blocked.turnId);
    expect(await turn.answer('6ba7b810-9dad-41d1-80b4-00c04fd430c8', allowApproval())).toEqual({ type: 'notFound' });
    const cast = Reflect.apply(turn.answer, undefined, [
      blocked.callbacks[0]?.type === 'approval' && blocked.callbacks[0].id,
      true,
    ]);
    await expect(cast).rejects.toMatchObject({ code: 'answer.unfit' });
    expect(await turn.get()).toMatchObject({ type: 'blocked' });
    await turn.interrupt();
  });

  test('turn.interrupt.stopsTurn, turn.interrupt.sessionStaysOpen, session.startTurn.busyReturned', async () => {
    await using at = await stage(wire, [stall(), say('next')]);
    const session = await at.client.createSession({ bindingId: at.bindingId });
    const turn = await start(session, 'wait');
    expect(turn.started).toBe(true);
    expect(await session.startTurn('refused')).toMatchObject({ type: 'busy', turn: { id: turn.id, started: null } });
    const waiting = turn.result();
    expect(await turn.interrupt()).toMatchObject({ type: 'turn', id: turn.id });
    expect(await waiting).toMatchObject({ type: 'interrupted', cause: 'interrupted' });
    expect(await turn.interrupt()).toEqual({ type: 'turnConflict' });
    expect(await turn.steer('too late')).toEqual({ type: 'turnConflict' });
    expect(await session.run('again')).toMatchObject({ type: 'completed', text: 'next' });
    expect((await session.read()).turns).toBe(2);
    expect(JSON.stringify(at.model.requests.at(-1)?.messages)).not.toContain('refused');
  });

  test('session.sendMessage.joinsRunningTurn, session.sendMessage.startedFalseForRunningTurn, turn.steer.addsMessage', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    await using at = await stage(wire, [[pauseUntil(promise), say('first')], say('second')]);
    const session = await at.client.createSession({ bindingId: at.bindingId });
    const turn = await session.sendMessage('one');
    expect(turn.started).toBe(true);
    expect(await session.sendMessage('two')).toMatchObject({ id: turn.id, started: false });
    expect(await turn.steer('three')).toMatchObject({ id: turn.id, started: null });
    resolve();
    expect(await turn.result()).toMatchObject({ type: 'completed', text: 'second' });
    const last = JSON.stringify(at.model.requests.at(-1)?.messages);
    expect(last).toContain('two');
    expect(last).toContain('three');
    expect((await collect(turn.events())).filter(({ type }) => type === 'turn.started')).toHaveLength(1);
    expect((await session.read()).turns).toBe(1);
  });

  test('session.startTurn.keySameTurn, session.startTurn.startedAlwaysTrue, error.startTurn.keyConflict', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    await using at = await stage(wire, [[pauseUntil(promise), say('once')]]);
    const session = await at.client.createSession({ bindingId: at.bindingId });
    const first = await session.startTurn('hi', { idempotencyKey: 'k' });
    if (first.type === 'busy') throw new Error('busy');
    expect(first.started).toBe(true);
    expect(await session.startTurn('hi', { idempotencyKey: 'k' })).toMatchObject({ id: first.id, started: true });
    resolve();
    await first.result();
    expect(await session.startTurn('hi', { idempotencyKey: 'k' })).toMatchObject({ id: first.id, started: true });
    expect(await session.run('hi', { idempotencyKey: 'k' })).toMatchObject({ type: 'completed', turnId: first.id });
    const conflict = session.startTurn('other', { idempotencyKey: 'k' });
    await expect(conflict).rejects.toMatchObject({ code: 'session.idempotency_conflict' });
    expect((await session.read()).turns).toBe(1);
    at.model.assertDone();
  });

  test('wait.result.timeoutReturnsRecord, wait.result.leavingTurnContinues', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    await using at = await stage(wire, [[pauseUntil(promise), say('late')]]);
    const session = await at.client.createSession({ bindingId: at.bindingId });
    expect(await session.run('hi', { timeoutMs: 0 })).toMatchObject({ type: 'running' });
    const turnId = (await session.read()).activeTurnId ?? '';
    const controller = new AbortController();
    const wait = session.turn(turnId).result({ signal: controller.signal });
    controller.abort();
    await expect(wait).rejects.toMatchObject({ code: 'operation.aborted', details: { sessionId: session.id, turnId } });
    resolve();
    expect(await session.turn(turnId).result()).toMatchObject({ type: 'completed', text: 'late' });
  });

  test('session.obtain.savedId: a second client that knows the ID alone reads what the first did', async () => {
    await using at = await stage(wire, [say('written')]);
    const session = await at.client.createSession({ bindingId: at.bindingId });
    const record = await session.run('hi');
    if (record.type === 'busy') throw new Error('busy');
    const other = (await at.connectAnother()).session(session.id);
    expect(other.equals(session)).toBe(true);
    expect(await other.turn(record.turnId).get()).toEqual(record);
    const ended = (events: readonly StreamEvent[]) => events.filter(({ type }) => type === 'turn.ended');
    expect(ended(await collect(other.turn(record.turnId).events()))).toMatchObject([{ record }]);
  });

  test('fork: the history goes along, the source stays as it was', async () => {
    await using at = await stage(wire, [say('shared'), say('apart')]);
    const session = await at.client.createSession({ bindingId: at.bindingId });
    await session.run('before');
    const before = await session.read();
    const fork = await at.client.forkSession(session.id, { bindingId: at.bindingId });
    expect(fork.id).not.toBe(session.id);
    expect(await fork.run('after')).toMatchObject({ type: 'completed', text: 'apart' });
    expect(JSON.stringify(at.model.requests.at(-1)?.messages)).toContain('before');
    expect(await session.read()).toEqual(before);
  });

  test('error.get.turnNotFound: nor is there such a session, and a cursor that never was is refused', async () => {
    await using at = await stage(wire, [say('x')]);
    const session = await at.client.createSession({ bindingId: at.bindingId });
    await session.run('hi');
    await expect(at.client.session('none').read()).rejects.toMatchObject({ code: 'session.not_found' });
    await expect(session.turn('none').get()).rejects.toMatchObject({ code: 'turn.not_found' });
    const iterator = session.events({ after: `${session.id}:999` })[Symbol.asyncIterator]();
    await expect(iterator.next()).rejects.toMatchObject({ code: 'cursor.invalid' });
    await expect(at.client.session(session.id, { bindingId: 'none' }).startTurn('x')).rejects.toMatchObject({
      code: 'binding.not_found',
    });
  });

  test('closing the client stops no turn; what was followed says where to go on', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    await using at = await stage(wire, [[pauseUntil(promise), say('still here')]]);
    const session = await at.client.createSession({ bindingId: at.bindingId });
    const turn = await start(session, 'hi');
    const iterator = turn.events()[Symbol.asyncIterator]();
    await iterator.next();
    at.client.close();
    const error: unknown = await (async () => {
      for (let result = await iterator.next(); !result.done; result = await iterator.next());
    })().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'observation.lost', details: { sessionId: session.id } });
    resolve();
    const other = (await at.connectAnother()).session(session.id).turn(turn.id);
    expect(await other.result()).toMatchObject({ type: 'completed', text: 'still here' });
  });
});

/** A session's events up to a given one. */
async function readAll(session: Session, last: StreamEvent | undefined, after?: string): Promise<StreamEvent[]> {
  const events: StreamEvent[] = [];
  const [end] = last === undefined ? [] : idsOf([last]);
  for await (const event of session.events(after === undefined ? {} : { after })) {
    events.push(event);
    if (event.id === end) break;
  }
  return events;
}
