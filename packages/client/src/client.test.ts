import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  type AnyEvent,
  createMemoryChannel,
  isRondoError,
  type OpenCallback,
  RondoError,
  type StreamEvent,
  type TurnRecord,
} from '@rondo/protocol';
import { allowApproval, connect, denyApproval, signInAnswer } from './index.ts';
import {
  approval,
  blocked,
  CALLBACK,
  collect,
  completed,
  done,
  ended,
  hostDouble,
  ids,
  noted,
  opened,
  OTHER,
  resolved,
  running,
  SESSION,
  settle,
  signIn,
  started,
  type Answer,
} from './testing/host-double.ts';

afterEach(() => vi.useRealTimers());

describe('handles', () => {
  test('session.handle.noRequest, session.turn.noRequest: building handles sends nothing', async () => {
    const { client, requests } = hostDouble();
    const session = client.session('none');
    expect(session.id).toBe('none');
    expect(session.turn('t').started).toBeNull();
    session.turn('t').events();
    session.events();
    client.listSessions();
    await settle();
    expect(requests).toEqual([]);
  });

  test('equality.session.sameSessionSamePlace, equality.session.setAndMapKey: by session and place', () => {
    const [near] = createMemoryChannel();
    const [alsoNear] = createMemoryChannel();
    const one = connect(near, { trusted: true, place: 'runtime-1' });
    const same = connect(alsoNear, { trusted: true, place: 'runtime-1' });
    const other = connect(createMemoryChannel()[0], { trusted: true });
    expect(one.session('a').equals(same.session('a'))).toBe(true);
    expect(one.session('a').equals(one.session('b'))).toBe(false);
    expect(one.session('a').equals(other.session('a'))).toBe(false);
    expect(new Set([one.session('a').key, same.session('a').key, other.session('a').key]).size).toBe(2);
  });

  test('equality.turn.sameTurnSameSession: by turn, session and place, whatever started says', async () => {
    const { client, session } = hostDouble();
    const sent = await session.startTurn('hi');
    if (sent.type !== 'turn') throw new Error('not started');
    const built = client.session(SESSION).turn('t1');
    expect([sent.started, built.started]).toEqual([true, null]);
    expect(sent.equals(built)).toBe(true);
    expect(built.equals(sent)).toBe(true);
    expect(sent.equals(client.session('other').turn('t1'))).toBe(false);
    expect(sent.equals(hostDouble().session.turn('t1'))).toBe(false);
  });

  test.each([undefined, '', 7])('session.turn.turnIdRequired: an ID %s is an argument error, a session’s too', (id) => {
    const { client, session } = hostDouble();
    expect(() => Reflect.apply(client.session, client, [id])).toThrow(TypeError);
    expect(() => Reflect.apply(session.turn, session, [id])).toThrow(TypeError);
    // @ts-expect-error A turn's ID cannot be left out.
    expect(() => session.turn()).toThrow(TypeError);
  });
});

describe('startTurn and sendMessage', () => {
  test('startTurn sends the content as blocks, and its handle says that it started', async () => {
    const { session, requests } = hostDouble();
    const turn = await session.startTurn('hi', { idempotencyKey: 'k', messageId: 'm', limits: { maxTurns: 2 } });
    expect(turn).toMatchObject({ type: 'turn', id: 't1', started: true });
    expect(requests).toEqual([
      {
        method: 'turn/start',
        params: {
          sessionId: SESSION,
          bindingId: 'b',
          content: [{ type: 'text', text: 'hi' }],
          idempotencyKey: 'k',
          messageId: 'm',
          limits: { maxTurns: 2 },
        },
      },
    ]);
  });

  test('session.startTurn.busyCarriesActiveTurn: a handle that reads and waits for the active turn', async () => {
    const { session, records, emit } = hostDouble({ 'turn/start': () => ({ type: 'busy', turnId: 't0' }) });
    records.set('t0', running('t0', 's:1'));
    const busy = await session.startTurn('hi');
    if (busy.type !== 'busy') throw new Error('not busy');
    expect(busy.turn).toMatchObject({ id: 't0', started: null });
    expect(await busy.turn.get()).toMatchObject({ type: 'running', turnId: 't0' });
    expect(await session.run('hi')).toMatchObject({ type: 'busy', turn: { id: 't0' } });
    emit(started('t0'), ended('t0', 's:2'));
    expect(await busy.turn.result()).toEqual(done('t0', 's:2'));
  });

  test('a turn without a binding is an argument error, and a call’s own binding wins', async () => {
    const { client, requests, session } = hostDouble();
    await expect(client.session(SESSION).startTurn('hi')).rejects.toThrow(/needs a bindingId/);
    await settle();
    expect(requests).toEqual([]);
    await session.startTurn('hi', { bindingId: 'other' });
    expect(requests[0]?.params.bindingId).toBe('other');
  });

  test.each([
    ['an unknown block', [{ type: 'unknown', originalType: 'x', raw: {} }]],
    ['a newer block', [{ type: 'hologram' }]],
    ['no block', []],
    ['nothing', undefined],
    ['a number', 7],
  ])('content.unknown.refusedInTurnInput: %s is refused with nothing sent', async (_what, content) => {
    const { session, requests } = hostDouble();
    const turn = session.turn('t1');
    const calls = [session.startTurn, session.sendMessage, session.run, turn.steer];
    for (const call of calls) await expect(Reflect.apply(call, undefined, [content])).rejects.toBeInstanceOf(TypeError);
    await settle();
    expect(requests).toEqual([]);
  });

  test('sendMessage: joined, started, and queued', async () => {
    const outcomes = [
      { type: 'accepted', messageId: 'm', turnId: 't1', started: false },
      { type: 'accepted', messageId: 'm', turnId: 't2', started: true },
      { type: 'accepted', messageId: 'm9', started: false },
    ];
    const { session, requests } = hostDouble({ 'turn/send': () => outcomes.shift() });
    expect(await session.sendMessage('a')).toMatchObject({ id: 't1', started: false });
    expect(await session.sendMessage('b')).toMatchObject({ id: 't2', started: true });
    expect(await session.sendMessage('c', { delivery: 'later' })).toEqual({ type: 'queued', messageId: 'm9' });
    expect(requests.map(({ params }) => params.delivery)).toEqual(['join', 'join', 'later']);
  });

  test('error.sendMessage.busyAfterRetries: one refusal is tried again, a standing one is thrown after five tries', async () => {
    const busy = (): unknown => Promise.reject(new RondoError('session.busy', 'not now'));
    let refusals = 1;
    const host = hostDouble(
      {
        'turn/send': () => (refusals-- > 0 ? busy() : { type: 'accepted', messageId: 'm', turnId: 't', started: true }),
      },
      { trusted: true, busyDelaysMs: [0, 0, 0, 0] },
    );
    expect(await host.session.sendMessage('a')).toMatchObject({ id: 't' });
    expect(host.methods()).toEqual(['turn/send', 'turn/send']);
    refusals = Infinity;
    await expect(host.session.sendMessage('a')).rejects.toMatchObject({ code: 'session.busy' });
    expect(host.methods()).toHaveLength(2 + 5);
  });

  test('turn.steer and turn.interrupt: this turn, or a conflict as a value', async () => {
    const outcomes = [{ type: 'accepted', turnId: 't1' }, { type: 'conflict', turnId: 't2' }, { type: 'conflict' }];
    const { session } = hostDouble({ 'turn/steer': () => outcomes[0], 'turn/interrupt': () => outcomes.shift() });
    const turn = session.turn('t1');
    expect(await turn.steer('more')).toMatchObject({ id: 't1', started: null });
    expect(await turn.interrupt()).toMatchObject({ id: 't1', started: null });
    expect(await turn.interrupt()).toMatchObject({ type: 'turnConflict', turn: { id: 't2' } });
    expect(await turn.interrupt()).toEqual({ type: 'turnConflict' });
  });
});

