import type { AnyEvent, JsonObject, TransientEvent, TurnRecord } from '@rondo/protocol';
import { RondoError } from '@rondo/protocol/values';
import { describe, expect, test } from 'vitest';
import { createRuntime } from './create-runtime.ts';
import { createMemoryStore } from './event/memory-store.ts';
import type { Model } from './model/model.ts';
import type { Runtime } from './runtime.ts';
import { call, cutAfter, fail, say, scriptedModel, stall, think, type ScriptedStep } from './testing/index.ts';
import {
  sceneBinding,
  type SceneOptions,
  sessionScene,
  storeAfterCrash,
  storedEvents,
} from './testing/session-scene.ts';
import { sha256 } from './testing/temporary-binding.ts';
import { defineTool } from './tool/define-tool.ts';
import type { Tool } from './tool/tool.ts';

interface Recorded {
  readonly tool: Tool;
  readonly inputs: JsonObject[];
}

function recorded(
  name: string,
  options: {
    effect?: 'none' | 'idempotent' | 'once';
    run?: (input: JsonObject, signal: AbortSignal) => Promise<string>;
  } = {},
): Recorded {
  const inputs: JsonObject[] = [];
  const tool = defineTool({
    name,
    description: `records ${name}`,
    input: { type: 'object', properties: { n: { type: 'number' } }, additionalProperties: false },
    effect: options.effect ?? 'once',
    run: async (input, context) => {
      inputs.push(input as JsonObject);
      return { content: (await options.run?.(input as JsonObject, context.signal)) ?? `${name} done` };
    },
  });
  return { tool, inputs };
}

type Setup = Omit<SceneOptions, 'model'>;

/** Nothing runs unasked but what the test allows. */
const makeBinding = (model: Model, setup: Setup) => sceneBinding({ allowed: [], ...setup, model });

async function setUp(steps: readonly ScriptedStep[], setup: Setup = {}) {
  const model = scriptedModel(steps, { price: { input: 1, output: 1 } });
  return { ...(await sessionScene({ allowed: [], ...setup, model })), model };
}

async function ended(runtime: Runtime, sessionId: string, turnId: string): Promise<TurnRecord> {
  const over = new AbortController();
  for await (const batch of runtime.subscribe(sessionId, { signal: over.signal })) {
    if (batch.some((event) => event.type === 'turn.ended' && event.turnId === turnId)) break;
  }
  return await runtime.readTurn({ sessionId, turnId });
}

async function untilEvent(
  runtime: Runtime,
  sessionId: string,
  type: AnyEvent['type'] | TransientEvent['type'],
  deltas = false,
) {
  const over = new AbortController();
  for await (const batch of runtime.subscribe(sessionId, { signal: over.signal, deltas })) {
    const found = batch.find((event) => event.type === type);
    if (found !== undefined) return found;
  }
  throw new Error('the subscription ended');
}

const types = (events: readonly AnyEvent[]): string[] => events.map((event) => event.type);

