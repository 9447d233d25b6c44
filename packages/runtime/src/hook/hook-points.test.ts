import type { JsonObject, TurnRecord } from '@rondo/protocol';
import { describe, expect, test } from 'vitest';
import type { ModelRequest } from '../model/model.ts';
import { manualClock } from '../testing/manual-clock.ts';
import { recordingTool } from '../testing/recording-tool.ts';
import { scriptedModel } from '../testing/scripted-model.ts';
import { call, say } from '../testing/scripted-step.ts';
import { sessionScene, type Scene } from '../testing/session-scene.ts';
import { ask, continueWith, reject, retry, skip } from './hook-decision.ts';
import { hookPoints, type HookContext, type HookPoint, type LoopHook } from './loop-hook.ts';

const outcomes = [
  'continue',
  'replace',
  'skip',
  'retry',
  'reject',
  'ask',
  'throw',
  'foreign value',
  'abort',
  'timeout',
] as const;
type Outcome = (typeof outcomes)[number];

/** What comes of a turn in which the model calls a tool once and answers. */
interface Seen {
  readonly end: string;
  readonly text: string;
  readonly requests: number;
  readonly ran: readonly JsonObject[];
  /** Of the call, where one was completed. */
  readonly outcome?: string;
}

const whole: Seen = { end: 'completed end_turn', text: 'answer', requests: 2, ran: [{ n: 1 }], outcome: 'success' };
const nothing: Seen = { end: '', text: '', requests: 0, ran: [] };
const failedTurn = (at: Partial<Seen>): Seen => ({ ...nothing, ...at, end: 'failed hook.failed' });
const stopped = (at: Partial<Seen>): Seen => ({ ...nothing, ...at, end: 'interrupted interrupted' });
const denied: Seen = { ...whole, ran: [], outcome: 'denied' };
const withheld: Seen = { ...whole, outcome: 'error' };

/** By point and outcome; what is not named is a failure of the hook. */
const table: Readonly<Record<HookPoint, { readonly failure: Seen } & { readonly [Key in Outcome]?: Seen }>> = {
  preAgentTurn: {
    continue: whole,
    replace: whole,
    skip: { ...nothing, end: 'completed hook_skipped' },
    abort: stopped({}),
    failure: failedTurn({}),
  },
  preLlmCall: {
    continue: whole,
    skip: { ...nothing, end: 'completed hook_skipped' },
    abort: stopped({}),
    failure: failedTurn({}),
  },
  postLlmCall: {
    continue: whole,
    retry: { ...whole, requests: 3 },
    reject: { ...nothing, end: 'completed hook_rejected', requests: 1 },
    abort: stopped({ requests: 1 }),
    failure: failedTurn({ requests: 1 }),
  },
  preToolCall: {
    continue: whole,
    replace: { ...whole, ran: [{ n: 2 }] },
    skip: denied,
    ask: whole,
    abort: stopped({ requests: 1, outcome: 'not_started' }),
    failure: denied,
  },
  postToolCall: {
    continue: whole,
    replace: whole,
    abort: stopped({ requests: 1, ran: [{ n: 1 }], outcome: 'interrupted' }),
    failure: withheld,
  },
  postAgentTurn: {
    continue: whole,
    replace: { ...whole, text: 'replaced' },
    abort: stopped({ ...whole, text: 'answer' }),
    failure: failedTurn({ requests: 2, ran: [{ n: 1 }], outcome: 'success' }),
  },
};

const change = {
  preAgentTurn: { userContent: 'replaced' },
  preLlmCall: { userContent: 'replaced' },
  postLlmCall: { text: 'replaced' },
  preToolCall: { arguments: { n: 2 } },
  postToolCall: { result: 'replaced' },
  postAgentTurn: { text: 'replaced' },
} as const;

/** Decides so the first time that it is asked, and lets pass whatever comes later. */
function decidingHook(point: HookPoint, outcome: Outcome, late: Promise<void>): LoopHook {
  let runs = 0;
  const decide = async (): Promise<unknown> => {
    runs += 1;
    if (runs > 1) return undefined;
    switch (outcome) {
      case 'continue':
        return continueWith();
      case 'replace':
        return continueWith(change[point]);
      case 'skip':
        return skip('so the hook says');
      case 'retry':
        return retry('say it again');
      case 'reject':
        return reject('so the hook says');
      case 'ask':
        return ask('so the hook says');
      case 'throw':
        throw new Error('no luck');
      case 'foreign value':
        return { type: 'continue' };
      case 'abort':
        await late;
        return continueWith();
      case 'timeout':
        await late;
        return continueWith();
    }
  };
  return { name: 'deciding', timeoutMs: 5000, [point]: decide };
}

const hasResult = (request: ModelRequest): boolean => JSON.stringify(request.messages).includes('tool_result');
const reply = (request: ModelRequest) => (hasResult(request) ? say('answer') : call('act', { n: 1 }));