describe('get', () => {
  test('records are frozen to their depths', async () => {
    const { session, records } = hostDouble();
    records.set('t1', blocked('t1', 's:4', approval()));
    const record = await session.turn('t1').get();
    expect(Object.isFrozen(record)).toBe(true);
    expect(record.type === 'blocked' && Object.isFrozen(record.callbacks[0])).toBe(true);
  });

  test('error.get.turnNotFound: of a turn that nobody sent', async () => {
    const { session } = hostDouble();
    await expect(session.turn('t1').get()).rejects.toMatchObject({ code: 'turn.not_found' });
  });

  test('turn.get.sentTurnRunningUntilListed, error.get.neverNotFoundForSentTurn: then as listed', async () => {
    const { session, records } = hostDouble({
      'turn/send': () => ({ type: 'accepted', messageId: 'm', turnId: 't2', started: true }),
    });
    const turns = [await session.startTurn('hi'), await session.sendMessage('ho')];
    for (const [index, turn] of turns.entries()) {
      if (turn.type !== 'turn') throw new Error('not started');
      const turnId = `t${index + 1}`;
      for (const _again of [1, 2]) expect(await turn.get()).toMatchObject({ type: 'running', turnId, cursor: 's:0' });
      records.set(turnId, completed(turnId, 's:2'));
      expect(await turn.get()).toEqual(done(turnId, 's:2'));
    }
  });
});

describe('turns of a session that ended without them', () => {
  test.each([
    [{ type: 'cancelled' }, { type: 'interrupted', cause: 'cancelled' }],
    [{ type: 'completed' }, { type: 'interrupted', cause: 'session_ended' }],
    [
      { type: 'failed', message: 'no disk' },
      { type: 'failed', error: { message: 'no disk' } },
    ],
  ])(
    'turn.get.endedSessionNeverRunning, turn.get.endedSessionReflectsEnd: %j, of a sent turn',
    async (termination, record) => {
      const { session } = hostDouble({ 'session/read': () => ({ status: 'terminated', termination, cursor: 's:7' }) });
      const turn = await session.startTurn('hi');
      if (turn.type === 'busy') throw new Error('busy');
      expect(await turn.get()).toMatchObject({ ...record, turnId: 't1', cursor: 's:7' });
      await expect(session.turn('t9').get()).rejects.toMatchObject({ code: 'turn.not_found' });
    },
  );
});

describe('subagents', () => {
  const listed = { 'session/subagents': () => ({ sessions: [{ id: 'newer' }, { id: 'older' }] }) };

  test('have handles that read, interrupt and answer, with the handlers of the handle they came from', async () => {
    const onApproval = vi.fn(() => denyApproval());
    const host = hostDouble(
      {
        ...listed,
        'callback/answer': () => ({ type: 'alreadySettled', sessionId: 'newer' }),
        'turn/interrupt': () => ({ type: 'accepted', turnId: 't1' }),
      },
      { trusted: true },
      { onApproval },
    );
    const [newer, older] = await host.session.subagents();
    expect([newer?.id, older?.id]).toEqual(['newer', 'older']);
    expect(newer?.equals(host.client.session('newer'))).toBe(true);
    const turn = newer?.turn('t1');
    host.records.set('t1', blocked('t1', 's:2', { ...approval(), sessionId: 'newer' } as OpenCallback));
    const wait = turn?.result({ timeoutMs: 20 });
    await wait;
    expect(onApproval).toHaveBeenCalledTimes(1);
    expect(await turn?.interrupt()).toMatchObject({ type: 'turn', id: 't1' });
  });

  test('are not led by their own handles: nothing is sent', async () => {
    const { session, methods } = hostDouble(listed);
    const [subagent] = await session.subagents();
    if (subagent === undefined) throw new Error('no subagent');
    const calls = [
      subagent.sendMessage('x'),
      subagent.startTurn('x'),
      subagent.run('x'),
      subagent.cancel(),
      subagent.turn('t1').steer('x'),
    ];
    for (const call of calls) await expect(call).rejects.toMatchObject({ code: 'session.procedure_unsupported' });
    expect(methods()).toEqual(['session/subagents']);
  });
});

