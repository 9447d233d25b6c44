import { describe, expect, test, vi } from 'vitest';
import { createMemoryStore } from '../event/memory-store.ts';
import type { Model } from '../model/model.ts';
import { interceptAppends } from '../testing/intercept-appends.ts';
import { manualClock } from '../testing/manual-clock.ts';
import { recordingTool } from '../testing/recording-tool.ts';
import { scriptedModel } from '../testing/scripted-model.ts';
import { call, fail, pauseUntil, say, stall } from '../testing/scripted-step.ts';
import { sessionScene, storeAfterCrash } from '../testing/session-scene.ts';

const text = (value: string) => [{ type: 'text' as const, text: value }];

describe('closing', () => {
  test('while a turn is about to start starts nothing', async () => {
    const asked = Promise.withResolvers<void>();
    const environment = Promise.withResolvers<string>();
    const model = scriptedModel([say('never')]);
    const scene = await sessionScene({
      model,
      binding: { environment: () => (asked.resolve(), environment.promise) },
    });
    const starting = scene.start('go');
    await asked.promise;
    const closing = scene.runtime.close();
    environment.resolve('a folder');
    await expect(starting).rejects.toMatchObject({ code: 'channel.closed' });
    await closing;
    expect(model.requests).toHaveLength(0);
    expect((await scene.events()).map((event) => event.type)).toEqual(['session.created', 'session.acquired']);
  });

  test('while the intent of a call is being stored runs no tool', async () => {
    const reached = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    const store = interceptAppends(createMemoryStore(), async (events) => {
      if (!events.some((event) => event.type === 'tool.started')) return;
      reached.resolve();
      await gate.promise;
    });
    const act = recordingTool({ name: 'act' });
    const scene = await sessionScene({ model: scriptedModel([call('act'), say('done')]), tools: [act], store });
    await scene.start('go');
    await reached.promise;
    const closing = scene.runtime.close();
    gate.resolve();
    await closing;
    expect(act.calls).toHaveLength(0);
  });
});