describe('a turn', () => {
  test('of one reply ends completed, with every fact in the log', async () => {
    const { run, store, sessionId, model } = await setUp([[think('hm', 'sig'), say('hello')]]);
    const record = await run('hi');
    expect(record).toMatchObject({
      type: 'completed',
      text: 'hello',
      stopReason: 'end_turn',
      terminalReason: 'completed',
    });
    expect(types(await storedEvents(store, sessionId))).toEqual([
      'session.created',
      'session.acquired',
      'turn.started',
      'entry.completed',
      'model.requested',
      'entry.added',
      'entry.completed',
      'model.completed',
      'turn.ended',
    ]);
    model.assertDone();
  });

  test('runs calls that only read at once and the others in order', async () => {
    const order: string[] = [];
    let readers = 0;
    let release = (): void => {};
    const bothReading = new Promise<void>((resolve) => {
      release = resolve;
    });
    const read = recorded('look', {
      effect: 'none',
      run: async () => {
        readers += 1;
        if (readers === 2) release();
        await bothReading;
        return 'seen';
      },
    });
    const write = recorded('act', { run: async (input) => (order.push(`act ${JSON.stringify(input['n'])}`), 'acted') });
    const { run, model } = await setUp(
      [[call('look', { n: 1 }), call('look', { n: 2 }), call('act', { n: 3 }), call('act', { n: 4 })], say('done')],
      { tools: [read.tool, write.tool], allowed: ['look', 'act'] },
    );
    expect(await run('go')).toMatchObject({ type: 'completed', text: 'done' });
    expect(order).toEqual(['act 3', 'act 4']);
    model.assertDone();
  });

  test('stores the intent of a call with an effect before it runs', async () => {
    const seen: string[][] = [];
    const store = createMemoryStore();
    let sessionId = '';
    const act = recorded('act', { run: async () => (seen.push(types(await storedEvents(store, sessionId))), 'acted') });
    const setup = await setUp([call('act', { n: 1 }), say('done')], { tools: [act.tool], allowed: ['act'], store });
    sessionId = setup.sessionId;
    await setup.run('go');
    expect(seen[0]?.slice(-5)).toEqual([
      'entry.completed',
      'model.completed',
      'tool.requested',
      'tool.decided',
      'tool.started',
    ]);
  });

  test('answers bad arguments and unknown tools with errors, and goes on', async () => {
    const act = recorded('act');
    const { run, store, sessionId } = await setUp([[call('act', { n: 'x' }), call('nothing', {})], say('sorry')], {
      tools: [act.tool],
      allowed: ['act'],
    });
    expect(await run('go')).toMatchObject({ type: 'completed', text: 'sorry' });
    expect(act.inputs).toEqual([]);
    const results = (await storedEvents(store, sessionId)).filter((event) => event.type === 'tool.completed');
    expect(results.map((event) => event.outcome)).toEqual(['error', 'error']);
    expect(results[0]?.error?.message).toContain('n');
    expect(results[1]?.error?.message).toContain('No such tool: nothing');
  });

  test('denies what nobody can be asked about', async () => {
    const act = recorded('act');
    const { run, store, sessionId } = await setUp([call('act', {}), say('ok')], {
      tools: [act.tool],
      binding: { unattended: 'deny' },
    });
    expect(await run('go')).toMatchObject({ type: 'completed' });
    expect(act.inputs).toEqual([]);
    const decided = (await storedEvents(store, sessionId)).find((event) => event.type === 'tool.decided');
    expect(decided).toMatchObject({ decision: 'deny', reasonType: 'unattended' });
  });

  test('runs no call of a tool that cannot say what it touches', async () => {
    const tool = defineTool({
      name: 'vague',
      description: 'cannot say',
      input: { type: 'object', properties: {} },
      access: () => {
        throw new Error('no idea');
      },
      run: () => Promise.reject(new Error('must not run')),
    });
    const { run, store, sessionId } = await setUp([call('vague', {}), say('ok')], {
      tools: [tool],
      allowed: ['vague'],
    });
    expect(await run('go')).toMatchObject({ type: 'completed', text: 'ok' });
    const result = (await storedEvents(store, sessionId)).find((event) => event.type === 'tool.completed');
    expect(result).toMatchObject({
      outcome: 'denied',
      error: { message: expect.stringContaining('no idea') as string },
    });
  });

  test('stops at its limits', async () => {
    const act = recorded('act');
    const steps = [call('act', {}), call('act', {}), call('act', {})];
    const { runtime, sessionId, bindingId } = await setUp(steps, { tools: [act.tool], allowed: ['act'] });
    const content = [{ type: 'text' as const, text: 'go' }];
    const started = await runtime.startTurn({ sessionId, bindingId, content, limits: { maxTurns: 2 } });
    if (started.type !== 'started') throw new Error('busy');
    const record = await ended(runtime, sessionId, started.turnId);
    expect(record).toMatchObject({ type: 'completed', stopReason: 'max_turns', terminalReason: 'max_turns' });
    expect(act.inputs).toHaveLength(2);
    const second = await runtime.startTurn({ sessionId, bindingId, content, limits: { maxBudgetUsd: 0.000001 } });
    if (second.type !== 'started') throw new Error('busy');
    expect(await ended(runtime, sessionId, second.turnId)).toMatchObject({
      type: 'completed',
      stopReason: 'max_budget',
    });
    expect(act.inputs).toHaveLength(2);
  });
});