describe('result', () => {
  test('run is one start and one subscription, without deltas and without a read', async () => {
    const { session, requests, emit } = hostDouble();
    const wait = session.run('hi');
    await settle();
    emit(started('t1'), noted('t1'));
    emit(ended('t1', 's:3'));
    expect(await wait).toEqual(done('t1', 's:3'));
    await settle();
    expect(requests.map(({ method }) => method)).toEqual(['turn/start', 'events/subscribe', 'events/unsubscribe']);
    expect(requests[1]?.params).toEqual({ sessionId: SESSION, fromTurn: 't1', subscriptionId: '1' });
  });

  test('wait.result.endedRecord, turn.get.endedRecord: of each kind, live and after the fact', async () => {
    const base = { sessionId: SESSION, turnId: 't1', cursor: 's:2', text: '' };
    const over = { toolCalls: [], usage: [], terminalReason: 'x' };
    const endings = [
      completed('t1', 's:2'),
      { ...base, ...over, type: 'interrupted', cause: 'interrupted' },
      { ...base, ...over, type: 'failed', error: { message: 'refused' } },
      { ...base, type: 'evaporated', vapour: 3 },
    ] as TurnRecord[];
    const types: string[] = [];
    for (const ending of endings) {
      const { session, emit, records } = hostDouble({}, {});
      const wait = session.run('hi');
      await settle();
      emit(noted('t1'), { type: 'turn.ended', turnId: 't1', record: ending });
      const live = await wait;
      records.set('t1', ending);
      expect(await session.turn('t1').result()).toEqual(live);
      expect(await session.turn('t1').get()).toEqual(live);
      types.push(live.type);
    }
    expect(types).toEqual(['completed', 'interrupted', 'failed', 'unknownOutcome']);
  });

  test('error.get.neverNotFoundForBusyTurn, error.result.neverNotFoundForSentOrBusyTurn, wait.result.followsEventsUntilListed: of a host that lists late', async () => {
    for (const outcome of [
      { type: 'started', turnId: 't1', started: true, messageId: 'm' },
      { type: 'busy', turnId: 't1' },
    ]) {
      const { session, emit } = hostDouble({ 'turn/start': () => outcome });
      const sent = await session.startTurn('hi');
      const turn = sent.type === 'busy' ? sent.turn : sent;
      expect(await turn.get()).toMatchObject({ type: 'running', turnId: 't1' });
      const seen: StreamEvent[] = [];
      const wait = turn.result({ onEvent: (event) => void seen.push(event) });
      await settle();
      emit(started('t1'), noted('t1'));
      emit(ended('t1', 's:3'));
      expect(await wait).toEqual(done('t1', 's:3'));
      expect(ids(seen)).toEqual(['s:1', 's:2', 's:3']);
    }
  });

  test('cursor.result.afterOtherTurnMayMiss: what came before that record is not seen', async () => {
    const { session, emit, records } = hostDouble();
    emit(started('t1'), noted('t1'), noted('t1'));
    records.set('t1', running('t1', 's:3'));
    const seen: StreamEvent[] = [];
    const onEvent = (event: StreamEvent): void => void seen.push(event);
    const wait = session.turn('t1').result({ after: completed('t0', 's:2'), onEvent });
    await settle();
    emit(ended('t1', 's:4'));
    expect(await wait).toMatchObject({ type: 'completed' });
    expect(ids(seen)).toEqual(['s:3', 's:4']);
  });

  test('error.result.observationLostTurnContinues: no stop is sent, and how it ended is read later', async () => {
    const { session, emit, endStreams, records, methods } = hostDouble();
    const wait = session.run('hi').catch((error: unknown) => error);
    await settle();
    emit(started('t1'));
    await settle();
    endStreams({ code: 'store.unavailable', message: 'm', retryable: true });
    expect(await wait).toMatchObject({ code: 'observation.lost' });
    records.set('t1', completed('t1', 's:2'));
    expect(await session.turn('t1').get()).toEqual(done('t1', 's:2'));
    const stops = methods().filter((method) => /interrupt|cancel/.test(method));
    expect(stops).toEqual([]);
    expect(methods()).toContain('turn/start');
  });

  test('an ended turn costs one read', async () => {
    const { session, records, methods } = hostDouble();
    records.set('t1', completed('t1', 's:9'));
    expect(await session.turn('t1').result()).toMatchObject({ type: 'completed' });
    expect(methods()).toEqual(['turn/read']);
  });

  test('wait.result.blockedReturnsAtOnceWithoutAfter, wait.result.afterOwnRecordWaitsPast', async () => {
    const { session, records, emit } = hostDouble();
    emit(started('t1'), opened('t1', approval()));
    records.set('t1', blocked('t1', 's:2', approval()));
    const record = await session.turn('t1').result();
    expect(record.type).toBe('blocked');
    expect(await session.turn('t1').result()).toEqual(record);

    let isSettled = false;
    const wait = session.turn('t1').result({ after: record });
    void wait.then(() => (isSettled = true));
    await settle();
    emit(noted('t1'));
    await settle();
    expect(isSettled).toBe(false);
    records.set('t1', blocked('t1', 's:4', approval(), approval(OTHER)));
    emit(opened('t1', approval(OTHER)));
    expect(await wait).toMatchObject({ type: 'blocked', cursor: 's:4' });
  });

  test('wait.result.blockedAfterAndStillOpen: what was answered meanwhile does not end the wait', async () => {
    const { session, records, emit, methods } = hostDouble();
    const wait = session.run('hi');
    await settle();
    records.set('t1', running('t1', 's:3'));
    emit(started('t1'), opened('t1', approval()));
    await settle();
    emit(resolved('t1', CALLBACK));
    emit(opened('t1', approval(OTHER)), resolved('t1', OTHER));
    await settle();
    emit(ended('t1', 's:6'));
    expect(await wait).toMatchObject({ type: 'completed' });
    expect(methods().filter((method) => method === 'turn/read')).toHaveLength(1);
  });

  test('a question that stood open before does not end the wait when a new one opens and closes', async () => {
    const { session, records, emit } = hostDouble();
    emit(started('t1'), opened('t1', approval()));
    records.set('t1', blocked('t1', 's:2', approval()));
    const wait = session.turn('t1').result({ after: 's:2' });
    await settle();
    records.set('t1', blocked('t1', 's:4', approval()));
    emit(opened('t1', approval(OTHER)));
    await settle();
    emit(resolved('t1', OTHER));
    emit(ended('t1', 's:5'));
    expect(await wait).toMatchObject({ type: 'completed' });
  });

  test('onEvent gets every event up to the place of the blocked record that ends the wait', async () => {
    const { session, records, emit } = hostDouble();
    const seen: StreamEvent[] = [];
    const wait = session.run('hi', { onEvent: (event) => void seen.push(event) });
    await settle();
    records.set('t1', blocked('t1', 's:4', approval()));
    emit(started('t1'), opened('t1', approval()));
    await settle();
    emit(noted('t1'));
    await settle();
    emit(noted('t1'), noted('t1'));
    expect(await wait).toMatchObject({ type: 'blocked', cursor: 's:4' });
    expect(ids(seen)).toEqual(['s:1', 's:2', 's:3', 's:4']);
  });

  test('a question that opens during the wait ends it', async () => {
    const { session, records, emit } = hostDouble();
    const wait = session.run('hi');
    await settle();
    records.set('t1', blocked('t1', 's:2', approval()));
    emit(started('t1'), opened('t1', approval()));
    expect(await wait).toEqual(blocked('t1', 's:2', approval()));
  });

  test('cursor.result.afterDefaultTurnStart: another turn’s events and questions do not count', async () => {
    const { session, records, emit } = hostDouble();
    emit(started('t0'), opened('t0', approval()), resolved('t0', CALLBACK), ended('t0', 's:4'));
    records.set('t1', running('t1', 's:5'));
    emit(started('t1'));
    const seen: StreamEvent[] = [];
    const wait = session.turn('t1').result({ onEvent: (event) => void seen.push(event) });
    await settle();
    emit(noted(), ended('t1', 's:7'));
    expect(await wait).toMatchObject({ type: 'completed', turnId: 't1' });
    expect(ids(seen)).toEqual(['s:5', 's:7']);
  });

  test('wait.result.onEventOrder: an asynchronous onEvent gets each event alone, in order, turn.ended last', async () => {
    const { session, emit } = hostDouble();
    const seen: string[] = [];
    let isAtWork = false;
    const wait = session.run('hi', {
      async onEvent(event) {
        expect(isAtWork).toBe(false);
        isAtWork = true;
        await settle();
        isAtWork = false;
        seen.push(event.type);
      },
    });
    await settle();
    emit(started('t1'), noted('t1'));
    emit(noted('t1'));
    emit(ended('t1', 's:4'));
    expect(await wait).toEqual(done('t1', 's:4'));
    expect(seen).toEqual(['turn.started', 'notice', 'notice', 'turn.ended']);
  });

  test('wait.result.onEventLastIsTurnEnded: also for a turn that had ended, and for a blocked one up to its record', async () => {
    const { session, records, emit } = hostDouble();
    emit(started('t1'), opened('t1', approval()), noted('t1'));
    records.set('t1', blocked('t1', 's:3', approval()));
    const seen: StreamEvent[] = [];
    const onEvent = (event: StreamEvent): void => void seen.push(event);
    expect(await session.turn('t1').result({ onEvent })).toMatchObject({ type: 'blocked' });
    expect(ids(seen)).toEqual(['s:1', 's:2', 's:3']);
    emit(resolved('t1', CALLBACK), ended('t1', 's:5'), noted());
    records.set('t1', completed('t1', 's:6'));
    seen.length = 0;
    expect(await session.turn('t1').result({ onEvent })).toEqual(done('t1', 's:5'));
    expect(ids(seen)).toEqual(['s:1', 's:2', 's:3', 's:4', 's:5']);
    seen.length = 0;
    expect(await session.turn('t1').result({ onEvent, after: 's:6' })).toMatchObject({ type: 'completed' });
    expect(seen).toEqual([]);
  });

  test('what onEvent throws ends the wait and unsubscribes', async () => {
    const { session, emit, methods } = hostDouble();
    const mistake = new Error('mine');
    const wait = session.run('hi', {
      onEvent() {
        throw mistake;
      },
    });
    await settle();
    emit(started('t1'), noted('t1'));
    await expect(wait).rejects.toBe(mistake);
    await settle();
    expect(methods()).toEqual(['turn/start', 'events/subscribe', 'events/unsubscribe']);
  });

  test('wait.result.timeoutReturnsRecord, wait.result.leavingSendsNothing: the record of that moment, no stop frame', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { session, records, methods } = hostDouble();
    records.set('t1', running('t1', 's:1'));
    const wait = session.run('hi', { timeoutMs: 1000 });
    await settle();
    await vi.advanceTimersByTimeAsync(999);
    records.set('t1', blocked('t1', 's:2', approval()));
    await vi.advanceTimersByTimeAsync(1);
    expect(await wait).toMatchObject({ type: 'blocked' });
    await settle();
    expect(methods()).toEqual(['turn/start', 'events/subscribe', 'events/unsubscribe', 'turn/read']);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('wait.result.timeoutDefaultNone, wait.run.timeoutDefaultNone: a limit longer than a timer takes is not over at once either', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { session, records, emit } = hostDouble();
    records.set('t1', running('t1', 's:1'));
    const waits = [session.turn('t1').result(), session.run('hi'), session.turn('t1').result({ timeoutMs: 2 ** 40 })];
    let settledWaits = 0;
    for (const wait of waits) void wait.then(() => (settledWaits += 1));
    await settle();
    await vi.advanceTimersByTimeAsync(60 * 24 * 3600 * 1000);
    expect(settledWaits).toBe(0);
    emit(started('t1'), ended('t1', 's:2'));
    for (const wait of waits) expect(await wait).toMatchObject({ type: 'completed' });
    expect(vi.getTimerCount()).toBe(0);
  });

  test('an abort counts also while the record behind the timeout is read, and no event is handed out meanwhile', async () => {
    let reads = 0;
    const read = Promise.withResolvers<void>();
    const { session, emit } = hostDouble({
      'turn/read': () => {
        reads += 1;
        if (reads === 1) return running('t1', 's:1');
        read.resolve();
        return undefined;
      },
    });
    emit(started('t1'));
    const controller = new AbortController();
    const seen: unknown[] = [];
    const wait = session
      .turn('t1')
      .result({ timeoutMs: 0, signal: controller.signal, onEvent: ({ type }) => void seen.push(type) });
    wait.catch(() => {});
    await read.promise;
    const before = seen.length;
    emit(noted('t1'));
    await settle();
    expect(seen).toHaveLength(before);
    controller.abort();
    await expect(wait).rejects.toMatchObject({
      code: 'operation.aborted',
      message: expect.stringContaining('interrupt') as unknown,
    });
  });

  test.each([-1, Number.NaN])('a timeout of %s is an argument error', async (timeoutMs) => {
    const { session, requests } = hostDouble();
    await expect(session.turn('t1').result({ timeoutMs })).rejects.toBeInstanceOf(TypeError);
    expect(requests).toEqual([]);
  });

  test('wait.result.cancellationNote, wait.result.leavingSendsNothing: an abort says whose turn goes on and how to stop it', async () => {
    const { session, records, methods } = hostDouble();
    records.set('t1', running('t1', 's:1'));
    const controller = new AbortController();
    const wait = session.turn('t1').result({ signal: controller.signal });
    await settle();
    const reason = new Error('gone to lunch');
    controller.abort(reason);
    const error: unknown = await wait.catch((thrown: unknown) => thrown);
    if (!isRondoError(error, 'operation.aborted')) throw error;
    expect(error.message).toMatch(/turn t1 of session s;.*session\("s"\)\.turn\("t1"\)\.interrupt\(\)/);
    expect(error.details).toEqual({ sessionId: SESSION, turnId: 't1' });
    expect(error.cause).toBe(reason);
    await settle();
    expect(methods()).toEqual(['turn/read', 'events/subscribe', 'events/unsubscribe']);
    await expect(session.turn('t1').result({ signal: controller.signal })).rejects.toMatchObject({
      code: 'operation.aborted',
    });
    expect(methods()).toHaveLength(3);
  });

  test('cursor.result.otherSessionBeforeRead: refused with nothing sent, as a record and as a cursor', async () => {
    const { session, requests } = hostDouble();
    const foreign: TurnRecord = { ...completed('t', 'x:3'), sessionId: 'x' };
    for (const after of [foreign, 'x:3', 'garbage']) {
      await expect(session.turn('t1').result({ after })).rejects.toMatchObject({ code: 'cursor.invalid' });
    }
    expect(requests).toEqual([]);
  });

  test('error.result.turnNotFound', async () => {
    const { session } = hostDouble();
    await expect(session.turn('t9').result()).rejects.toMatchObject({ code: 'turn.not_found' });
  });

  test('result throws ObservationLost: a lost channel, a host that cannot read, a session given up', async () => {
    const lost = async (lose: (host: ReturnType<typeof hostDouble>) => void): Promise<unknown> => {
      const host = hostDouble();
      const wait = host.session.run('hi').catch((error: unknown) => error);
      await settle();
      host.emit(started('t1'));
      await settle();
      lose(host);
      return await wait;
    };
    const expected = { code: 'observation.lost', details: { sessionId: SESSION, cursor: 's:1' } };
    expect(await lost((host) => host.far.close())).toMatchObject(expected);
    expect(
      await lost((host) => host.endStreams({ code: 'store.unavailable', message: 'm', retryable: true })),
    ).toMatchObject(expected);
    expect(await lost((host) => host.endStreams())).toMatchObject(expected);
  });
});