describe('an interrupt', () => {
  test('while the intent of a call is being stored runs no tool', async () => {
    const reached = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    const store = interceptAppends(createMemoryStore(), async (events) => {
      if (!events.some((event) => event.type === 'tool.started')) return;
      reached.resolve();
      await gate.promise;
    });
    const act = recordingTool({ name: 'act' });
    const scene = await sessionScene({ model: scriptedModel([call('act'), say('done')]), tools: [act], store });
    const turnId = await scene.start('go');
    await reached.promise;
    const interrupting = scene.runtime.interruptTurn({ sessionId: scene.sessionId, turnId });
    gate.resolve();
    await interrupting;
    expect(act.calls).toHaveLength(0);
    const completed = (await scene.events()).filter((event) => event.type === 'tool.completed');
    expect(completed.map((event) => event.outcome)).toEqual(['not_started']);
  });

  test('is not accepted when the end of the turn could not be stored', async () => {
    const store = interceptAppends(createMemoryStore(), (events) => {
      if (events.some((event) => event.type === 'turn.ended')) throw new Error('no space left');
    });
    const scene = await sessionScene({ model: scriptedModel([[say('half'), stall()]]), store });
    const turnId = await scene.start('go');
    await scene.until((event) => event.type === 'text.delta', { deltas: true });
    await expect(scene.runtime.interruptTurn({ sessionId: scene.sessionId, turnId })).rejects.toMatchObject({
      code: 'session.write_failed',
    });
  });

  test('that a closing host overtakes is not accepted', async () => {
    const scene = await sessionScene({ model: scriptedModel([stall()]) });
    const turnId = await scene.start('go');
    const interrupting = scene.runtime.interruptTurn({ sessionId: scene.sessionId, turnId });
    await Promise.resolve();
    const closing = scene.runtime.close();
    await expect(interrupting).rejects.toMatchObject({ code: 'channel.closed' });
    await closing;
    expect((await scene.events()).map((event) => event.type)).not.toContain('turn.ended');
  });

  test('is bounded while a tool that ignores its signal prepares', async () => {
    vi.useFakeTimers();
    try {
      const preparing = Promise.withResolvers<void>();
      const edit = recordingTool({
        name: 'edit',
        effect: 'reconcile',
        prepare: () => (preparing.resolve(), new Promise(() => {})),
        reconcile: () => Promise.resolve({ outcome: 'not_done' }),
      });
      const scene = await sessionScene({ model: scriptedModel([call('edit')]), tools: [edit] });
      const turnId = await scene.start('go');
      await preparing.promise;
      const interrupting = scene.runtime.interruptTurn({ sessionId: scene.sessionId, turnId });
      await vi.advanceTimersByTimeAsync(5000);
      expect(await interrupting).toEqual({ type: 'accepted', turnId });
      expect(edit.calls).toHaveLength(0);
    } finally {
      vi.useRealTimers();
    }
  });

  test('is bounded while a tool ignores its signal, and what the tool says later is discarded', async () => {
    vi.useFakeTimers();
    try {
      const running = Promise.withResolvers<(value: string) => void>();
      const deaf = recordingTool({
        name: 'deaf',
        results: [
          (_, { progress }) =>
            new Promise((resolve) => {
              running.resolve((value) => {
                progress(value);
                resolve(value);
              });
            }),
        ],
      });
      const scene = await sessionScene({ model: scriptedModel([call('deaf'), say('again')]), tools: [deaf] });
      const shown: string[] = [];
      const { signal } = new AbortController();
      const watching = (async () => {
        for await (const batch of scene.runtime.subscribe(scene.sessionId, { signal, deltas: true }))
          shown.push(...batch.map((event) => event.type));
      })();
      const turnId = await scene.start('go');
      const finish = await running.promise;
      const interrupting = scene.runtime.interruptTurn({ sessionId: scene.sessionId, turnId });
      await vi.advanceTimersByTimeAsync(5000);
      expect(await interrupting).toEqual({ type: 'accepted', turnId });
      finish('too late');
      await vi.advanceTimersByTimeAsync(1);
      const results = (await scene.events()).filter((event) => event.type === 'tool.completed');
      expect(results.map((event) => event.outcome)).toEqual(['interrupted']);
      expect(JSON.stringify(results)).not.toContain('too late');
      await scene.runtime.close();
      await watching;
      expect(shown).not.toContain('tool.progress');
      expect(shown.at(-1)).toBe('turn.ended');
    } finally {
      vi.useRealTimers();
    }
  });

  test('is bounded while a model ignores its signal', async () => {
    vi.useFakeTimers();
    try {
      const asked = Promise.withResolvers<void>();
      const model: Model = {
        name: 'deaf',
        async *stream() {
          yield { type: 'start', model: 'deaf' };
          asked.resolve();
          await new Promise(() => {});
        },
      };
      const scene = await sessionScene({ model });
      const turnId = await scene.start('go');
      await asked.promise;
      const interrupting = scene.runtime.interruptTurn({ sessionId: scene.sessionId, turnId });
      await vi.advanceTimersByTimeAsync(5000);
      expect(await interrupting).toEqual({ type: 'accepted', turnId });
      const types = (await scene.events()).map((event) => event.type);
      expect(types.slice(-2)).toEqual(['entry.discarded', 'turn.ended']);
    } finally {
      vi.useRealTimers();
    }
  });

  test('ends the wait before a retry', async () => {
    const clock = manualClock();
    const model = scriptedModel([fail('model.overloaded', { retryAfterMs: 600_000 }), say('again')]);
    const scene = await sessionScene({ model, clock });
    const turnId = await scene.start('go');
    await clock.whenSleeping();
    await scene.runtime.interruptTurn({ sessionId: scene.sessionId, turnId });
    expect(await scene.ended(turnId)).toMatchObject({ type: 'interrupted', terminalReason: 'aborted_streaming' });
    expect(await scene.run('next')).toMatchObject({ type: 'completed', text: 'again' });
  });

  test('a wait of more than the policy allows is not begun: the turn fails and says so', async () => {
    const asked = { code: 'model.rate_limited', details: { retryAfterMs: 600_001 } } as const;
    const model = scriptedModel([fail(asked.code, asked.details), say('again')]);
    const scene = await sessionScene({ model, clock: manualClock() });
    expect(await scene.run('go')).toMatchObject({ type: 'failed', error: { code: asked.code } });
    expect(await scene.run('go')).toMatchObject({ type: 'completed', text: 'again' });
  });

  test('twice at once is accepted twice and ends one turn', async () => {
    const scene = await sessionScene({ model: scriptedModel([stall()]) });
    const turnId = await scene.start('go');
    const where = { sessionId: scene.sessionId, turnId };
    const outcomes = await Promise.all([scene.runtime.interruptTurn(where), scene.runtime.interruptTurn(where)]);
    expect(outcomes).toEqual([
      { type: 'accepted', turnId },
      { type: 'accepted', turnId },
    ]);
    expect((await scene.events()).filter((event) => event.type === 'turn.ended')).toHaveLength(1);
  });

  test('of a turn that another host has to continue lets what was queued run', async () => {
    const first = await sessionScene({
      model: scriptedModel([call('act')]),
      tools: [recordingTool({ name: 'act' })],
      allowed: [],
    });
    const turnId = await first.start('go');
    await first.until((event) => event.type === 'callback.opened');
    await first.send('and then this', { delivery: 'next' });
    const store = await storeAfterCrash(first.store, first.sessionId);
    const model = scriptedModel([say('done that')]);
    const scene = await sessionScene(
      { model, tools: [recordingTool({ name: 'act' })], allowed: [], store, binding: { cwd: '/else' } },
      first.sessionId,
    );
    const where = { sessionId: scene.sessionId };
    const opened = await scene.runtime.openSession({ ...where, bindingId: scene.bindingId, unfinished: 'continue' });
    expect(opened.parked).toEqual(['folder /work']);
    await scene.runtime.interruptTurn({ ...where, turnId });
    const next = await scene.until((event) => event.type === 'turn.started' && event.turnId !== turnId);
    expect(await scene.ended('turnId' in next ? (next.turnId ?? '') : '')).toMatchObject({ text: 'done that' });
  });
});