async function play(point: HookPoint, outcome: Outcome, list: 'guardrails' | 'hooks') {
  const clock = manualClock();
  const late = Promise.withResolvers<void>();
  const act = recordingTool({ name: 'act', effect: 'once' });
  const model = scriptedModel([reply, reply, reply, reply]);
  const scene = await sessionScene({
    model,
    tools: [act],
    clock,
    binding: { [list]: [decidingHook(point, outcome, late.promise)] },
  });
  const turnId = await scene.start('go');
  if (outcome === 'abort') {
    await scene.until(({ type }) => type === 'hook.started');
    await scene.runtime.interruptTurn({ sessionId: scene.sessionId, turnId });
  } else if (outcome === 'timeout') {
    await clock.whenSleeping();
    await clock.advance(5000);
  } else if (outcome === 'ask' && point === 'preToolCall') {
    await answerHook(scene);
  }
  const record = await scene.ended(turnId);
  late.resolve();
  await late.promise;
  const seen = await seenOf(scene, record);
  return { seen: { ...seen, requests: model.requests.length, ran: act.calls.map(({ input }) => input) }, scene, model };
}

/** The question is the hook's, and can be allowed for this once only. */
async function answerHook(scene: Scene): Promise<void> {
  const opened = await scene.until(({ type }) => type === 'callback.opened');
  if (opened.type !== 'callback.opened' || opened.callback.type !== 'approval') throw new Error('no approval');
  const { id: callbackId, request } = opened.callback;
  expect(request).toMatchObject({ source: 'hook', reason: 'so the hook says' });
  expect(request.sessionRule).toBeUndefined();
  const { sessionId, runtime } = scene;
  const forSession = { sessionId, callbackId, answer: { type: 'allow', scope: 'session' } } as const;
  await expect(runtime.answerCallback(forSession)).rejects.toMatchObject({ code: 'answer.unfit' });
  await runtime.answerCallback({ sessionId, callbackId, answer: { type: 'allow', scope: 'once' } });
}

async function seenOf(scene: Scene, record: TurnRecord): Promise<Pick<Seen, 'end' | 'text' | 'outcome'>> {
  const how =
    record.type === 'completed'
      ? record.stopReason
      : record.type === 'interrupted'
        ? record.cause
        : record.type === 'failed'
          ? record.error.code
          : '';
  const completed = (await scene.events()).find((event) => event.type === 'tool.completed');
  const outcome = completed?.type === 'tool.completed' ? { outcome: completed.outcome } : {};
  return { end: `${record.type} ${how}`, text: 'text' in record ? record.text : '', ...outcome };
}

describe.each(hookPoints)('at %s', (point) => {
  test.each(outcomes)('%s has its effect, from a hook and from a guardrail', async (outcome) => {
    const expected = table[point][outcome] ?? table[point].failure;
    const byHook = await play(point, outcome, 'hooks');
    expect(byHook.seen).toEqual(expected);
    const byGuardrail = await play(point, outcome, 'guardrails');
    expect(byGuardrail.seen).toEqual(expected);
    const completed = (await byHook.scene.events()).filter((event) => event.type === 'hook.completed');
    const decided = completed[0]?.type === 'hook.completed' ? completed[0].outcome['type'] : undefined;
    const isFailure = table[point][outcome] === undefined;
    const type = outcome === 'abort' ? 'interrupted' : outcome === 'replace' ? 'continue' : outcome;
    expect(decided).toBe(isFailure ? 'failed' : type);
  });

  test('a failure names the hook and the point, and what was to be judged goes no further', async () => {
    const { scene, model } = await play(point, 'throw', 'hooks');
    const log = JSON.stringify(await scene.events());
    expect(log).toContain('the hook \\"deciding\\"');
    if (point === 'preToolCall' || point === 'postToolCall') {
      expect(JSON.stringify(model.requests[1]?.messages)).toContain('the hook \\"deciding\\" threw: no luck');
      return;
    }
    const ended = (await scene.events()).find((event) => event.type === 'turn.ended');
    expect(ended).toMatchObject({ record: { error: { code: 'hook.failed', data: { hook: 'deciding', point } } } });
  });
});

