import type { AnyEvent, TurnRecord } from '@rondo/protocol';
import { describe, expect, test } from 'vitest';
import type { EventStore } from '../event/event-store.ts';
import type { Reconciliation } from '../tool/tool.ts';
import { interceptAppends } from '../testing/intercept-appends.ts';
import { recordingTool, type RecordingToolOptions } from '../testing/recording-tool.ts';
import { scriptedModel } from '../testing/scripted-model.ts';
import { call, fail, say, stall } from '../testing/scripted-step.ts';
import { sessionScene, storeAfterCrash, type Scene } from '../testing/session-scene.ts';

type Effect = 'none' | 'idempotent' | 'reconcile' | 'once';
const effects: readonly Effect[] = ['none', 'idempotent', 'reconcile', 'once'];

function tool(
  effect: Effect,
  found: Reconciliation = { outcome: 'not_done' },
  options: Partial<RecordingToolOptions> = {},
) {
  return recordingTool({
    name: 'act',
    effect,
    ...(effect === 'reconcile'
      ? { prepare: () => Promise.resolve('before'), reconcile: () => Promise.resolve(found) }
      : {}),
    ...options,
  });
}

/** The log of a whole run, cut behind the last event of the type that fits. */
async function cutBehind(scene: Scene, fits: (event: AnyEvent) => boolean): Promise<EventStore> {
  const events = await scene.events();
  const last = events.findLast(fits);
  if (last === undefined) throw new Error('the run has no such event');
  return await storeAfterCrash(scene.store, scene.sessionId, (event) => event.seq <= last.seq);
}

const ofType =
  (type: AnyEvent['type']) =>
  (event: AnyEvent): boolean =>
    event.type === type;

async function goOn(scene: Scene, unfinished: 'settle' | 'continue'): Promise<TurnRecord> {
  const { sessionId, bindingId, runtime } = scene;
  const turnId = (await scene.events()).find(ofType('turn.started'));
  await runtime.openSession({ sessionId, bindingId, unfinished });
  return await scene.ended(turnId !== undefined && 'turnId' in turnId ? (turnId.turnId ?? '') : '');
}

async function outcomes(scene: Scene): Promise<string[]> {
  return (await scene.events()).flatMap((event) => (event.type === 'tool.completed' ? [event.outcome] : []));
}

const afterCrash = (store: EventStore, sessionId: string, act: ReturnType<typeof tool>, allowed = ['act']) =>
  sessionScene({ model: scriptedModel([say('went on')]), tools: [act], allowed, store }, sessionId);