describe('starting', () => {
  test('twice at once starts one turn', async () => {
    const scene = await sessionScene({ model: scriptedModel([say('one')]) });
    const message = { sessionId: scene.sessionId, bindingId: scene.bindingId, content: text('go') };
    const outcomes = await Promise.all([scene.runtime.startTurn(message), scene.runtime.startTurn(message)]);
    expect(outcomes.map((outcome) => outcome.type)).toEqual(['started', 'busy']);
  });

  test('with the key of a message that waits takes that message, once', async () => {
    const first = await sessionScene({ model: scriptedModel([stall()]) });
    await first.start('go');
    await first.send('later please', { delivery: 'next', idempotencyKey: 'k1', messageId: 'm1' });
    const store = await storeAfterCrash(first.store, first.sessionId);
    const model = scriptedModel([say('did it')]);
    const scene = await sessionScene({ model, store }, first.sessionId);
    await scene.runtime.openSession({ sessionId: scene.sessionId, bindingId: scene.bindingId, unfinished: 'settle' });
    const turnId = await scene.start('later please', { idempotencyKey: 'k1' });
    expect(await scene.ended(turnId)).toMatchObject({ type: 'completed', text: 'did it' });
    const said = (await scene.events()).filter(
      (event) => event.type === 'entry.completed' && event.entry.type === 'message' && event.entry.messageId === 'm1',
    );
    expect(said).toHaveLength(1);
    expect(JSON.stringify(model.requests[0]?.messages).split('later please').length - 1).toBe(1);
    expect(await scene.start('later please', { idempotencyKey: 'k1' })).toBe(turnId);
  });

  test('what waited and cannot be started says so, and the next start takes it along', async () => {
    let broken = false;
    const gate = Promise.withResolvers<void>();
    const model = scriptedModel([[pauseUntil(gate.promise), say('one')], say('two')]);
    const scene = await sessionScene({
      model,
      binding: { environment: () => (broken ? Promise.reject(new Error('no date here')) : 'folder') },
    });
    const turnId = await scene.start('go');
    await scene.send('more', { delivery: 'next' });
    broken = true;
    gate.resolve();
    await scene.ended(turnId);
    const notice = await scene.until((event) => event.type === 'notice');
    expect(notice).toMatchObject({ level: 'error', message: expect.stringContaining('no date here') });
    broken = false;
    expect(await scene.run('now')).toMatchObject({ type: 'completed', text: 'two' });
    expect(JSON.stringify(model.requests[1]?.messages)).toContain('more');
  });

  test('what waited for a turn of its own has it, however late somebody else speaks', async () => {
    let broken = false;
    const gate = Promise.withResolvers<void>();
    const model = scriptedModel([[pauseUntil(gate.promise), say('one')], say('two'), say('three')]);
    const scene = await sessionScene({
      model,
      binding: { environment: () => (broken ? Promise.reject(new Error('no date here')) : 'folder') },
    });
    const turnId = await scene.start('go');
    await scene.send('more', { delivery: 'later' });
    broken = true;
    gate.resolve();
    await scene.ended(turnId);
    await scene.until((event) => event.type === 'notice');
    broken = false;
    expect(await scene.send('and more', { delivery: 'later' })).toMatchObject({ type: 'accepted', started: false });
    const texts = async (): Promise<unknown[]> =>
      (await scene.events()).flatMap((event) => (event.type === 'turn.ended' ? [event.record.text] : []));
    await expect.poll(texts).toEqual(['one', 'two', 'three']);
    expect(JSON.stringify(model.requests[1]?.messages)).not.toContain('and more');
  });
});