describe('what hooks put in place', () => {
  test('is what the model sees of the user, of a result and of its own answer, in later turns too', async () => {
    const hook: LoopHook = {
      name: 'mask',
      preAgentTurn: (_context, { userContent }) => {
        expect(userContent).toEqual([{ type: 'text', text: 'my number is 0815' }]);
        return continueWith({ userContent: 'my number is [hidden]' });
      },
      postToolCall: (_context, { toolId, arguments: args, result }) => {
        expect({ toolId, args, content: result.content }).toEqual({
          toolId: 'client.act',
          args: { n: 1 },
          content: [{ type: 'text', text: 'raw 4711' }],
        });
        return continueWith({ result: 'cooked' });
      },
      postAgentTurn: () => continueWith({ text: 'a better answer' }),
    };
    const act = recordingTool({ name: 'act', effect: 'none', results: ['raw 4711'] });
    const model = scriptedModel([call('act', { n: 1 }), say('a raw answer'), say('later')]);
    const only: LoopHook = { name: 'only-once', preAgentTurn: () => undefined };
    const scene = await sessionScene({ model, tools: [act], binding: { hooks: [hook, only] } });
    expect(await scene.run('my number is 0815')).toMatchObject({ type: 'completed', text: 'a better answer' });
    const asked = JSON.stringify(model.requests);
    expect(asked).toContain('[hidden]');
    expect(asked).toContain('cooked');
    expect(asked).not.toMatch(/0815|4711/);
    expect(JSON.stringify(await scene.events())).not.toContain('4711');
    const plain = scene.runtime.bind({ ...scene.binding, hooks: [{ ...hook, preAgentTurn: () => undefined }, only] });
    const later = await scene.start('go on', { bindingId: plain });
    await scene.ended(later);
    const last = JSON.stringify(model.requests.at(-1));
    expect(last).toContain('a better answer');
    expect(last).not.toMatch(/0815|a raw answer/);
  });

  test('is checked and judged anew: no rewritten call passes a deny rule, or arguments that do not fit', async () => {
    const act = recordingTool({
      name: 'act',
      effect: 'once',
      input: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
      ruleContent: 'path',
      access: ({ path }) => ({ writes: [JSON.stringify(path).replaceAll('"', '')] }),
    });
    const rewritten = async (args: JsonObject) => {
      const model = scriptedModel([call('act', { path: 'a.txt' }), say('done')]);
      const hook: LoopHook = { name: 'rewriting', preToolCall: () => continueWith({ arguments: args }) };
      const scene = await sessionScene({ model, tools: [act], binding: { hooks: [hook] } });
      const { compilePolicy } = await import('../permission/compile-policy.ts');
      const policy = compilePolicy({
        directories: ['/work'],
        tools: [act],
        allowedTools: ['act'],
        disallowedTools: ['act(secret.txt)'],
      });
      const bindingId = scene.runtime.bind({ ...scene.binding, policy });
      await scene.ended(await scene.start('go', { bindingId }));
      return JSON.stringify(model.requests[1]?.messages);
    };
    expect(await rewritten({ path: 'b.txt' })).toContain('"ok"');
    expect(await rewritten({ path: 'secret.txt' })).toContain('denied by');
    expect(await rewritten({ path: 7 })).toContain('put arguments in place that do not fit: path');
    expect(act.calls.map(({ input }) => input)).toEqual([{ path: 'b.txt' }]);
  });
});

describe('order', () => {
  test('guardrails come before all hooks, and once one stops a call, nothing after it runs', async () => {
    const order: string[] = [];
    const named = (name: string, stops: boolean): LoopHook => ({
      name,
      preLlmCall: () => void order.push(`${name} model`),
      preToolCall: () => {
        order.push(`${name} tool`);
        return stops ? skip('stopped here') : undefined;
      },
    });
    const act = recordingTool({ name: 'act', effect: 'once' });
    const model = scriptedModel([call('act', { n: 1 }), say('done')]);
    const hooks = [named('third', false), named('fourth', false)];
    const guardrails = [named('first', false), named('second', true)];
    const scene = await sessionScene({ model, tools: [act], binding: { hooks, guardrails } });
    await scene.run('go');
    const atModel = ['first', 'second', 'third', 'fourth'].map((name) => `${name} model`);
    expect(order).toEqual([...atModel, 'first tool', 'second tool', ...atModel]);
    expect(act.calls).toEqual([]);
    expect(JSON.stringify(model.requests[1]?.messages)).toContain('stopped here');
  });

  test('calls of one step have their hooks in a log where each comes after its call was requested', async () => {
    const waits: (() => void)[] = [];
    const hook: LoopHook = {
      name: 'slow',
      async preToolCall(context) {
        const { count = 0 } = (context.state?.value ?? {}) as { count?: number };
        await new Promise<void>((resolve) => (count === 0 ? waits.push(resolve) : setImmediate(resolve)));
        context.keep({ type: 'count', value: { count: count + 1 } });
      },
    };
    const look = recordingTool({ name: 'look', effect: 'none' });
    const model = scriptedModel([[1, 2, 3, 4].map((n) => call('look', { n })), say('done')]);
    const scene = await sessionScene({ model, tools: [look], binding: { hooks: [hook] } });
    const turnId = await scene.start('go');
    await scene.until(({ type }) => type === 'hook.started');
    waits[0]?.();
    await scene.ended(turnId);
    const events = await scene.events();
    const order = events.flatMap((event) =>
      'callId' in event && event.callId !== undefined ? [`${event.type} ${event.callId}`] : [],
    );
    for (const callId of new Set(events.flatMap((event) => (event.type === 'tool.requested' ? [event.callId] : [])))) {
      const own = order.filter((line) => line.endsWith(callId)).map((line) => line.split(' ')[0]);
      expect(own).toEqual([
        'tool.requested',
        'hook.started',
        'hook.completed',
        'tool.decided',
        'tool.started',
        'tool.completed',
      ]);
    }
    const last = events.findLast((event) => event.type === 'hook.completed');
    expect(last).toMatchObject({ state: { type: 'count', value: { count: 4 } } });
  });
});

