import { allowApproval } from '@rondo/client';
import { type StreamEvent } from '@rondo/protocol';
import { call, pauseUntil, say } from '@rondo/runtime/testing';
import { describe, expect, test, vi } from 'vitest';
import { collect, idsOf, stage, start } from './session-stage.ts';
import { wires } from './wires.ts';

describe.each(wires)('over $name', (wire) => {
  test('session.turn.returnsHandle, session.run.busy: a handle of this session, and no second turn', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    await using at = await stage(wire, [[pauseUntil(promise), say('one')]]);
    const session = await at.client.createSession({ bindingId: at.bindingId });
    const { id } = await start(session, 'a');
    const turn = session.turn(id);
    expect(turn.id).toBe(id);
    expect(await session.run('refused')).toMatchObject({ type: 'busy', turn: { id } });
    expect(await turn.get()).toMatchObject({ type: 'running', sessionId: session.id });
    resolve();
    expect(await turn.result()).toMatchObject({ type: 'completed', sessionId: session.id, turnId: id });
    expect((await session.read()).turns).toBe(1);
    expect(JSON.stringify((await at.runtime.readEvents({ sessionId: session.id })).events)).not.toContain('refused');
  });

  test('session.events.fromStart, session.events.turnEndedHasRecord: replayed and live', async () => {
    await using at = await stage(wire, [say('one'), say('two')]);
    const session = await at.client.createSession({ bindingId: at.bindingId });
    await session.run('a');
    const seen: StreamEvent[] = [];
    for await (const event of session.events()) {
      seen.push(event);
      if (event.type !== 'turn.ended') continue;
      expect(event.record).toEqual(await session.turn(event.turnId).get());
      if (event.record.text === 'two') break;
      await start(session, 'b');
    }
    const { events } = await at.runtime.readEvents({ sessionId: session.id });
    expect(idsOf(seen)[0]).toBe(events[0]?.id);
    expect(seen.filter(({ type }) => type === 'turn.ended')).toHaveLength(2);
  });

  test('turn.events.storedThenLive, turn.events.lastCarriesRecord: begun anywhere, the same as afterwards', async () => {
    const gate = Promise.withResolvers<void>();
    await using at = await stage(wire, [call('Charge'), [pauseUntil(gate.promise), say('paid')]]);
    const session = await at.client.createSession({ bindingId: at.bindingId });
    const turn = await start(session, 'pay');
    const readings = [collect(turn.events())];
    const blocked = await turn.result();
    if (blocked.type !== 'blocked') throw new Error(`it is ${blocked.type}`);
    readings.push(collect(turn.events()));
    const [question] = blocked.callbacks;
    if (question?.type !== 'approval') throw new Error('no approval');
    await turn.answer(question.id, allowApproval());
    readings.push(collect(turn.events()));
    gate.resolve();
    readings.push(collect(turn.events()));
    const ended = await turn.result({ after: blocked });
    const replay = await collect(turn.events());
    for (const reading of readings) expect(idsOf(await reading)).toEqual(idsOf(replay));
    expect(replay.at(-1)).toMatchObject({ type: 'turn.ended', record: ended });
    expect(await turn.get()).toEqual(ended);
  });

  test('session.events.changesNothing: also when it is left early', async () => {
    await using at = await stage(wire, [say('one')]);
    const session = await at.client.createSession({ bindingId: at.bindingId });
    await session.run('a');
    const before = await at.runtime.readEvents({ sessionId: session.id });
    const sent = vi.spyOn(at.near, 'send');
    for await (const _event of session.events()) break;
    await session.read();
    const methods = sent.mock.calls.map(([frame]) => ('method' in frame ? frame.method : 'answer'));
    expect(methods).toEqual(['events/subscribe', 'events/unsubscribe', 'session/read']);
    expect(await at.runtime.readEvents({ sessionId: session.id })).toEqual(before);
  });

  test('answer.alreadySettled: again, and after an interrupt closed the question', async () => {
    await using at = await stage(wire, [call('Charge'), say('paid'), call('Charge')]);
    const session = await at.client.createSession({ bindingId: at.bindingId });
    for (const settle of ['answer', 'interrupt'] as const) {
      const blocked = await session.run('pay');
      const question = blocked.type === 'blocked' ? blocked.callbacks[0] : undefined;
      if (blocked.type !== 'blocked' || question?.type !== 'approval') throw new Error(`it is ${blocked.type}`);
      const turn = session.turn(blocked.turnId);
      if (settle === 'answer') await turn.answer(question.id, allowApproval());
      else await turn.interrupt();
      await turn.result({ after: blocked });
      const before = await at.runtime.readEvents({ sessionId: session.id });
      expect(await turn.answer(question.id, allowApproval())).toEqual({
        type: 'alreadySettled',
        sessionId: session.id,
      });
      expect(await at.runtime.readEvents({ sessionId: session.id })).toEqual(before);
    }
    expect(at.charge.calls).toHaveLength(1);
  });
});
