import {
  allowApproval,
  type Client,
  connect,
  type ConnectOptions,
  denyApproval,
  type Session,
  signInAnswer,
} from '@rondo/client';
import { isRondoError, type OpenCallback, RondoError, type StreamEvent, type TurnRecord } from '@rondo/protocol';
import { defineClientTool, defineTool } from '@rondo/runtime';
import { call, fail, pauseUntil, recordingTool, say, type ScriptedStep } from '@rondo/runtime/testing';
import { describe, expect, test, vi } from 'vitest';
import { collect, idsOf, stage, start, type Stage } from './session-stage.ts';
import { type Wire, wires } from './wires.ts';

const anything = { type: 'object' } as const;
const signIn = defineTool({
  name: 'mail',
  description: 'Reads mail.',
  input: anything,
  effect: 'none',
  run: async (_input, { requestSignIn }) =>
    (await requestSignIn([{ sourceId: 'mail' }, { sourceId: 'files' }])).connected.join(),
});
const platform = defineClientTool({ name: 'connectors.mail', description: 'Mail.', input: anything });
const UNKNOWN = '6ba7b810-9dad-41d1-80b4-00c04fd430ff';

/** A session whose calls of `Charge` are asked about, and what its client has sent. */
async function scene(wire: Wire, steps: readonly ScriptedStep[]) {
  const charge = recordingTool({ name: 'Charge', effect: 'once' });
  const at = await stage(wire, steps, {
    tools: [charge, signIn, platform],
    policy: { allowedTools: ['mail', 'connectors.mail'] },
  });
  const session = await at.client.createSession({ bindingId: at.bindingId });
  const sent = vi.spyOn(at.near, 'send');
  return {
    at,
    session,
    charge,
    methods: () => sent.mock.calls.flatMap(([frame]) => ('method' in frame ? [frame.method] : [])),
    forget: () => sent.mockClear(),
    [Symbol.asyncDispose]: () => at[Symbol.asyncDispose](),
  };
}

/** Another client over the same kind of wire, with options of its own. */
async function clientOf(wire: Wire, at: Stage, options: ConnectOptions): Promise<Client & AsyncDisposable> {
  const served = await wire.serve(at.runtime, () => {});
  const client = connect(await served.open(), options);
  return {
    ...client,
    async [Symbol.asyncDispose]() {
      client.close();
      await served.close();
    },
  };
}

async function blockedRun(session: Session) {
  const record = await session.run('go');
  if (record.type !== 'blocked') throw new Error(`it is ${record.type}`);
  const [callback] = record.callbacks;
  return { record, turn: session.turn(record.turnId), id: callback && 'id' in callback ? callback.id : '' };
}

const down = () => Promise.reject(new RondoError('store.unavailable', 'down'));
const notListed = () => Promise.reject(new RondoError('turn.not_found', 'not yet'));
const facts = { sessionId: 's', turnId: 't', cursor: 's:1', text: '' };