describe('retries', () => {
  test.each([
    [undefined, 3],
    [0, 0],
    [1, 1],
  ])('with a limit of %s end after %i', async (hookRetries, retries) => {
    const hook: LoopHook = { name: 'never-content', postLlmCall: (_context, { text }) => retry(`not "${text}"`) };
    const usage = { inputTokens: 7, outputTokens: 3 };
    const model = scriptedModel(
      Array.from({ length: retries + 1 }, (_, index) => say(`try ${index}`)),
      { usage },
    );
    const binding = { hooks: [hook], ...(hookRetries === undefined ? {} : { hookRetries }) };
    const scene = await sessionScene({ model, binding });
    const record = await scene.run('go');
    expect(record).toMatchObject({
      type: 'failed',
      text: '',
      error: { code: 'hook.retries_exhausted', data: { hook: 'never-content', feedback: `not "try ${retries}"` } },
    });
    expect('usage' in record ? record.usage.map(({ inputTokens }) => inputTokens) : []).toEqual(
      Array.from({ length: retries + 1 }, () => 7),
    );
    const discarded = (await scene.events()).filter((event) => event.type === 'entry.discarded');
    expect(discarded.map((event) => ('reason' in event ? event.reason : ''))).toEqual(
      Array.from({ length: retries + 1 }, () => 'hook_retried'),
    );
    model.assertDone();
  });

  test('tell the model the feedback, and not what was dropped', async () => {
    const hook: LoopHook = {
      name: 'short',
      postLlmCall: (_context, { text }) => (text.length > 10 ? retry('Say it in ten letters.') : undefined),
    };
    const model = scriptedModel([say('far too many words'), say('short')]);
    const scene = await sessionScene({ model, binding: { hooks: [hook] } });
    expect(await scene.run('go')).toMatchObject({ type: 'completed', text: 'short' });
    const asked = JSON.stringify(model.requests[1]?.messages);
    expect(asked).toContain('Say it in ten letters.');
    expect(asked).not.toContain('far too many words');
  });
});

describe('the context', () => {
  test('gives what is the same for every run of one place, and writes it down', async () => {
    const given: unknown[] = [];
    const hook: LoopHook = {
      name: 'by-chance',
      preAgentTurn(context: HookContext) {
        given.push([context.now(), context.uuid(), context.uuid(), context.random()]);
      },
    };
    const clock = manualClock();
    const scene = await sessionScene({ model: scriptedModel([say('done')]), clock, binding: { hooks: [hook] } });
    await scene.run('go');
    const completed = (await scene.events()).find((event) => event.type === 'hook.completed');
    const [now, first, second, random] = given[0] as [number, string, string, number];
    expect(now).toBe(clock.now());
    expect(first).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(second).not.toBe(first);
    expect(random).toBeGreaterThanOrEqual(0);
    expect(random).toBeLessThan(1);
    expect(completed).toMatchObject({ outcome: { type: 'continue', now, uuids: [first, second], randoms: [random] } });
  });

  test('keeps a state over turns and forgets it again; what is kept too late, or by a failure, is not', async () => {
    const found: unknown[] = [];
    let turns = 0;
    const hook: LoopHook = {
      name: 'counting',
      preAgentTurn(context: HookContext) {
        found.push(context.state);
        turns += 1;
        context.keep(turns === 3 ? undefined : { type: 'count', value: { turns } });
        if (turns === 4) throw new Error('no luck');
        if (turns === 1) setImmediate(() => context.keep({ type: 'count', value: 'too late' }));
      },
    };
    const steps = Array.from({ length: 4 }, () => say('done'));
    const scene = await sessionScene({ model: scriptedModel(steps), binding: { hooks: [hook] } });
    for (let turn = 0; turn < 5; turn += 1) {
      await scene.run('go');
      await new Promise(setImmediate);
    }
    expect(found).toEqual([
      undefined,
      { type: 'count', value: { turns: 1 } },
      { type: 'count', value: { turns: 2 } },
      undefined,
      undefined,
    ]);
  });
});