describe('events', () => {
  test('session.events.fromStart: live, to the end; each iteration on its own', async () => {
    const { session, emit, endStreams, requests } = hostDouble();
    emit(noted(), noted());
    const events = session.events();
    const first = collect(events);
    const second = collect(events);
    await settle();
    emit(started('t1'));
    endStreams();
    expect(ids(await first)).toEqual(['s:1', 's:2', 's:3']);
    expect(ids(await second)).toEqual(['s:1', 's:2', 's:3']);
    expect(requests).toMatchObject([{ params: { subscriptionId: '1' } }, { params: { subscriptionId: '2' } }]);
  });

  test('cursor.sessionIterEvents.afterCursor, cursor.sessionIterEvents.afterRecord: every place yields exactly the rest', async () => {
    const { session, emit, endStreams } = hostDouble();
    emit(noted(), noted(), noted());
    for (const [after, rest] of [
      ['s:0', ['s:1', 's:2', 's:3']],
      ['s:1', ['s:2', 's:3']],
      [running('t', 's:1'), ['s:2', 's:3']],
      ['s:2', ['s:3']],
      [completed('t', 's:3'), []],
    ] as const) {
      const events = collect(session.events({ after }));
      await settle();
      endStreams();
      expect(ids(await events)).toEqual(rest);
    }
  });

  /** Refused at the first iteration and not at the call, once, with nothing sent. */
  async function expectRefused(after: string | TurnRecord): Promise<void> {
    const { session, requests } = hostDouble();
    for (const events of [session.events({ after }), session.turn('t1').events({ after })]) {
      const iterator = events[Symbol.asyncIterator]();
      await expect(iterator.next()).rejects.toMatchObject({ code: 'cursor.invalid' });
      expect(await iterator.next()).toEqual({ done: true, value: undefined });
    }
    expect(requests).toEqual([]);
  }

  test('cursor.sessionIterEvents.invalid, cursor.turnIterEvents.invalid: at the first iteration, once', async () => {
    await expectRefused('garbage');
  });

  test('cursor.sessionIterEvents.otherSession, cursor.turnIterEvents.otherSession: as a record and as a cursor', async () => {
    await expectRefused('x:1');
    await expectRefused({ ...completed('t1', 'x:1'), sessionId: 'x' });
  });

  test('leaving unsubscribes at once, also while a next is pending', async () => {
    const { session, methods } = hostDouble();
    const iterator = session.events()[Symbol.asyncIterator]();
    const pending = iterator.next();
    await settle();
    await iterator.return?.();
    expect(await pending).toEqual({ done: true, value: undefined });
    await settle();
    expect(methods()).toEqual(['events/subscribe', 'events/unsubscribe']);
  });

  test('what came is read, then the loss with the place to go on', async () => {
    const { session, emit, far, client } = hostDouble();
    emit(noted(), noted());
    const iterator = session.events()[Symbol.asyncIterator]();
    await iterator.next();
    far.close();
    await settle();
    expect(await iterator.next()).toMatchObject({ value: { id: 's:2' } });
    await expect(iterator.next()).rejects.toMatchObject({
      code: 'observation.lost',
      details: { cursor: 's:2' },
      cause: { code: 'channel.closed' },
    });
    expect(await iterator.next()).toMatchObject({ done: true });
    await expect(client.session(SESSION).read()).rejects.toMatchObject({ code: 'channel.closed' });
  });

  test('error.sessionIterEvents.observationLost, error.turnIterEvents.observationLost: from its cursor on comes each later event once', async () => {
    const { session, records, emit, endStreams } = hostDouble();
    records.set('t1', running('t1', 's:1'));
    emit(started('t1'), noted('t1'));
    const lost: unknown[] = [];
    const reading = [session.events(), session.turn('t1').events()].map(async (events) => {
      const seen: StreamEvent[] = [];
      try {
        for await (const event of events) seen.push(event);
      } catch (error) {
        lost.push(error);
      }
      return ids(seen);
    });
    await settle();
    endStreams({ code: 'store.unavailable', message: 'm', retryable: true });
    expect(await Promise.all(reading)).toEqual([
      ['s:1', 's:2'],
      ['s:1', 's:2'],
    ]);
    const expected = { code: 'observation.lost', details: { cursor: 's:2' } };
    expect(lost).toMatchObject([expected, expected]);

    emit(noted('t1'), ended('t1', 's:4'));
    records.set('t1', completed('t1', 's:4'));
    const rest = collect(session.events({ after: 's:2' }));
    expect(ids(await collect(session.turn('t1').events({ after: 's:2' })))).toEqual(['s:3', 's:4']);
    endStreams();
    expect(ids(await rest)).toEqual(['s:3', 's:4']);
  });

  test('an abort ends the iteration once', async () => {
    const { session, methods } = hostDouble();
    const controller = new AbortController();
    const iterator = session.events({ signal: controller.signal })[Symbol.asyncIterator]();
    const pending = iterator.next();
    await settle();
    controller.abort();
    await expect(pending).rejects.toMatchObject({ code: 'operation.aborted' });
    expect(await iterator.next()).toMatchObject({ done: true });
    await settle();
    expect(methods()).toEqual(['events/subscribe', 'events/unsubscribe']);
    await expect(session.events({ signal: controller.signal })[Symbol.asyncIterator]().next()).rejects.toMatchObject({
      code: 'operation.aborted',
    });
  });

  test('turn.events.untilTurnEnded, cursor.turnIterEvents.afterKinds: this turn’s own, up to its end, though more follows', async () => {
    const { session, records, emit, methods } = hostDouble();
    emit(started('t0'), ended('t0', 's:2'), started('t1'), noted('t1'), ended('t1', 's:5'), started('t2'));
    records.set('t1', completed('t1', 's:6'));
    const turn = session.turn('t1');
    expect(ids(await collect(turn.events()))).toEqual(['s:3', 's:4', 's:5']);
    expect(ids(await collect(turn.events({ after: completed('t0', 's:2') })))).toEqual(['s:3', 's:4', 's:5']);
    expect(ids(await collect(turn.events({ after: 's:3' })))).toEqual(['s:4', 's:5']);
    expect(ids(await collect(turn.events({ after: running('t1', 's:4') })))).toEqual(['s:5']);
    await settle();
    expect(methods().filter((method) => method === 'events/unsubscribe')).toHaveLength(4);
  });

  test('cursor.turnIterEvents.atOrPastEnd: nothing, at once', async () => {
    const { session, records, emit } = hostDouble();
    emit(started('t1'), ended('t1', 's:2'), started('t2'));
    records.set('t1', completed('t1', 's:3'));
    for (const after of ['s:2', 's:3', completed('t1', 's:3')]) {
      expect(await collect(session.turn('t1').events({ after }))).toEqual([]);
    }
  });

  test('turn.events.noTimeLimit: a question may stand for days', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
    const { session, records, emit } = hostDouble();
    emit(started('t1'), opened('t1', approval()));
    records.set('t1', blocked('t1', 's:2', approval()));
    const iterator = session.turn('t1').events()[Symbol.asyncIterator]();
    for (const id of ['s:1', 's:2']) expect(await iterator.next()).toMatchObject({ value: { id } });
    let isSettled = false;
    const next = iterator.next();
    void next.then(() => (isSettled = true));
    await vi.advanceTimersByTimeAsync(3 * 24 * 3600 * 1000);
    await settle();
    expect(isSettled).toBe(false);
    emit(resolved('t1', CALLBACK), ended('t1', 's:4'));
    expect(await next).toMatchObject({ value: { id: 's:3' } });
    expect(await iterator.next()).toMatchObject({ value: { id: 's:4' } });
    expect(await iterator.next()).toMatchObject({ done: true });
  });

  test('error.turnIterEvents.neverNotFoundForSentOrBusyTurn: of a host that lists late', async () => {
    for (const outcome of [
      { type: 'started', turnId: 't1', started: true, messageId: 'm' },
      { type: 'busy', turnId: 't1' },
    ]) {
      const { session, emit } = hostDouble({ 'turn/start': () => outcome });
      const sent = await session.startTurn('hi');
      const events = collect((sent.type === 'busy' ? sent.turn : sent).events());
      await settle();
      emit(started('t1'), ended('t1', 's:2'));
      expect(ids(await events)).toEqual(['s:1', 's:2']);
    }
  });

  test('error.turnIterEvents.turnNotFound: at the first iteration', async () => {
    const { session } = hostDouble();
    const events = session.turn('t9').events();
    await expect(events[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'turn.not_found' });
  });

  test('a turn’s events that end before the turn does are lost, not over', async () => {
    const { session, records, emit, endStreams } = hostDouble();
    emit(started('t1'));
    records.set('t1', running('t1', 's:1'));
    const iterator = session.turn('t1').events()[Symbol.asyncIterator]();
    await iterator.next();
    endStreams();
    await expect(iterator.next()).rejects.toMatchObject({ code: 'observation.lost', details: { cursor: 's:1' } });
  });

  test('deltas come where they are asked for', async () => {
    const { session, records, emit, show, requests } = hostDouble();
    records.set('t1', running('t1', 's:1'));
    emit(started('t1'));
    const events = collect(session.turn('t1').events({ deltas: true }));
    await settle();
    const delta = { sessionId: SESSION, after: 's:1', entryId: 'e', block: 0, offset: 0, text: 'hi' };
    show({ type: 'text.delta', turnId: 't1', ...delta }, { type: 'text.delta', turnId: 't2', ...delta });
    emit(ended('t1', 's:2'));
    expect((await events).map(({ type }) => type)).toEqual(['turn.started', 'text.delta', 'turn.ended']);
    expect(requests[1]?.params).toMatchObject({ deltas: true });
  });
});