describe('a call that was cut off', () => {
  /** What was last written of it, what its effect is, how it is taken up: what becomes of it, and how often it runs. */
  const rows: readonly [AnyEvent['type'], Effect, 'settle' | 'continue', string, number][] = [
    ['tool.requested', 'none', 'continue', 'success', 1],
    ['tool.requested', 'once', 'continue', 'success', 1],
    ['tool.requested', 'reconcile', 'continue', 'success', 1],
    ['tool.decided', 'none', 'continue', 'success', 1],
    ['tool.decided', 'once', 'continue', 'success', 1],
    ['tool.decided', 'reconcile', 'continue', 'success', 1],
    ['tool.started', 'none', 'continue', 'success', 1],
    ['tool.started', 'idempotent', 'continue', 'success', 1],
    ['tool.started', 'reconcile', 'continue', 'success', 1],
    ['tool.started', 'once', 'continue', 'unknown', 0],
    ['tool.completed', 'once', 'continue', 'success', 0],
    ...effects.map((effect) => ['tool.requested', effect, 'settle', 'not_started', 0] as const),
    ...effects.map((effect) => ['tool.decided', effect, 'settle', 'not_started', 0] as const),
    ['tool.started', 'none', 'settle', 'interrupted', 0],
    ['tool.started', 'idempotent', 'settle', 'unknown', 0],
    ['tool.started', 'reconcile', 'settle', 'unknown', 0],
    ['tool.started', 'once', 'settle', 'unknown', 0],
    ['tool.completed', 'once', 'settle', 'success', 0],
  ].map((row) => row as [AnyEvent['type'], Effect, 'settle' | 'continue', string, number]);

  test.each(rows)('behind %s, effect %s, %s: %s, run %i times', async (written, effect, unfinished, outcome, runs) => {
    const first = await sessionScene({ model: scriptedModel([call('act'), say('done')]), tools: [tool(effect)] });
    await first.run('go');
    const store = await cutBehind(first, ofType(written));
    const act = tool(effect);
    const scene = await afterCrash(store, first.sessionId, act);
    const record = await goOn(scene, unfinished);
    expect(record).toMatchObject(
      unfinished === 'continue' ? { type: 'completed', text: 'went on' } : { type: 'interrupted', cause: 'crashed' },
    );
    expect(await outcomes(scene)).toEqual([outcome]);
    expect(act.calls).toHaveLength(runs);
    // A second owner finds nothing left to do.
    const copy = await storeAfterCrash(scene.store, scene.sessionId);
    const again = await afterCrash(copy, scene.sessionId, tool(effect));
    await again.runtime.openSession({ sessionId: again.sessionId, bindingId: again.bindingId, unfinished: 'continue' });
    expect(await outcomes(again)).toEqual([outcome]);
    expect(await again.run('next')).toMatchObject({ type: 'completed' });
  });

  test.each([
    [{ outcome: 'done', result: { content: 'it had happened' } }, 'success', 0],
    [{ outcome: 'not_done' }, 'success', 1],
    [{ outcome: 'unknown', reason: 'Somebody changed the file since.' }, 'unknown', 0],
  ] as const)('and is reconciled as %o', async (found, outcome, runs) => {
    const first = await sessionScene({ model: scriptedModel([call('act'), say('done')]), tools: [tool('reconcile')] });
    await first.run('go');
    const store = await cutBehind(first, ofType('tool.started'));
    const act = tool('reconcile', found);
    const scene = await afterCrash(store, first.sessionId, act);
    await goOn(scene, 'continue');
    expect(await outcomes(scene)).toEqual([outcome]);
    expect(act.calls).toHaveLength(runs);
  });

  test('among others goes its own way: each call has one result, in its place', async () => {
    const steps = [[call('act'), call('act'), call('act')], say('done')];
    const first = await sessionScene({ model: scriptedModel(steps), tools: [tool('once')] });
    await first.run('go');
    const started = (await first.events()).filter(ofType('tool.started'));
    const store = await cutBehind(first, (event) => event === started[1] || event.seq === started[1]?.seq);
    const act = tool('once');
    const scene = await afterCrash(store, first.sessionId, act);
    expect(await goOn(scene, 'continue')).toMatchObject({ type: 'completed', text: 'went on' });
    expect(await outcomes(scene)).toEqual(['success', 'unknown', 'success']);
    expect(act.calls).toHaveLength(1);
  });

  test('is not run by a host that lost the tool, and the turn goes nowhere', async () => {
    const first = await sessionScene({ model: scriptedModel([call('act'), say('done')]), tools: [tool('once')] });
    await first.run('go');
    const store = await cutBehind(first, ofType('tool.requested'));
    const scene = await sessionScene({ model: scriptedModel([]), store }, first.sessionId);
    const where = { sessionId: scene.sessionId, bindingId: scene.bindingId };
    await expect(scene.runtime.openSession({ ...where, unfinished: 'settle' })).rejects.toMatchObject({
      code: 'session.config_mismatch',
    });
    expect(await outcomes(scene)).toEqual([]);
  });
});