describe('a failing model', () => {
  test('is asked again, and what it had shown is discarded', async () => {
    const act = recorded('act');
    const { run, store, sessionId, model } = await setUp(
      [
        cutAfter(4, call('act', { n: 1 }), call('act', { n: 2 })),
        fail('model.overloaded', { status: 529 }),
        call('act', { n: 3 }),
        say('done'),
      ],
      { tools: [act.tool], allowed: ['act'] },
    );
    expect(await run('go')).toMatchObject({ type: 'completed', text: 'done' });
    expect(act.inputs).toEqual([{ n: 3 }]);
    const events = await storedEvents(store, sessionId);
    expect(
      events.filter((event) => event.type === 'model.retried').map((event) => [event.attempt, event.status]),
    ).toEqual([
      [1, null],
      [2, 529],
    ]);
    expect(events.filter((event) => event.type === 'entry.discarded')).toHaveLength(1);
    model.assertDone();
  });

  test('is paid for every attempt that said what it used', async () => {
    const usage = { inputTokens: 1000, outputTokens: 0 };
    let attempts = 0;
    const model: Model = {
      name: 'test/metered',
      price: { input: 1, output: 1 },
      async *stream() {
        attempts += 1;
        yield { type: 'start', usage };
        if (attempts === 1) throw new RondoError('model.stream_broken', 'cut');
        yield { type: 'end', stopReason: 'end_turn', usage };
      },
    };
    const runtime = createRuntime({ store: createMemoryStore(), sha256 });
    const bindingId = runtime.bind(makeBinding(model, {}));
    const { sessionId } = await runtime.createSession({ bindingId });
    const content = [{ type: 'text' as const, text: 'go' }];
    const outcome = await runtime.startTurn({ sessionId, bindingId, content });
    if (outcome.type !== 'started') throw new Error('busy');
    const record = await ended(runtime, sessionId, outcome.turnId);
    expect(record).toMatchObject({ type: 'completed', usage: [usage, usage] });
  });

  test('fails the turn when no retry can help', async () => {
    const { run } = await setUp([fail('model.authentication_failed', { status: 401 }, 'the key is wrong')]);
    expect(await run('go')).toMatchObject({
      type: 'failed',
      error: { code: 'model.authentication_failed' },
      terminalReason: 'api_error',
    });
  });
});

describe('a question', () => {
  test('blocks the turn until it is answered, once', async () => {
    const act = recorded('act');
    const { runtime, sessionId, start } = await setUp([call('act', { n: 1 }), say('done')], { tools: [act.tool] });
    const turnId = await start('go');
    await untilEvent(runtime, sessionId, 'callback.opened');
    const blocked = await runtime.readTurn({ sessionId, turnId });
    if (blocked.type !== 'blocked') throw new Error(blocked.type);
    const callback = blocked.callbacks[0];
    if (callback?.type !== 'approval') throw new Error('no approval');
    const answer = { sessionId, callbackId: callback.id, answer: { type: 'allow' as const } };
    expect(await runtime.answerCallback(answer)).toMatchObject({ type: 'answered', answer: { type: 'allow' } });
    expect(await runtime.answerCallback(answer)).toEqual({ type: 'alreadySettled', sessionId });
    expect(await runtime.answerCallback({ ...answer, callbackId: '00000000-0000-4000-8000-000000000000' })).toEqual({
      type: 'notFound',
    });
    expect(await ended(runtime, sessionId, turnId)).toMatchObject({ type: 'completed', text: 'done' });
    expect(act.inputs).toEqual([{ n: 1 }]);
  });

  test('allowed for the session covers the same arguments and no others', async () => {
    const act = recorded('act');
    const { run, model } = await setUp(
      [call('act', { n: 1 }), call('act', { n: 1 }), call('act', { n: 2 }), say('done')],
      {
        tools: [act.tool],
        binding: {
          asker: {
            name: 'asker',
            ask: (callback) =>
              Promise.resolve(
                JSON.stringify(callback.request.input) === '{"n":1}'
                  ? { type: 'allow', scope: 'session' }
                  : { type: 'deny', message: 'no' },
              ),
          },
        },
      },
    );
    await run('go');
    expect(act.inputs).toEqual([{ n: 1 }, { n: 1 }]);
    model.assertDone();
  });

  test('is closed by an interrupt, and the next turn starts', async () => {
    const act = recorded('act');
    const { runtime, sessionId, start, run } = await setUp([call('act', {}), say('again')], { tools: [act.tool] });
    const turnId = await start('go');
    await untilEvent(runtime, sessionId, 'callback.opened');
    expect(await runtime.interruptTurn({ sessionId, turnId })).toEqual({ type: 'accepted', turnId });
    expect(await runtime.readTurn({ sessionId, turnId })).toMatchObject({ type: 'interrupted', cause: 'interrupted' });
    expect(await run('next')).toMatchObject({ type: 'completed', text: 'again' });
    expect(act.inputs).toEqual([]);
  });
});