describe('answer', () => {
  const answered =
    (answer: unknown): Answer =>
    () => ({ type: 'answered', sessionId: SESSION, answer });
  const blockedHost = (callback: OpenCallback, answers: Record<string, Answer> = {}) => {
    const host = hostDouble({ 'callback/answer': answered({ type: 'allow', scope: 'once' }), ...answers });
    host.records.set('t1', blocked('t1', 's:2', callback));
    return host;
  };

  test('answer.readsSessionOnceThenAnswers: one read, one plain answer', async () => {
    const { session, requests } = blockedHost(approval());
    const updatedInput = { command: 'ls -l' };
    const outcome = await session.turn('t1').answer(CALLBACK, allowApproval({ scope: 'session', updatedInput }));
    expect(outcome).toEqual({ type: 'answered', sessionId: SESSION, answer: { type: 'allow', scope: 'once' } });
    expect(requests).toEqual([
      { method: 'turn/read', params: { sessionId: SESSION, turnId: 't1' } },
      {
        method: 'callback/answer',
        params: { sessionId: SESSION, callbackId: CALLBACK, answer: { type: 'allow', scope: 'session', updatedInput } },
      },
    ]);
    expect(Object.getOwnPropertySymbols(requests[1]?.params.answer)).toEqual([]);
  });

  test('error.answer.callbackIdNotUuid: a TypeError with nothing sent', async () => {
    const { session, requests } = blockedHost(approval());
    for (const id of ['abc', '', `${CALLBACK} `, undefined]) {
      const call = Reflect.apply(session.turn('t1').answer, undefined, [id, allowApproval()]);
      await expect(call).rejects.toBeInstanceOf(TypeError);
    }
    expect(requests).toEqual([]);
  });

  test('answer.approval.onlyAllowOrDeny: what nobody made an answer is unfit, with nothing sent', async () => {
    const { session, requests } = blockedHost(approval());
    for (const answer of [
      true,
      false,
      {},
      { allow: true },
      { type: 'allow', scope: 'once' },
      null,
      undefined,
      'allow',
    ]) {
      const call = Reflect.apply(session.turn('t1').answer, undefined, [CALLBACK, answer]);
      await expect(call).rejects.toMatchObject({ code: 'answer.unfit' });
    }
    expect(requests.filter(({ method }) => method === 'callback/answer')).toEqual([]);
  });

  test.each([
    ['a sign-in for an approval', approval(), signInAnswer({ connected: ['a'] })],
    ['an approval for a sign-in', signIn('a'), allowApproval()],
    ['answer.signIn.namesEverySource: a source left out', signIn('a', 'b'), signInAnswer({ connected: ['a'] })],
    [
      'answer.signIn.namesOnlyRequested: a source too many',
      signIn('a'),
      signInAnswer({ connected: ['a'], denied: ['b'] }),
    ],
    ['a source twice', signIn('a'), signInAnswer({ connected: ['a'], denied: ['a'] })],
    [
      'error.answer.hookApprovalSessionScope: a hook’s question for the session',
      approval(CALLBACK, 'hook'),
      allowApproval({ scope: 'session' }),
    ],
    [
      'a kind that is not known',
      { type: 'unknown', originalType: 'oracle', raw: { id: CALLBACK } } as OpenCallback,
      denyApproval(),
    ],
  ])('%s is refused and stays open', async (_what, callback, answer) => {
    const { session, methods } = blockedHost(callback);
    await expect(session.turn('t1').answer(CALLBACK, answer)).rejects.toMatchObject({ code: 'answer.unfit' });
    expect(methods()).toEqual(['turn/read']);
  });

  test('error.answer.hookApprovalSessionScope: a hook’s question may be allowed once; a sign-in that names each source goes out', async () => {
    const hook = blockedHost(approval(CALLBACK, 'hook'));
    expect(await hook.session.turn('t1').answer(CALLBACK, allowApproval())).toMatchObject({ type: 'answered' });
    const sign = blockedHost(signIn('a', 'b'), { 'callback/answer': answered(null) });
    const outcome = await sign.session.turn('t1').answer(CALLBACK, signInAnswer({ connected: ['a'], denied: ['b'] }));
    expect(outcome).toEqual({ type: 'answered', sessionId: SESSION, answer: null });
  });

  test('answer.turnIdUnused: an ended or unknown turn’s handle answers what the active one asks', async () => {
    const host = blockedHost(approval(), { 'session/read': () => ({ activeTurnId: 't1' }) });
    host.records.set('t0', completed('t0', 's:1'));
    for (const turnId of ['t0', 't9']) {
      await expect(host.session.turn(turnId).answer(CALLBACK, signInAnswer({}))).rejects.toMatchObject({
        code: 'answer.unfit',
      });
      expect(await host.session.turn(turnId).answer(CALLBACK, denyApproval({ message: 'no' }))).toMatchObject({
        type: 'answered',
      });
    }
  });

  test('answer.notFound, answer.alreadySettled: of a question that is not open the log knows, and no answer is sent', async () => {
    const opening = { seq: 2, id: 's:2', at: 't', sessionId: SESSION, ...opened('t0', approval()) };
    const pages = [
      { events: [], cursor: 's:1', more: true },
      { events: [opening], cursor: 's:2', more: false },
    ];
    const { session, methods } = blockedHost(approval(OTHER), {
      'events/read': (params) => pages[(params as { after?: string }).after === undefined ? 0 : 1],
    });
    const turn = session.turn('t1');
    const unknown = '6ba7b810-9dad-41d1-80b4-00c04fd430ff';
    expect(await turn.answer(unknown, allowApproval())).toEqual({ type: 'notFound' });
    expect(await turn.answer(CALLBACK, allowApproval())).toEqual({ type: 'alreadySettled', sessionId: SESSION });
    // Unfit comes first.
    await expect(turn.answer(CALLBACK, true)).rejects.toMatchObject({ code: 'answer.unfit' });
    expect(methods()).not.toContain('callback/answer');
  });

  test('error.answer.observationLost: events that cannot be read stand in the way of a question that is open nowhere, of no other', async () => {
    const { session, methods } = blockedHost(approval(OTHER), {
      'events/read': () => Promise.reject(new RondoError('store.unavailable', 'down')),
    });
    await expect(session.turn('t1').answer(CALLBACK, allowApproval())).rejects.toMatchObject({
      code: 'observation.lost',
    });
    expect(methods()).not.toContain('callback/answer');
    expect(await session.turn('t1').answer(OTHER, allowApproval())).toMatchObject({ type: 'answered' });
  });

  describe('an answer that came too late', () => {
    const lose = (events: () => unknown, callback: OpenCallback = approval()) =>
      blockedHost(callback, {
        'callback/answer': () => ({ type: 'alreadySettled', sessionId: SESSION }),
        'events/read': events,
      });
    const event = (more: object): object => ({
      seq: 3,
      id: 's:3',
      at: 't',
      sessionId: SESSION,
      ...resolved('t1', CALLBACK, more),
    });

    test('answer.approval.raceBothAnswered: the loser gets the winner’s answer', async () => {
      const deny = { type: 'deny', message: 'first' };
      const { session, requests } = lose(() => ({ events: [event({ answer: deny })], cursor: 's:3', more: false }));
      const outcome = await session.turn('t1').answer(CALLBACK, allowApproval());
      expect(outcome).toEqual({ type: 'answered', sessionId: SESSION, answer: deny });
      expect(requests.at(-1)).toEqual({ method: 'events/read', params: { sessionId: SESSION, after: 's:2' } });
    });

    test('a closing is a settlement for everyone', async () => {
      const { session } = lose(() => ({ events: [event({ resolution: 'closed' })], cursor: 's:3', more: false }));
      expect(await session.turn('t1').answer(CALLBACK, allowApproval())).toEqual({
        type: 'alreadySettled',
        sessionId: SESSION,
      });
    });

    test('answer.signIn.answerNull: so is an approval’s that cannot be read', async () => {
      const unread = lose(() => Promise.reject(new RondoError('store.unavailable', 'down')));
      expect(await unread.session.turn('t1').answer(CALLBACK, allowApproval())).toMatchObject({
        type: 'answered',
        answer: null,
      });
      const sign = lose(() => ({ events: [event({})], cursor: 's:3', more: false }), signIn('a'));
      const outcome = await sign.session.turn('t1').answer(CALLBACK, signInAnswer({ denied: ['a'] }));
      expect(outcome).toMatchObject({ type: 'answered', answer: null });
    });
  });
});