describe('a question that was cut off', () => {
  async function asked() {
    const act = tool('once');
    const first = await sessionScene({ model: scriptedModel([call('act'), say('done')]), tools: [act], allowed: [] });
    const turnId = await first.start('go');
    const opened = await first.until(ofType('callback.opened') as (event: { type: string }) => boolean);
    if (opened.type !== 'callback.opened' || opened.callback.type !== 'approval') throw new Error('no approval');
    return { first, turnId, callbackId: opened.callback.id };
  }

  const answers = [
    [{ type: 'allow', scope: 'once' }, 'success', 1],
    [{ type: 'deny', message: 'no' }, 'denied', 0],
  ] as const;

  test.each(answers)('behind its answer (%o) is not asked again', async (answer, outcome, runs) => {
    const { first, turnId, callbackId } = await asked();
    await first.runtime.answerCallback({ sessionId: first.sessionId, callbackId, answer });
    await first.ended(turnId);
    const store = await cutBehind(first, ofType('callback.resolved'));
    const act = tool('once');
    const scene = await afterCrash(store, first.sessionId, act, []);
    expect(await goOn(scene, 'continue')).toMatchObject({ type: 'completed', text: 'went on' });
    expect(await outcomes(scene)).toEqual([outcome]);
    expect(act.calls).toHaveLength(runs);
    expect((await scene.events()).filter(ofType('callback.opened'))).toHaveLength(1);
  });

  test.each(answers)(
    'and answered (%o) while its turn was parked counts when somebody who fits opens it',
    async (answer, outcome, runs) => {
      const { first, turnId, callbackId } = await asked();
      const store = await storeAfterCrash(first.store, first.sessionId);
      const act = tool('once');
      const model = scriptedModel([say('went on')]);
      const scene = await sessionScene({ model, tools: [act], allowed: [], store }, first.sessionId);
      const { sessionId, runtime } = scene;
      const elsewhere = runtime.bind({ ...scene.binding, cwd: '/else' });
      const parked = await runtime.openSession({ sessionId, bindingId: elsewhere, unfinished: 'continue' });
      expect(parked).toMatchObject({ openTurnId: turnId, parked: ['folder /work'], session: { status: 'blocked' } });
      expect(await runtime.answerCallback({ sessionId, callbackId, answer })).toMatchObject({ type: 'answered' });
      expect(act.calls).toHaveLength(0);
      expect(await runtime.readTurn({ sessionId, turnId })).toMatchObject({ type: 'running' });
      const where = { sessionId, bindingId: scene.bindingId, unfinished: 'continue' } as const;
      const [opened, also] = await Promise.all([runtime.openSession(where), runtime.openSession(where)]);
      expect(opened.parked).toBeUndefined();
      expect(also.parked).toBeUndefined();
      expect(await scene.ended(turnId)).toMatchObject({ type: 'completed', text: 'went on' });
      expect(await outcomes(scene)).toEqual([outcome]);
      expect(act.calls).toHaveLength(runs);
      model.assertDone();
    },
  );

  test.each([true, false])(
    'about other arguments than the call has now is asked anew (answered: %s)',
    async (answered) => {
      const withDefault = (value: string) =>
        tool('once', undefined, {
          input: { type: 'object', properties: { target: { type: 'string', default: value } } },
        });
      const first = await sessionScene({
        model: scriptedModel([call('act'), say('done')]),
        tools: [withDefault('test')],
        allowed: [],
      });
      const turnId = await first.start('go');
      const opened = await first.until(({ type }) => type === 'callback.opened');
      if (opened.type !== 'callback.opened' || opened.callback.type !== 'approval') throw new Error('no approval');
      const answer = { type: 'allow', scope: 'once' } as const;
      const before = { sessionId: first.sessionId, callbackId: opened.callback.id };
      if (answered) {
        await first.runtime.answerCallback({ ...before, answer });
        await first.ended(turnId);
      }
      const store = await cutBehind(first, ofType(answered ? 'callback.resolved' : 'callback.opened'));
      const act = withDefault('production');
      const scene = await afterCrash(store, first.sessionId, act, []);
      const { runtime, sessionId, bindingId } = scene;
      await runtime.openSession({ sessionId, bindingId, unfinished: 'continue' });
      const anew = await scene.until(
        (event) =>
          event.type === 'callback.opened' &&
          event.callback.type === 'approval' &&
          event.callback.id !== before.callbackId,
      );
      if (anew.type !== 'callback.opened' || anew.callback.type !== 'approval') throw new Error('no approval');
      expect(anew.callback.request.input).toEqual({ target: 'production' });
      expect(act.calls).toHaveLength(0);
      expect(await runtime.readTurn({ sessionId, turnId })).toMatchObject({
        type: 'blocked',
        callbacks: [{ id: anew.callback.id }],
      });
      await runtime.answerCallback({ sessionId, callbackId: anew.callback.id, answer });
      expect(await scene.ended(turnId)).toMatchObject({ type: 'completed' });
      expect(act.calls.map(({ input }) => input)).toEqual([{ target: 'production' }]);
    },
  );

  test('of a parked turn waits under its ID when somebody who fits opens it', async () => {
    const { first, turnId, callbackId } = await asked();
    const store = await storeAfterCrash(first.store, first.sessionId);
    const act = tool('once');
    const scene = await afterCrash(store, first.sessionId, act, []);
    const { sessionId, runtime, bindingId } = scene;
    const elsewhere = runtime.bind({ ...scene.binding, cwd: '/else' });
    await runtime.openSession({ sessionId, bindingId: elsewhere, unfinished: 'continue' });
    const opened = await runtime.openSession({ sessionId, bindingId, unfinished: 'continue' });
    expect(opened).toMatchObject({ openTurnId: turnId, session: { status: 'blocked' } });
    expect(opened.parked).toBeUndefined();
    await runtime.answerCallback({ sessionId, callbackId, answer: { type: 'allow' } });
    expect(await scene.ended(turnId)).toMatchObject({ type: 'completed', text: 'went on' });
    expect(act.calls).toHaveLength(1);
  });

  test('is closed when its turn is settled, and an answer comes too late', async () => {
    const { first, turnId, callbackId } = await asked();
    const store = await storeAfterCrash(first.store, first.sessionId);
    const scene = await afterCrash(store, first.sessionId, tool('once'), []);
    expect(await goOn(scene, 'settle')).toMatchObject({ type: 'interrupted', cause: 'crashed', turnId });
    const events = (await scene.events()).map((event) => event.type);
    expect(events.indexOf('callback.resolved')).toBeLessThan(events.indexOf('turn.ended'));
    const { sessionId } = scene;
    expect(await scene.runtime.answerCallback({ sessionId, callbackId, answer: { type: 'allow' } })).toEqual({
      type: 'alreadySettled',
      sessionId,
    });
  });
});