describe('an interrupt', () => {
  test('keeps the text that was shown', async () => {
    const { runtime, sessionId, start, run, store } = await setUp([
      [say(['half a ', 'sentence']), stall()],
      say('fresh'),
    ]);
    const turnId = await start('go');
    await untilEvent(runtime, sessionId, 'text.delta', true);
    await runtime.interruptTurn({ sessionId, turnId });
    expect(await runtime.readTurn({ sessionId, turnId })).toMatchObject({
      type: 'interrupted',
      terminalReason: 'aborted_streaming',
    });
    expect(await run('next')).toMatchObject({ type: 'completed', text: 'fresh' });
    const entries = (await storedEvents(store, sessionId)).filter((event) => event.type === 'entry.completed');
    expect(entries.some((event) => event.entry.type === 'assistant' && event.entry.aborted === true)).toBe(true);
  });

  test('gives every call a result, begun or not', async () => {
    let running = (): void => {};
    const isRunning = new Promise<void>((resolve) => {
      running = resolve;
    });
    const slow = recorded('slow', {
      run: (_, signal) =>
        new Promise((resolve) => {
          running();
          signal.addEventListener('abort', () => resolve('stopped'));
        }),
    });
    const { runtime, sessionId, start, store } = await setUp([[call('slow', { n: 1 }), call('slow', { n: 2 })]], {
      tools: [slow.tool],
      allowed: ['slow'],
    });
    const turnId = await start('go');
    await isRunning;
    await runtime.interruptTurn({ sessionId, turnId });
    const results = (await storedEvents(store, sessionId)).filter((event) => event.type === 'tool.completed');
    expect(results.map((event) => event.outcome)).toEqual(['interrupted', 'not_started']);
    expect(await runtime.readTurn({ sessionId, turnId })).toMatchObject({
      type: 'interrupted',
      terminalReason: 'aborted_tools',
    });
    expect(await runtime.interruptTurn({ sessionId, turnId })).toEqual({ type: 'conflict' });
  });
});

describe('sending', () => {
  test('with a key does it once, and refuses other content', async () => {
    const { runtime, sessionId, bindingId } = await setUp([say('one')]);
    const content = [{ type: 'text' as const, text: 'go' }];
    const first = await runtime.startTurn({ sessionId, bindingId, content, idempotencyKey: 'k' });
    expect(await runtime.startTurn({ sessionId, bindingId, content, idempotencyKey: 'k' })).toEqual(first);
    const other = runtime.startTurn({
      sessionId,
      bindingId,
      content: [{ type: 'text', text: 'else' }],
      idempotencyKey: 'k',
    });
    await expect(other).rejects.toMatchObject({ code: 'session.idempotency_conflict' });
  });

  test('while a turn runs joins it at its next step, or waits its turn', async () => {
    let release = (): void => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    let running = (): void => {};
    const isRunning = new Promise<void>((resolve) => {
      running = resolve;
    });
    const hold = recorded('hold', { run: async () => (running(), await gate, 'held') });
    const { runtime, sessionId, bindingId, start, model } = await setUp([call('hold', {}), say('one'), say('two')], {
      tools: [hold.tool],
      allowed: ['hold'],
    });
    const turnId = await start('go');
    await isRunning;
    const content = [{ type: 'text' as const, text: 'more' }];
    expect(await runtime.startTurn({ sessionId, bindingId, content })).toEqual({ type: 'busy', turnId });
    expect(await runtime.sendMessage({ sessionId, bindingId, content, delivery: 'join' })).toMatchObject({
      turnId,
      started: false,
    });
    const later = await runtime.sendMessage({
      sessionId,
      bindingId,
      content: [{ type: 'text', text: 'later' }],
      delivery: 'later',
    });
    expect(later.turnId).toBeUndefined();
    release();
    await ended(runtime, sessionId, turnId);
    const second = await untilSecondTurn(runtime, sessionId);
    expect(await ended(runtime, sessionId, second)).toMatchObject({ type: 'completed', text: 'two' });
    expect(JSON.stringify(model.requests[1]?.messages)).toContain('more');
    expect(JSON.stringify(model.requests[1]?.messages)).not.toContain('later');
    expect(JSON.stringify(model.requests[2]?.messages)).toContain('later');
    model.assertDone();
  });
});

