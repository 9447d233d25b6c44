import { allowApproval, type Session } from '@rondo/client';
import type { StreamEvent } from '@rondo/protocol';
import { call, pauseUntil, say } from '@rondo/runtime/testing';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { collect, idsOf, type Stage, stage, start } from './session-stage.ts';
import { wires } from './wires.ts';

afterEach(() => vi.useRealTimers());

const day = 24 * 3600 * 1000;
const refusal = { code: 'cursor.invalid' };

describe.each(wires)('over $name', (wire) => {
  test('cursor.sessionIterEvents.afterRecord, cursor.turnIterEvents.afterKinds: exactly what comes behind', async () => {
    await using at = await stage(wire, [say('one'), call('Charge'), say('two'), say('three')]);
    const session = await at.client.createSession({ bindingId: at.bindingId });
    const first = await session.run('a');
    const blocked = await session.run('b');
    if (first.type !== 'completed' || blocked.type !== 'blocked') throw new Error(`it is ${blocked.type}`);
    const turn = session.turn(blocked.turnId);
    await turn.answer(questionOf(blocked), allowApproval());
    const ended = await turn.result({ after: blocked });
    await session.run('c');
    await session.cancel();

    const all = idsOf(await collect(session.events()));
    for (const record of [first, blocked, ended])
      expect(idsOf(await collect(session.events({ after: record })))).toEqual(after(all, record.cursor));

    const own = idsOf(await collect(turn.events()));
    expect(idsOf(await collect(turn.events({ after: first })))).toEqual(own);
    expect(idsOf(await collect(turn.events({ after: blocked })))).toEqual(after(own, blocked.cursor));
    for (const cursor of own) expect(idsOf(await collect(turn.events({ after: cursor })))).toEqual(after(own, cursor));
  });

  test('cursor.turnIterEvents.atOrPastEnd: nothing, at once, while the session goes on', async () => {
    const gate = Promise.withResolvers<void>();
    await using at = await stage(wire, [say('one'), [pauseUntil(gate.promise), say('two')]]);
    const session = await at.client.createSession({ bindingId: at.bindingId });
    const first = await session.run('a');
    if (first.type !== 'completed') throw new Error(`it is ${first.type}`);
    const turn = session.turn(first.turnId);
    const last = idsOf(await collect(turn.events())).at(-1) ?? '';
    const later = await start(session, 'b');
    const [next = ''] = idsOf([await firstOf(later.events())]);
    for (const position of [last, first, next]) {
      const iterator = turn.events({ after: position })[Symbol.asyncIterator]();
      expect(await iterator.next()).toEqual({ done: true, value: undefined });
    }
    gate.resolve();
    await later.result();
  });

  test('cursor.sessionIterEvents.otherSession, cursor.turnIterEvents.otherSession, cursor.result.otherSessionBeforeRead', async () => {
    await using at = await stage(wire, [say('one'), say('two')]);
    const other = await at.client.createSession({ bindingId: at.bindingId });
    const session = await at.client.createSession({ bindingId: at.bindingId });
    const foreign = await other.run('a');
    const own = await session.run('b');
    if (foreign.type === 'busy' || own.type === 'busy') throw new Error('busy');
    const sent = vi.spyOn(at.near, 'send');
    const turn = session.turn(own.turnId);
    for (const position of [foreign, foreign.cursor]) {
      await expectRefused(session.events({ after: position }));
      await expectRefused(turn.events({ after: position }));
      await expect(turn.result({ after: position })).rejects.toMatchObject(refusal);
    }
    expect(sent).not.toHaveBeenCalled();
  });

  test('cursor.sessionIterEvents.invalid, cursor.turnIterEvents.invalid: at the first iteration', async () => {
    await using at = await stage(wire, [say('one')]);
    const session = await at.client.createSession({ bindingId: at.bindingId });
    const own = await session.run('b');
    if (own.type === 'busy') throw new Error('busy');
    for (const position of ['garbage', '', `${session.id}:`, `${session.id}:-1`, `${session.id}:9999`]) {
      await expectRefused(session.events({ after: position }));
      if (position === `${session.id}:9999`) continue;
      await expectRefused(session.turn(own.turnId).events({ after: position }));
    }
  });

  test('cursor.result.neverExistedWhenEventsRead: refused by what reads the events, not before', async () => {
    const gate = Promise.withResolvers<void>();
    await using at = await stage(wire, [[pauseUntil(gate.promise), say('one')]]);
    const session = await at.client.createSession({ bindingId: at.bindingId });
    const turn = await start(session, 'a');
    const methods = methodsSent(at);
    await expect(turn.result({ after: `${session.id}:9999` })).rejects.toMatchObject(refusal);
    expect(methods()).toContain('events/subscribe');
    gate.resolve();
    expect(await turn.result()).toMatchObject({ type: 'completed', text: 'one' });
  });

  test('cursor.result.afterDefaultTurnStart: another turn’s events and question do not count', async () => {
    const gate = Promise.withResolvers<void>();
    await using at = await stage(wire, [call('Charge'), [pauseUntil(gate.promise), say('two')]]);
    const session = await at.client.createSession({ bindingId: at.bindingId });
    const blocked = await session.run('a');
    if (blocked.type !== 'blocked') throw new Error(`it is ${blocked.type}`);
    await session.turn(blocked.turnId).interrupt();
    const turn = await start(session, 'b');
    const seen: StreamEvent[] = [];
    const waiting = session.turn(turn.id).result({ onEvent: (event) => void seen.push(event) });
    gate.resolve();
    expect(await waiting).toMatchObject({ type: 'completed', text: 'two' });
    expect(idsOf(seen)).toEqual(idsOf(await collect(turn.events())));
    expect(seen[0]).toMatchObject({ type: 'turn.started', turnId: turn.id });
  });

  test('cursor.result.afterOtherTurnMayMiss: what came before that record is not seen', async () => {
    const gate = Promise.withResolvers<void>();
    await using at = await stage(wire, [say('one'), [pauseUntil(gate.promise), say('two')]]);
    const session = await at.client.createSession({ bindingId: at.bindingId });
    const first = await session.run('a');
    if (first.type === 'busy') throw new Error('busy');
    const turn = await start(session, 'b');
    await firstOf(turn.events());
    const readMeanwhile = await session.turn(first.turnId).get();
    expect(readMeanwhile).toMatchObject({ type: 'completed', text: 'one' });
    const seen: StreamEvent[] = [];
    const waiting = turn.result({ after: readMeanwhile, onEvent: (event) => void seen.push(event) });
    gate.resolve();
    expect(await waiting).toMatchObject({ type: 'completed', text: 'two' });
    const own = idsOf(await collect(turn.events()));
    expect(own).toContain(readMeanwhile.cursor);
    expect(idsOf(seen)).toEqual(after(own, readMeanwhile.cursor));
  });

  test('wait.run.timeoutDefaultNone, wait.result.timeoutDefaultNone, turn.events.noTimeLimit: days are no end', async () => {
    const gate = Promise.withResolvers<void>();
    await using at = await stage(wire, [[pauseUntil(gate.promise), call('Charge')], say('paid')]);
    const session = await at.client.createSession({ bindingId: at.bindingId });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true });
    const ended: string[] = [];
    const note = async <T>(name: string, work: Promise<T>): Promise<T> => await work.finally(() => ended.push(name));
    const running = note('run', session.run('pay'));
    const { activeTurnId = '' } = await untilActive(session);
    const turn = session.turn(activeTurnId);
    const waiting = note('result', turn.result());
    const reading = note('events', collect(turn.events()));
    vi.advanceTimersByTime(3 * day);
    await turn.get();
    expect(ended).toEqual([]);

    gate.resolve();
    const blocked = await running;
    expect(await waiting).toEqual(blocked);
    const beyond = note('beyond', turn.result({ after: await waiting }));
    vi.advanceTimersByTime(day);
    await turn.get();
    expect(ended.toSorted()).toEqual(['result', 'run']);
    await turn.answer(questionOf(blocked), allowApproval());
    expect(await beyond).toMatchObject({ type: 'completed', text: 'paid' });
    expect((await reading).at(-1)).toMatchObject({ type: 'turn.ended' });
  });
});