describe.each(wires)('over $name', (wire) => {
  test('session.handle.noRequest, session.turn.noRequest, turn.handle.noRequest: the first read tells', async () => {
    await using it = await scene(wire, []);
    const turn = it.at.client.session('none').turn('t');
    turn.events();
    await new Promise((resolve) => setImmediate(resolve));
    expect(it.methods()).toEqual([]);
    await expect(turn.get()).rejects.toSatisfy((error) => isRondoError(error));
    expect(it.methods()).toEqual(['turn/read']);
  });

  test('equality.session.sameSessionSamePlace, equality.turn.sameTurnSameSession, equality.session.otherPlaceDiffers', async () => {
    await using it = await scene(wire, [say('one')]);
    const another = await it.at.connectAnother();
    await using elsewhere = await clientOf(wire, it.at, { place: 'elsewhere' });
    const { id } = it.session;
    expect(it.session.equals(another.session(id))).toBe(true);
    expect(it.session.equals(another.session('other'))).toBe(false);
    expect(it.session.equals(elsewhere.session(id))).toBe(false);
    const turn = await start(it.session, 'a');
    expect(turn.equals(another.session(id).turn(turn.id))).toBe(true);
    expect(turn.equals(another.session('other').turn(turn.id))).toBe(false);
    expect(turn.equals(elsewhere.session(id).turn(turn.id))).toBe(false);
    await turn.result();
  });

  test('equality.session.deployedHoweverLoaded: the place is the address', () => {
    const [one, same, other] = ['ws://a.example', 'ws://a.example', 'ws://b.example'].map((url) => connect(url));
    const byName = one?.agent('clerk').session('s');
    const byBinding = same?.agent('clerk', { bindingId: 'the-clerk' }).session('s');
    const away = other?.agent('clerk').session('s');
    if (byName === undefined || byBinding === undefined || away === undefined) throw new Error('no handles');
    expect([byName.equals(byBinding), byName.equals(away)]).toEqual([true, false]);
  });

  test('error.sendMessage.busyAfterRetries, error.sendMessage.busyNothingApplied: refused once, and for ever', async () => {
    await using it = await scene(wire, [say('one')]);
    await using patient = await clientOf(wire, it.at, { busyDelaysMs: [1, 1] });
    const session = patient.session(it.session.id, { bindingId: it.at.bindingId });
    const before = await it.at.runtime.readEvents({ sessionId: session.id });
    const busy = () => Promise.reject(new RondoError('session.busy', 'not now'));
    const sending = vi.spyOn(it.at.runtime, 'sendMessage').mockImplementation(busy);
    await expect(session.sendMessage('x')).rejects.toMatchObject({ code: 'session.busy' });
    expect(sending).toHaveBeenCalledTimes(3);
    expect(await it.at.runtime.readEvents({ sessionId: session.id })).toEqual(before);
    sending.mockRestore();
    vi.spyOn(it.at.runtime, 'sendMessage').mockImplementationOnce(busy);
    expect(await (await session.sendMessage('x')).result()).toMatchObject({ text: 'one' });
  });

  test('error.startTurn.busyOtherReason, error.startTurn.busyNothingApplied: an error, and its key can be used again', async () => {
    await using it = await scene(wire, [say('one')]);
    const before = await it.at.runtime.readEvents({ sessionId: it.session.id });
    const busy = () => Promise.reject(new RondoError('session.busy', 'eight agents are at work'));
    vi.spyOn(it.at.runtime, 'startTurn').mockImplementationOnce(busy);
    const begin = () => it.session.startTurn('x', { idempotencyKey: 'k' });
    await expect(begin()).rejects.toMatchObject({ code: 'session.busy' });
    expect(await it.at.runtime.readEvents({ sessionId: it.session.id })).toEqual(before);
    const turn = await begin();
    expect(turn).toMatchObject({ type: 'turn', started: true });
    if (turn.type === 'turn') await turn.result();
  });

  test('session.startTurn.busyCarriesActiveTurn, session.startTurn.neverJoins: many at once, one of them', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    await using it = await scene(wire, [[pauseUntil(promise), say('one')]]);
    const another = (await it.at.connectAnother()).session(it.session.id, { bindingId: it.at.bindingId });
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, (_, n) => (n % 2 === 0 ? it.session : another).startTurn(`message ${n}`)),
    );
    const started = outcomes.filter(({ type }) => type === 'turn');
    expect(started).toHaveLength(1);
    const [turn] = started;
    resolve();
    for (const outcome of outcomes) {
      if (outcome.type !== 'busy') continue;
      expect(turn?.type === 'turn' && outcome.turn.equals(turn)).toBe(true);
      expect(await outcome.turn.result()).toMatchObject({ type: 'completed', text: 'one' });
    }
    const said = JSON.stringify((await it.at.runtime.readEvents({ sessionId: it.session.id })).events);
    expect(new Set(said.match(/message \d/g)).size).toBe(1);
  });

  test('turn.get.endedRecord, wait.result.endedRecord: four ways to end, one of them newer', async () => {
    const { promise } = Promise.withResolvers<void>();
    const broken = fail('model.refused');
    await using it = await scene(wire, [say('one'), pauseUntil(promise), broken]);
    const done = await start(it.session, 'a');
    await done.result();
    const stopped = await start(it.session, 'b');
    await stopped.interrupt();
    const failed = await start(it.session, 'c');
    const states = ['completed', 'interrupted', 'failed'];
    for (const [index, turn] of [done, stopped, failed].entries()) {
      expect((await turn.result()).type).toBe(states[index]);
      expect((await turn.get()).type).toBe(states[index]);
    }
    vi.spyOn(it.at.runtime, 'readTurn').mockResolvedValue({ ...facts, type: 'vanished' } as unknown as TurnRecord);
    const unknown = it.session.turn('t');
    const trusted = wire.trusted ? {} : { type: 'unknownOutcome', outcome: 'vanished' };
    expect(await unknown.get()).toMatchObject(trusted);
    expect(await unknown.result()).toMatchObject(trusted);
  });

  test('wait.result.blockedReturnsAtOnceWithoutAfter, wait.result.blockedAfterAndStillOpen', async () => {
    await using it = await scene(wire, [call('Charge', { n: 1 }), call('Charge', { n: 2 }), say('paid')]);
    const { turn, record, id } = await blockedRun(it.session);
    for (let again = 0; again < 2; again += 1)
      expect(await turn.result()).toMatchObject({ type: 'blocked', callbacks: record.callbacks });
    // Open before, and then answered by another client: neither ends the wait.
    const wait = turn.result({ after: record });
    const another = (await it.at.connectAnother()).session(it.session.id).turn(turn.id);
    await another.answer(id, allowApproval());
    const next = await wait;
    expect(next).toMatchObject({ type: 'blocked', callbacks: [{ request: { input: { n: 2 } } }] });
  });

  test('wait.result.leavingSendsNothing, wait.result.cancellationNote: by abort and by timeout', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    await using it = await scene(wire, [[pauseUntil(promise), say('late')]]);
    const turn = await start(it.session, 'a');
    const controller = new AbortController();
    const wait = turn.result({ signal: controller.signal, onEvent: () => controller.abort() });
    const error: unknown = await wait.catch((thrown: unknown) => thrown);
    expect(isRondoError(error, 'operation.aborted')).toBe(true);
    for (const note of [it.session.id, turn.id, 'interrupt()']) expect(String(error)).toContain(note);
    expect(await turn.result({ timeoutMs: 0 })).toMatchObject({ type: 'running' });
    for (const method of ['turn/interrupt', 'session/cancel', 'callback/answer'])
      expect(it.methods()).not.toContain(method);
    resolve();
    expect(await turn.result()).toMatchObject({ type: 'completed', text: 'late' });
  });

  test('wait.result.onEventOrder, wait.result.onEventLastIsTurnEnded, turn.events.untilTurnEnded', async () => {
    await using it = await scene(wire, [say(['a', 'b', 'c']), say('two')]);
    const turn = await start(it.session, 'a');
    const seen: StreamEvent[] = [];
    let inside = 0;
    const onEvent = async (event: StreamEvent): Promise<void> => {
      inside += 1;
      expect(inside).toBe(1);
      await new Promise((resolve) => setImmediate(resolve));
      seen.push(event);
      inside -= 1;
    };
    const record = await turn.result({ onEvent });
    expect(seen.at(-1)).toMatchObject({ type: 'turn.ended', record });
    await it.session.run('b');
    expect(idsOf(await collect(turn.events()))).toEqual(idsOf(seen));
    const after: StreamEvent[] = [];
    await turn.result({ onEvent: (event) => void after.push(event) });
    expect(idsOf(after)).toEqual(idsOf(seen));
  });

  test('error.result.turnNotFound, error.turnIterEvents.turnNotFound: not before it is asked', async () => {
    await using it = await scene(wire, []);
    const turn = it.session.turn('none');
    await expect(turn.result()).rejects.toMatchObject({ code: 'turn.not_found' });
    const events = turn.events()[Symbol.asyncIterator]();
    await expect(events.next()).rejects.toMatchObject({ code: 'turn.not_found' });
  });

  test('turn.get.sentTurnRunningUntilListed, error.get.neverNotFoundForSentTurn, error.get.neverNotFoundForBusyTurn', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    await using it = await scene(wire, [[pauseUntil(promise), say('one')]]);
    const listing = vi.spyOn(it.at.runtime, 'readTurn').mockImplementation(notListed);
    const turn = await start(it.session, 'a');
    const busy = await it.session.startTurn('b');
    if (busy.type !== 'busy') throw new Error('not busy');
    const joined = await it.session.sendMessage('c');
    for (const sent of [turn, busy.turn, joined]) expect(await sent.get()).toMatchObject({ type: 'running' });
    await expect(it.session.turn(turn.id).get()).rejects.toMatchObject({ code: 'turn.not_found' });
    listing.mockRestore();
    await turn.interrupt();
    expect(await turn.get()).toMatchObject({ type: 'interrupted' });
    resolve();
  });

  test('turn.get.endedSessionNeverRunning, turn.get.endedSessionReflectsEnd: of a sent turn that the session never listed', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    await using it = await scene(wire, [[pauseUntil(promise), say('one')]]);
    const turn = await start(it.session, 'a');
    const info = await it.at.runtime.readSession({ sessionId: it.session.id });
    vi.spyOn(it.at.runtime, 'readTurn').mockImplementation(notListed);
    const reading = vi.spyOn(it.at.runtime, 'readSession');
    for (const [termination, state] of [
      [{ type: 'cancelled' }, { type: 'interrupted', cause: 'cancelled' }],
      [
        { type: 'failed', message: 'no disk' },
        { type: 'failed', error: { message: 'no disk' } },
      ],
    ] as const) {
      reading.mockResolvedValueOnce({ ...info, status: 'terminated', termination });
      expect(await turn.get()).toMatchObject(state);
    }
    expect(await turn.get()).toMatchObject({ type: 'running' });
    resolve();
    await turn.result();
  });

  test('error.result.neverNotFoundForSentOrBusyTurn, error.turnIterEvents.neverNotFoundForSentOrBusyTurn, wait.result.followsEventsUntilListed', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    await using it = await scene(wire, [[pauseUntil(promise), say('one')]]);
    vi.spyOn(it.at.runtime, 'readTurn').mockImplementation(notListed);
    const turn = await start(it.session, 'a');
    const busy = await it.session.startTurn('b');
    if (busy.type !== 'busy') throw new Error('not busy');
    const seen: StreamEvent[] = [];
    const waits = [turn.result({ onEvent: (event) => void seen.push(event) }), busy.turn.result()];
    const iterations = [collect(turn.events()), collect(busy.turn.events())];
    resolve();
    for (const record of await Promise.all(waits)) expect(record).toMatchObject({ type: 'completed', text: 'one' });
    for (const events of await Promise.all(iterations)) expect(idsOf(events)).toEqual(idsOf(seen));
  });

  test('error.sessionIterEvents.observationLost, error.turnIterEvents.observationLost: go on at the cursor', async () => {
    await using it = await scene(wire, [say('one')]);
    const turn = await start(it.session, 'a');
    await turn.result();
    const all = idsOf(await collect(turn.events()));
    const subscribe = it.at.runtime.subscribe.bind(it.at.runtime);
    const losing = vi.spyOn(it.at.runtime, 'subscribe').mockImplementation(async function* (...given) {
      for await (const batch of subscribe(...given)) {
        yield batch.slice(0, 3);
        throw new RondoError('store.unavailable', 'down');
      }
    });
    for (const events of [turn.events(), it.session.events()]) {
      const seen: string[] = [];
      const error: unknown = await (async () => {
        for await (const event of events) seen.push(event.id);
      })().catch((thrown: unknown) => thrown);
      if (!isRondoError(error, 'observation.lost')) throw new Error(String(error));
      expect(error.details['cursor']).toBe(seen.at(-1));
    }
    losing.mockRestore();
    const cursor = all[2] ?? '';
    expect(idsOf(await collect(turn.events({ after: cursor })))).toEqual(all.slice(3));
  });

  test('error.result.observationLost, error.result.observationLostTurnContinues: of events, and of the record', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    await using it = await scene(wire, [[pauseUntil(promise), say('one')]]);
    const turn = await start(it.session, 'a');
    const losing = vi.spyOn(it.at.runtime, 'subscribe').mockImplementation(async function* () {
      yield* [];
      await down();
    });
    await expect(turn.result()).rejects.toMatchObject({ code: 'observation.lost' });
    losing.mockRestore();
    expect(it.methods()).not.toContain('turn/interrupt');
    resolve();
    expect(await turn.result()).toMatchObject({ type: 'completed', text: 'one' });
  });

  test('answer.turnIdUnused, answer.signIn.namesEverySource, answer.signIn.namesOnlyRequested', async () => {
    await using it = await scene(wire, [say('before'), call('mail'), say('read')]);
    const earlier = await it.session.run('a');
    if (earlier.type === 'busy') throw new Error('busy');
    const { record, turn, id } = await blockedRun(it.session);
    for (const turnId of [earlier.turnId, 'none', turn.id]) {
      const handle = it.session.turn(turnId);
      for (const misfit of [
        signInAnswer({ connected: ['mail'] }),
        signInAnswer({ connected: ['mail', 'files'], denied: ['chat'] }),
      ])
        await expect(handle.answer(id, misfit)).rejects.toMatchObject({ code: 'answer.unfit' });
    }
    expect(it.methods()).not.toContain('callback/answer');
    const answer = signInAnswer({ connected: ['mail'], denied: ['files'] });
    const outcome = await it.session.turn(earlier.turnId).answer(id, answer);
    expect(outcome).toEqual({ type: 'answered', sessionId: it.session.id, answer: null });
    expect(await turn.result({ after: record })).toMatchObject({ type: 'completed', text: 'read' });
  });

  test('answer.readsSessionOnceThenAnswers, answer.signIn.answerNull, answer.sameLocalAndDeployed: one read, one answer, as over every other wire', async () => {
    await using it = await scene(wire, [call('mail'), say('read')]);
    const { turn, id } = await blockedRun(it.session);
    it.forget();
    const answer = signInAnswer({ denied: ['mail', 'files'] });
    expect(await turn.answer(id, answer)).toMatchObject({ type: 'answered', answer: null });
    expect(it.methods()).toEqual(['turn/read', 'callback/answer']);
  });

  test('answer.approval.onlyAllowOrDeny, error.answer.callbackIdNotUuid, error.answer.sdkErrorNothingSent', async () => {
    await using it = await scene(wire, [call('Charge')]);
    const { turn, id, record } = await blockedRun(it.session);
    it.forget();
    for (const notUuid of ['abc', '', undefined as never])
      await expect(turn.answer(notUuid, allowApproval())).rejects.toBeInstanceOf(TypeError);
    expect(it.methods()).toEqual([]);
    for (const unfit of [true, false, {}, { allow: true }, null, undefined as never])
      await expect(turn.answer(id, unfit)).rejects.toMatchObject({ code: 'answer.unfit' });
    expect(it.methods()).not.toContain('callback/answer');
    expect(await turn.get()).toMatchObject({ type: 'blocked', callbacks: record.callbacks });
  });

  test('error.answer.platformClientTool: its call is the host’s to answer', async () => {
    await using it = await scene(wire, [call('connectors.mail')]);
    const { turn, id } = await blockedRun(it.session);
    await expect(turn.answer(id, 'mine')).rejects.toMatchObject({ code: 'answer.unfit' });
    expect(it.methods()).not.toContain('callback/answer');
    expect(await turn.get()).toMatchObject({ type: 'blocked' });
  });

  test('error.answer.observationLost: of a question that is open nowhere; an open one is answered', async () => {
    await using it = await scene(wire, [call('Charge'), say('paid')]);
    const { turn, id } = await blockedRun(it.session);
    vi.spyOn(it.at.runtime, 'readEvents').mockImplementation(down);
    await expect(turn.answer(UNKNOWN, allowApproval())).rejects.toMatchObject({ code: 'observation.lost' });
    expect(await turn.answer(id, denyApproval())).toMatchObject({ type: 'answered', answer: { type: 'deny' } });
  });

  test('answer.approval.nullWhenNotReadInTime: and the turn tells the outcome', async () => {
    await using it = await scene(wire, [call('Charge'), say('paid')]);
    const { record, turn, id } = await blockedRun(it.session);
    const answerCallback = it.at.runtime.answerCallback.bind(it.at.runtime);
    vi.spyOn(it.at.runtime, 'answerCallback').mockImplementationOnce(async (params, options) => {
      await answerCallback({ ...params, answer: { type: 'allow' } }, options);
      return await answerCallback(params, options);
    });
    vi.spyOn(it.at.runtime, 'readEvents').mockImplementationOnce(down);
    expect(await turn.answer(id, denyApproval())).toMatchObject({ type: 'answered', answer: null });
    await turn.result({ after: record });
    expect(it.charge.calls).toHaveLength(1);
  });

  test('error.answer.ambiguousAcrossSubagents: two of one ID, both stay open', async () => {
    await using it = await scene(wire, [call('Charge')]);
    const { turn, id, record } = await blockedRun(it.session);
    const twins = ['one', 'two'].map((sessionId) => ({ ...record.callbacks[0], sessionId }) as OpenCallback);
    vi.spyOn(it.at.runtime, 'readTurn').mockResolvedValue({ ...record, callbacks: twins });
    await expect(turn.answer(id, allowApproval())).rejects.toMatchObject({ code: 'answer.unfit' });
    expect(it.methods()).not.toContain('callback/answer');
  });
});