async function untilSecondTurn(runtime: Runtime, sessionId: string): Promise<string> {
  const over = new AbortController();
  let started = 0;
  for await (const batch of runtime.subscribe(sessionId, { signal: over.signal })) {
    for (const event of batch) {
      if (event.type !== 'turn.started') continue;
      started += 1;
      if (started === 2) return event.turnId;
    }
  }
  throw new Error('no second turn');
}

describe('following', () => {
  test('by cursor gives exactly what follows, whoever reads when', async () => {
    const { runtime, sessionId, run, store } = await setUp([say('one'), say('two')]);
    await run('a');
    await run('b');
    const all = await storedEvents(store, sessionId);
    for (const [index, event] of all.entries()) {
      const over = new AbortController();
      const seen: string[] = [];
      for await (const batch of runtime.subscribe(sessionId, { after: event.id, signal: over.signal })) {
        seen.push(...batch.map((one) => ('id' in one ? one.id : '')));
        if (seen.length === all.length - index - 1) break;
      }
      if (index < all.length - 1) expect(seen).toEqual(all.slice(index + 1).map((one) => one.id));
      if (index === all.length - 2) break;
    }
    await expect(runtime.readEvents({ sessionId, after: `${sessionId}:9999` })).rejects.toMatchObject({
      code: 'cursor.invalid',
    });
    await expect(runtime.readEvents({ sessionId, after: 'other:1' })).rejects.toMatchObject({ code: 'cursor.invalid' });
  });

  test('with deltas shows an entry beginning, its pieces, and the whole', async () => {
    const { runtime, sessionId, start } = await setUp([[say(['he', 'llo'])]]);
    const over = new AbortController();
    const seen: string[] = [];
    const watching = (async () => {
      for await (const batch of runtime.subscribe(sessionId, { deltas: true, signal: over.signal })) {
        for (const event of batch) {
          seen.push(event.type === 'text.delta' ? `delta ${event.offset} ${event.text}` : event.type);
          if (event.type === 'turn.ended') return;
        }
      }
    })();
    await start('go');
    await watching;
    const from = seen.indexOf('entry.added');
    expect(seen.slice(from, from + 6)).toEqual([
      'entry.added',
      'delta 0 ',
      'delta 0 he',
      'delta 2 llo',
      'entry.completed',
      'model.completed',
    ]);
  });
});

describe('secrets', () => {
  test('are in no event', async () => {
    const tell = recorded('tell', { run: () => Promise.resolve('the key is sk-secret-123456') });
    const { run, store, sessionId, model } = await setUp([call('tell', {}), say('it is sk-secret-123456')], {
      tools: [tell.tool],
      allowed: ['tell'],
      binding: { secrets: ['sk-secret-123456'] },
    });
    const record = await run('what is sk-secret-123456');
    expect(record.text).toBe('it is [redacted]');
    expect(JSON.stringify(await storedEvents(store, sessionId))).not.toContain('sk-secret');
    expect(JSON.stringify(model.requests)).not.toContain('sk-secret');
  });
});