describe('a turn that was cut off', () => {
  test.each(['turn.started', 'model.requested', 'entry.added', 'model.retried'] as const)(
    'behind %s asks the model and ends',
    async (written) => {
      const model = scriptedModel([fail('model.overloaded'), [say('half'), stall()]]);
      const first = await sessionScene({ model });
      await first.start('go');
      await first.until((event) => event.type === 'text.delta', { deltas: true });
      const store = await cutBehind(first, ofType(written));
      const second = scriptedModel([say('done')]);
      const scene = await sessionScene({ model: second, store }, first.sessionId);
      expect(await goOn(scene, 'continue')).toMatchObject({ type: 'completed', text: 'done' });
      second.assertDone();
      const events = await scene.events();
      expect(events.filter(ofType('entry.discarded'))).toHaveLength(written === 'entry.added' ? 1 : 0);
      expect(events.filter(ofType('turn.ended'))).toHaveLength(1);
    },
  );

  test('goes on in its own program, also when something was allowed for the session meanwhile', async () => {
    const first = await sessionScene({
      model: scriptedModel([call('act'), stall()]),
      tools: [tool('once')],
      allowed: [],
      binding: { asker: { name: 'asker', ask: () => Promise.resolve({ type: 'allow', scope: 'session' }) } },
    });
    await first.start('go');
    await first.until(({ type }) => type === 'tool.completed');
    const store = await storeAfterCrash(first.store, first.sessionId);
    const scene = await sessionScene(
      {
        model: scriptedModel([call('act'), say('went on')]),
        tools: [tool('once')],
        allowed: [],
        store,
        binding: { asker: { name: 'asker', ask: () => Promise.reject(new Error('must not be asked')) } },
      },
      first.sessionId,
    );
    expect(await goOn(scene, 'continue')).toMatchObject({ type: 'completed', text: 'went on' });
    expect(await outcomes(scene)).toEqual(['success', 'success']);
  });

  test('does not go on when it is interrupted while it is taken up', async () => {
    const first = await sessionScene({ model: scriptedModel([stall()]) });
    const turnId = await first.start('go');
    await first.until(ofType('model.requested') as (event: { type: string }) => boolean);
    const reached = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    const store = interceptAppends(await storeAfterCrash(first.store, first.sessionId), async (events) => {
      if (!events.some((event) => event.type === 'turn.updated')) return;
      reached.resolve();
      await gate.promise;
    });
    const model = scriptedModel([]);
    const scene = await sessionScene({ model, store }, first.sessionId);
    const { runtime, sessionId, bindingId } = scene;
    const elsewhere = runtime.bind({ ...scene.binding, cwd: '/else' });
    await runtime.openSession({ sessionId, bindingId: elsewhere, unfinished: 'continue' });
    const opening = runtime.openSession({ sessionId, bindingId, unfinished: 'continue' });
    await reached.promise;
    const interrupting = runtime.interruptTurn({ sessionId, turnId });
    gate.resolve();
    await Promise.all([opening, interrupting]);
    expect(await runtime.readTurn({ sessionId, turnId })).toMatchObject({ type: 'interrupted', cause: 'interrupted' });
    model.assertDone();
  });

  test('leaves a call without a result that its session was imported with', async () => {
    const { runtime, bindingId, store } = await sessionScene({ model: scriptedModel([stall()]) });
    const { sessionId } = await runtime.createSession({
      bindingId,
      history: [{ type: 'tool_call', toolCallId: 'long-ago', name: 'act', arguments: {} }],
    });
    await runtime.startTurn({ sessionId, bindingId, content: [{ type: 'text', text: 'go' }] });
    const scene = await sessionScene(
      { model: scriptedModel([]), store: await storeAfterCrash(store, sessionId) },
      sessionId,
    );
    await goOn(scene, 'settle');
    expect(await outcomes(scene)).toEqual([]);
  });

  test('lets what waits behind it run within its own limits', async () => {
    const first = await sessionScene({ model: scriptedModel([stall()]), tools: [tool('once')] });
    await first.start('go');
    await first.send('more', { delivery: 'next', limits: { maxTurns: 1 } });
    const store = await storeAfterCrash(first.store, first.sessionId);
    const model = scriptedModel([say('done'), call('act')]);
    const scene = await sessionScene({ model, tools: [tool('once')], store }, first.sessionId);
    await goOn(scene, 'continue');
    const ended = await scene.until((event) => event.type === 'turn.ended' && event.record.text !== 'done');
    expect(ended).toMatchObject({ record: { stopReason: 'max_turns' } });
  });

  test('keeps its limits, with what it had used', async () => {
    const first = await sessionScene({ model: scriptedModel([call('act'), stall()]), tools: [tool('once')] });
    await first.start('go', { limits: { maxTurns: 1 } });
    await first.until((event) => event.type === 'tool.completed' || event.type === 'turn.ended');
    const store = await cutBehind(first, ofType('tool.completed'));
    const model = scriptedModel([]);
    const scene = await sessionScene({ model, tools: [tool('once')], store }, first.sessionId);
    expect(await goOn(scene, 'continue')).toMatchObject({ type: 'completed', stopReason: 'max_turns' });
    model.assertDone();
  });
});