const after = (ids: readonly string[], cursor: string): string[] => {
  expect(ids).toContain(cursor);
  return ids.slice(ids.indexOf(cursor) + 1);
};

/** Made without a word, refused at the first iteration, and over then. */
async function expectRefused(events: AsyncIterable<StreamEvent>): Promise<void> {
  const iterator = events[Symbol.asyncIterator]();
  await expect(iterator.next()).rejects.toMatchObject(refusal);
  expect(await iterator.next()).toEqual({ done: true, value: undefined });
}

async function firstOf(events: AsyncIterable<StreamEvent>): Promise<StreamEvent> {
  for await (const event of events) return event;
  throw new Error('no event came');
}

async function untilActive(session: Session) {
  for (;;) {
    const info = await session.read();
    if (info.activeTurnId !== undefined) return info;
  }
}

function methodsSent(at: Stage): () => string[] {
  const sent = vi.spyOn(at.near, 'send');
  return () => sent.mock.calls.flatMap(([frame]) => ('method' in frame ? [frame.method] : []));
}

function questionOf(state: { readonly type: string }): string {
  const { callbacks = [] } = state as {
    readonly callbacks?: readonly { readonly type: string; readonly id?: string }[];
  };
  const [question] = callbacks;
  if (question?.id === undefined) throw new Error(`no question: it is ${state.type}`);
  return question.id;
}