describe('after a crash', () => {
  /** A store as the next process finds it: what had been written, in a runtime that never closed. */
  async function crashed(steps: readonly ScriptedStep[], setup: Setup) {
    const first = await setUp(steps, setup);
    const turnId = await first.start('go');
    return { ...first, turnId };
  }

  test('a call with an unknown outcome is never run again, and says so', async () => {
    let running = (): void => {};
    const isRunning = new Promise<void>((resolve) => {
      running = resolve;
    });
    const act = recorded('act', { run: () => (running(), new Promise(() => {})) });
    const first = await crashed([call('act', { n: 1 })], { tools: [act.tool], allowed: ['act'] });
    await isRunning;
    const copy = await storeAfterCrash(first.store, first.sessionId);
    const again = recorded('act');
    const model = scriptedModel([say('went on')]);
    const runtime = createRuntime({ store: copy, sha256 });
    const bindingId = runtime.bind(makeBinding(model, { tools: [again.tool], allowed: ['act'] }));
    const opened = await runtime.openSession({ sessionId: first.sessionId, bindingId, unfinished: 'continue' });
    expect(opened.parked).toBeUndefined();
    expect(await ended(runtime, first.sessionId, first.turnId)).toMatchObject({ type: 'completed', text: 'went on' });
    expect(again.inputs).toEqual([]);
    const completed = (await storedEvents(copy, first.sessionId)).find((event) => event.type === 'tool.completed');
    expect(completed).toMatchObject({ outcome: 'unknown', isError: true });
    model.assertDone();
  });

  test('settling runs nothing and leaves a session that goes on', async () => {
    let running = (): void => {};
    const isRunning = new Promise<void>((resolve) => {
      running = resolve;
    });
    const act = recorded('act', { run: () => (running(), new Promise(() => {})) });
    const first = await crashed([[call('act', { n: 1 }), call('act', { n: 2 })]], {
      tools: [act.tool],
      allowed: ['act'],
    });
    await isRunning;
    const copy = await storeAfterCrash(first.store, first.sessionId);
    const again = recorded('act');
    const model = scriptedModel([say('next')]);
    const runtime = createRuntime({ store: copy, sha256 });
    const bindingId = runtime.bind(makeBinding(model, { tools: [again.tool], allowed: ['act'] }));
    await runtime.openSession({ sessionId: first.sessionId, bindingId, unfinished: 'settle' });
    expect(await runtime.readTurn({ sessionId: first.sessionId, turnId: first.turnId })).toMatchObject({
      type: 'interrupted',
      cause: 'crashed',
    });
    const results = (await storedEvents(copy, first.sessionId)).filter((event) => event.type === 'tool.completed');
    expect(results.map((event) => event.outcome)).toEqual(['unknown', 'not_started']);
    const outcome = await runtime.startTurn({
      sessionId: first.sessionId,
      bindingId,
      content: [{ type: 'text', text: 'next' }],
    });
    if (outcome.type !== 'started') throw new Error('busy');
    expect(await ended(runtime, first.sessionId, outcome.turnId)).toMatchObject({ type: 'completed', text: 'next' });
    expect(again.inputs).toEqual([]);
    model.assertDone();
  });

  test('an open question keeps its ID and is answerable', async () => {
    const act = recorded('act');
    const first = await crashed([call('act', { n: 1 })], { tools: [act.tool] });
    const opened = await untilEvent(first.runtime, first.sessionId, 'callback.opened');
    if (opened.type !== 'callback.opened' || opened.callback.type !== 'approval') throw new Error('no approval');
    const copy = await storeAfterCrash(first.store, first.sessionId);
    const again = recorded('act');
    const model = scriptedModel([say('ran')]);
    const runtime = createRuntime({ store: copy, sha256 });
    const bindingId = runtime.bind(makeBinding(model, { tools: [again.tool] }));
    const result = await runtime.openSession({ sessionId: first.sessionId, bindingId, unfinished: 'continue' });
    expect(result.session.status).toBe('blocked');
    const { id } = opened.callback;
    expect(
      await runtime.answerCallback({ sessionId: first.sessionId, callbackId: id, answer: { type: 'allow' } }),
    ).toMatchObject({ type: 'answered' });
    expect(await ended(runtime, first.sessionId, first.turnId)).toMatchObject({ type: 'completed', text: 'ran' });
    expect(again.inputs).toEqual([{ n: 1 }]);
  });

  test('a host that cannot offer what the turn needs parks it; one that lacks the agent is refused', async () => {
    const act = recorded('act');
    const first = await crashed([call('act', { n: 1 })], { tools: [act.tool] });
    await untilEvent(first.runtime, first.sessionId, 'callback.opened');
    const copy = await storeAfterCrash(first.store, first.sessionId);
    const runtime = createRuntime({ store: copy, sha256 });
    const elsewhere = runtime.bind(makeBinding(scriptedModel([]), { tools: [act.tool], binding: { cwd: '/else' } }));
    const parked = await runtime.openSession({
      sessionId: first.sessionId,
      bindingId: elsewhere,
      unfinished: 'continue',
    });
    expect(parked.parked).toEqual(['folder /work']);
    expect(await runtime.readTurn({ sessionId: first.sessionId, turnId: first.turnId })).toMatchObject({
      type: 'blocked',
    });
    expect(act.inputs).toEqual([]);
    await runtime.interruptTurn({ sessionId: first.sessionId, turnId: first.turnId });
    expect(await runtime.readTurn({ sessionId: first.sessionId, turnId: first.turnId })).toMatchObject({
      type: 'interrupted',
    });
    const other = await storeAfterCrash(first.store, first.sessionId);
    const stranger = createRuntime({ store: other, sha256 });
    const bindingId = stranger.bind(makeBinding(scriptedModel([]), {}));
    const opening = stranger.openSession({ sessionId: first.sessionId, bindingId, unfinished: 'settle' });
    await expect(opening).rejects.toMatchObject({
      code: 'session.config_mismatch',
      details: { missing: ['tool "act"'] },
    });
  });
});