describe('the connection', () => {
  test('an abort stops waiting for an answer and sends nothing', async () => {
    const { client, methods } = hostDouble({ 'session/read': () => undefined });
    const controller = new AbortController();
    const call = client.session(SESSION).read({ signal: controller.signal });
    controller.abort();
    await expect(call).rejects.toMatchObject({ code: 'operation.aborted' });
    await settle();
    expect(methods()).toEqual(['session/read']);
    await expect(client.session(SESSION).read({ signal: controller.signal })).rejects.toMatchObject({
      code: 'operation.aborted',
    });
    expect(methods()).toEqual(['session/read']);
  });

  test('what waits when the channel closes rejects, and so does what comes after', async () => {
    for (const close of ['close', 'far'] as const) {
      const { client, far } = hostDouble({ 'session/read': () => undefined });
      const call = client.session(SESSION).read();
      if (close === 'far') far.close();
      else client.close();
      await expect(call).rejects.toMatchObject({ code: 'channel.closed', retryable: true });
      await expect(client.session(SESSION).read()).rejects.toMatchObject({ code: 'channel.closed' });
      await client.closed;
      await client[Symbol.asyncDispose]();
    }
  });

  test('errors keep code, details and retryable; a code that is not known is kept as it came', async () => {
    const { client } = hostDouble({
      'session/read': () =>
        Promise.reject(new RondoError<string>('moon.full', 'wait', { details: { days: 3 }, retryable: true })),
    });
    const error: unknown = await client
      .session(SESSION)
      .read()
      .catch((thrown: unknown) => thrown);
    expect(isRondoError(error)).toBe(true);
    expect(error).toMatchObject({ code: 'moon.full', message: 'wait', details: { days: 3 }, retryable: true });
  });

  test('a request from the host gets one error, an unknown notification and a stray response none', async () => {
    const [near, far] = createMemoryChannel();
    connect(near, { trusted: true });
    far.send({ jsonrpc: '2.0', method: 'moon/rose', params: {} });
    far.send({ jsonrpc: '2.0', id: 77, result: {} });
    far.send({ jsonrpc: '2.0', method: 'events/item', params: { subscriptionId: 'none', events: [] } });
    far.send({ jsonrpc: '2.0', id: 'h1', method: 'capability/sing', params: {} });
    const { value } = await far.frames[Symbol.asyncIterator]().next();
    expect(value).toMatchObject({ id: 'h1', error: { data: { code: 'protocol.method_unknown' } } });
  });

  test('createSession, openSession, forkSession, listSessions, update', async () => {
    const info = { id: SESSION, status: 'waiting' };
    const pages = [
      { sessions: [{ id: 'a' }, { id: 'b' }], next: 'b' },
      { sessions: [{ id: 'c' }, { id: 'd' }], next: 'd' },
    ];
    const { client, requests } = hostDouble({
      'session/create': () => ({ sessionId: 'new' }),
      'session/open': () => ({ session: info, openTurnId: 't5', parked: ['tool x'] }),
      'session/fork': () => ({ sessionId: 'fork' }),
      'session/list': () => pages.shift(),
      'session/update': ({ title }) => ({ ...info, title }),
    });
    const session = await client.createSession({ bindingId: 'b', title: 'T' });
    expect(session.id).toBe('new');
    await session.startTurn('hi');
    const opened = await client.openSession(SESSION, { bindingId: 'b', unfinished: 'continue' });
    expect(opened).toMatchObject({ info, openTurn: { id: 't5', started: null }, parked: ['tool x'] });
    expect((await client.forkSession(SESSION, { bindingId: 'b', after: 's:3' })).id).toBe('fork');
    expect((await collect(client.listSessions({ limit: 3, cwd: '/' }))).map(({ id }) => id)).toEqual(['a', 'b', 'c']);
    const updated = await opened.session.update({ title: 'New', tag: null });
    expect(updated).toMatchObject({ title: 'New' });
    expect(Object.isFrozen(updated)).toBe(true);
    expect(requests).toEqual([
      { method: 'session/create', params: { bindingId: 'b', title: 'T' } },
      { method: 'turn/start', params: { sessionId: 'new', bindingId: 'b', content: [{ type: 'text', text: 'hi' }] } },
      { method: 'session/open', params: { sessionId: SESSION, bindingId: 'b', unfinished: 'continue' } },
      { method: 'session/fork', params: { sessionId: SESSION, bindingId: 'b', after: 's:3' } },
      { method: 'session/list', params: { cwd: '/', limit: 3 } },
      { method: 'session/list', params: { cwd: '/', limit: 1, before: 'b' } },
      { method: 'session/update', params: { sessionId: SESSION, title: 'New', tag: null } },
    ]);
  });
});