describe('sending', () => {
  test('again with its key names the turn that the message joins', async () => {
    const scene = await sessionScene({ model: scriptedModel([stall()]) });
    const turnId = await scene.start('go');
    const once = await scene.send('more', { idempotencyKey: 'k1' });
    expect(once).toMatchObject({ type: 'accepted', turnId, started: false });
    expect(await scene.send('more', { idempotencyKey: 'k1' })).toEqual(once);
  });

  test('what would not be startable is refused before it is accepted', async () => {
    const scene = await sessionScene({ model: scriptedModel([stall()]) });
    await scene.start('go');
    await expect(scene.send('more', { delivery: 'next', limits: { maxBudgetUsd: 1 } })).rejects.toMatchObject({
      code: 'input.invalid',
    });
    expect((await scene.events()).filter((event) => event.type === 'message.queued')).toHaveLength(0);
  });

  test('steering again with its key adds the text once', async () => {
    const scene = await sessionScene({ model: scriptedModel([stall()]) });
    const turnId = await scene.start('go');
    const message = { sessionId: scene.sessionId, turnId, content: text('more'), idempotencyKey: 'k1' };
    await scene.runtime.steerTurn(message);
    await scene.runtime.steerTurn(message);
    expect((await scene.events()).filter((event) => event.type === 'message.queued')).toHaveLength(1);
    await expect(scene.runtime.steerTurn({ ...message, content: text('other') })).rejects.toMatchObject({
      code: 'session.idempotency_conflict',
    });
  });

  test('a message that came too late for the last request is answered, not swallowed by a limit', async () => {
    const gate = Promise.withResolvers<string>();
    const running = Promise.withResolvers<void>();
    const act = recordingTool({ name: 'act', results: [() => (running.resolve(), gate.promise)] });
    const model = scriptedModel([call('act'), say('two')]);
    const scene = await sessionScene({ model, tools: [act], binding: { limits: { maxTurns: 1 } } });
    const turnId = await scene.start('go');
    await running.promise;
    await scene.send('and this');
    gate.resolve('ok');
    expect(await scene.ended(turnId)).toMatchObject({ stopReason: 'max_turns' });
    const next = await scene.until((event) => event.type === 'turn.started' && event.turnId !== turnId);
    expect(await scene.ended('turnId' in next ? (next.turnId ?? '') : '')).toMatchObject({ text: 'two' });
    expect(JSON.stringify(model.requests[1]?.messages)).toContain('and this');
  });

  test('messages that a crash left waiting run when the session is continued', async () => {
    const gate = Promise.withResolvers<void>();
    const first = await sessionScene({ model: scriptedModel([[pauseUntil(gate.promise), say('one')]]) });
    const turnId = await first.start('go');
    await first.send('more', { delivery: 'next' });
    gate.resolve();
    await first.ended(turnId);
    // Killed between the end of the turn and the start of the next.
    const events = await first.events();
    const end = events.findIndex((event) => event.type === 'turn.ended');
    const store = await storeAfterCrash(first.store, first.sessionId, (event) => event.seq <= (events[end]?.seq ?? 0));
    const model = scriptedModel([say('two')]);
    const scene = await sessionScene({ model, store }, first.sessionId);
    const where = { sessionId: scene.sessionId, bindingId: scene.bindingId };
    const opened = await scene.runtime.openSession({ ...where, unfinished: 'continue' });
    expect(await scene.ended(opened.openTurnId ?? '')).toMatchObject({ type: 'completed', text: 'two' });
    expect(JSON.stringify(model.requests[0]?.messages)).toContain('more');
  });
});

describe('giving up', () => {
  test('a binding gives its session up once the start that was under way has ended', async () => {
    const asked = Promise.withResolvers<void>();
    const environment = Promise.withResolvers<string>();
    const store = createMemoryStore();
    const scene = await sessionScene({
      model: scriptedModel([say('one')]),
      store,
      binding: { environment: () => (asked.resolve(), environment.promise) },
    });
    const starting = scene.start('go');
    await asked.promise;
    scene.runtime.unbind(scene.bindingId);
    await new Promise(setImmediate);
    environment.resolve('a folder');
    await scene.ended(await starting);
    await vi.waitFor(async () => {
      const log = await store.acquire(scene.sessionId);
      await log.release();
    });
  });
});