describe('a fork', () => {
  test('goes on from the history without its cost', async () => {
    const { runtime, sessionId, bindingId, run, model, store } = await setUp([say('one'), say('two')]);
    await run('first');
    const fork = await runtime.forkSession({ sessionId, bindingId });
    const outcome = await runtime.startTurn({
      sessionId: fork.sessionId,
      bindingId,
      content: [{ type: 'text', text: 'second' }],
    });
    if (outcome.type !== 'started') throw new Error('busy');
    expect(await ended(runtime, fork.sessionId, outcome.turnId)).toMatchObject({ type: 'completed', text: 'two' });
    expect(JSON.stringify(model.requests[1]?.messages)).toContain('first');
    const events = await storedEvents(store, fork.sessionId);
    expect(events[0]).toMatchObject({ type: 'session.created', forkedFrom: { sessionId } });
    expect(events.filter((event) => event.type === 'model.completed')).toHaveLength(1);
  });
});

test('pages of large events end early, and parts of a large blob go on where they ended', async () => {
  const store = createMemoryStore();
  const scene = await sessionScene({ model: scriptedModel([]), store });
  const { runtime, sessionId } = scene;
  for (let count = 0; count < 100; count += 1)
    await runtime.updateSession({ sessionId, title: `${count} ${'x'.repeat(60_000)}` });
  const first = await runtime.readEvents({ sessionId });
  expect(first.more).toBe(true);
  expect(JSON.stringify(first).length).toBeLessThan(5 * 1024 * 1024);
  const rest = await runtime.readEvents({ sessionId, after: first.cursor });
  expect(rest.more).toBe(false);
  const titles = [...first.events, ...rest.events].filter((event) => 'title' in event && event.title !== undefined);
  expect(titles).toHaveLength(100);

  const { hash } = await store.blobs(sessionId).write(new Uint8Array(5 * 1024 * 1024).fill(7));
  const part = await runtime.readBlob({ sessionId, hash });
  expect(part).toMatchObject({ bytes: 4 * 1024 * 1024, more: true });
  expect(await runtime.readBlob({ sessionId, hash, offset: part.bytes })).toMatchObject({
    bytes: 1024 * 1024,
    more: false,
  });
  expect(await runtime.readBlob({ sessionId, hash, limit: 3 })).toEqual({ data: 'BwcH', bytes: 3, more: true });
});