describe('to a host outside', () => {
  test('the version goes ahead of the first request, once', async () => {
    const { session, records, requests } = hostDouble({}, { name: 'me' });
    records.set('t1', running('t1', 's:1'));
    await session.turn('t1').get();
    await session.turn('t1').get();
    expect(requests.map(({ method }) => method)).toEqual(['host/initialize', 'turn/read', 'turn/read']);
    expect(requests[0]?.params).toEqual({ protocolVersion: 1, client: 'me' });
  });

  test('a host of another version ends the connection', async () => {
    const { session, client } = hostDouble(
      { 'host/initialize': () => ({ protocolVersion: 5, host: 'new' }), 'turn/read': () => undefined },
      {},
    );
    await expect(session.turn('t1').get()).rejects.toMatchObject({ code: 'protocol.version_unsupported' });
    await client.closed;
  });

  test('what is newer arrives as unknown, a transient of a newer kind is left out', async () => {
    const { session, emit, show, endStreams } = hostDouble({}, {});
    const events = collect(session.events({ deltas: true }));
    await settle();
    emit({ type: 'comet.seen', tail: 3 } as unknown as Partial<AnyEvent>);
    show({ type: 'comet.delta', sessionId: SESSION, turnId: 't', after: 's:1' } as unknown as StreamEvent);
    endStreams();
    expect(await events).toMatchObject([{ type: 'unknown', originalType: 'comet.seen', id: 's:1', raw: { tail: 3 } }]);
  });

  test('an answer that does not read rejects its request and names the field', async () => {
    const { session } = hostDouble({ 'turn/read': () => ({ type: 'running', sessionId: SESSION }) }, {});
    await expect(session.turn('t1').get()).rejects.toMatchObject({
      code: 'protocol.frame_invalid',
      details: { method: 'turn/read', field: 'turnId' },
    });
  });
});

test('a trusted client loads no schema', async () => {
  const program = `
    import { registerHooks } from 'node:module';
    const loaded = [];
    registerHooks({ load: (url, context, next) => { loaded.push(url); return next(url, context); } });
    const { connect } = await import('@rondo/client');
    const { createMemoryChannel } = await import('@rondo/protocol/values');
    const [near, far] = createMemoryChannel();
    const read = connect(near, { trusted: true }).session('s').read();
    const { value } = await far.frames[Symbol.asyncIterator]().next();
    far.send({ jsonrpc: '2.0', id: value.id, result: { id: 's' } });
    console.log(JSON.stringify(await read));
    console.log(loaded.filter((url) => /[\\\\/]zod[\\\\/]/.test(url)).length, loaded.length > 5);
  `;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--conditions=@rondo/source', '--input-type=module', '--eval', program],
    { cwd: new URL('..', import.meta.url) },
  );
  expect(stdout.trim().split('\n')).toEqual(['{"id":"s"}', '0 true']);
});