describe('messages that waited when the turn before them had ended', () => {
  async function waiting() {
    const first = await sessionScene({ model: scriptedModel([stall()]) });
    const turnId = await first.start('go');
    await first.send('more', { delivery: 'next' });
    await first.runtime.interruptTurn({ sessionId: first.sessionId, turnId });
    await first.until((event) => event.type === 'turn.started' && event.turnId !== turnId);
    const { sessionId } = first;
    return {
      sessionId,
      store: await cutBehind(first, (event) => event.type === 'turn.ended' && event.turnId === turnId),
    };
  }

  test('begin theirs when a host recovers', async () => {
    const { sessionId, store } = await waiting();
    const model = scriptedModel([say('went on')]);
    const scene = await sessionScene({ model, store }, sessionId);
    const { runtime, bindingId } = scene;
    expect(await runtime.recover({ bindingIds: [bindingId] })).toEqual([{ sessionId, outcome: 'continued' }]);
    await scene.until((event) => event.type === 'turn.ended' && event.record.text === 'went on');
    expect(await runtime.listMessages({ sessionId })).toEqual({ messages: [] });
    model.assertDone();
  });

  test('wait on where the host lacks what the session was started with, and nothing is written', async () => {
    const { sessionId, store } = await waiting();
    const scene = await sessionScene({ model: scriptedModel([]), store, binding: { cwd: '/elsewhere' } }, sessionId);
    const { runtime, bindingId } = scene;
    const before = await scene.events();
    expect(await runtime.recover({ bindingIds: [bindingId] })).toEqual([
      { sessionId, outcome: 'parked', missing: ['folder /work'] },
    ]);
    expect(await scene.events()).toEqual(before);
    expect(await runtime.listMessages({ sessionId })).toMatchObject({ messages: [{ delivery: 'next' }] });
  });
});
