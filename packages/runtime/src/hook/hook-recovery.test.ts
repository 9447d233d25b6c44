import type { AnyEvent } from '@rondo/protocol';
import { describe, expect, test } from 'vitest';
import { createMemoryStore } from '../event/memory-store.ts';
import type { ModelRequest } from '../model/model.ts';
import { interceptAppends } from '../testing/intercept-appends.ts';
import { recordingTool } from '../testing/recording-tool.ts';
import { scriptedModel } from '../testing/scripted-model.ts';
import { call, say } from '../testing/scripted-step.ts';
import { sessionScene, storeAfterCrash, type Scene } from '../testing/session-scene.ts';
import { ask, continueWith, retry, skip } from './hook-decision.ts';
import type { HookContext, LoopHook } from './loop-hook.ts';

interface Run {
  readonly point: string;
  readonly now: number;
  readonly uuid: string;
}

/** Changes something at every point, counts its runs in what it keeps, and is told its chance by its context. */
function busyHook(runs: Run[]): LoopHook {
  const count = (context: HookContext): void => {
    runs.push({ point: context.point, now: context.now(), uuid: context.uuid() });
    const before = (context.state?.value ?? 0) as number;
    context.keep({ type: 'runs', value: before + 1 });
  };
  return {
    name: 'busy',
    preAgentTurn(context) {
      count(context);
      return continueWith({ userContent: 'go, masked' });
    },
    preLlmCall: count,
    postLlmCall(context, { text }) {
      count(context);
      return text === 'draft' ? retry('write it out') : undefined;
    },
    preToolCall(context, { arguments: args }) {
      count(context);
      if (args['n'] === 3) return skip('not three');
      return continueWith({ arguments: { ...args, checked: true } });
    },
    postToolCall(context) {
      count(context);
      return continueWith({ result: 'cooked' });
    },
    postAgentTurn(context, { text }) {
      count(context);
      return continueWith({ text: `${text}!` });
    },
  };
}

const written = (request: ModelRequest): string => JSON.stringify(request.messages);

/** Where the story is depends on nothing but the conversation. */
const reply = (request: ModelRequest) => {
  if (!written(request).includes('tool_result')) return [1, 2, 3].map((n) => call(n === 2 ? 'look' : 'act', { n }));
  return written(request).includes('write it out') ? say('done') : say('draft');
};

async function story(options: { store: Scene['store']; runs: Run[] }, sessionId?: string) {
  const act = recordingTool({ name: 'act', effect: 'once' });
  const look = recordingTool({ name: 'look', effect: 'none' });
  const scene = await sessionScene(
    {
      model: scriptedModel(Array.from({ length: 6 }, () => reply)),
      tools: [act, look],
      store: options.store,
      binding: { hooks: [busyHook(options.runs)] },
    },
    sessionId,
  );
  return { scene, act, look };
}

/** The last event of each write of a whole run. */
async function wholeStory() {
  const writes: number[] = [];
  const runs: Run[] = [];
  const store = interceptAppends(createMemoryStore(), (events) => {
    writes.push(events.at(-1)?.seq ?? 0);
    return Promise.resolve();
  });
  const { scene, act } = await story({ store, runs });
  const record = await scene.run('go');
  return { scene, act, record, writes, runs };
}

const whole = await wholeStory();

describe('a turn with hooks', () => {
  test('is what they made of it', async () => {
    expect(whole.record).toMatchObject({ type: 'completed', text: 'done!' });
    expect(whole.act.calls.map(({ input }) => input)).toEqual([{ n: 1, checked: true }]);
    expect(whole.runs.map(({ point }) => point)).toEqual([
      'preAgentTurn',
      'preLlmCall',
      'postLlmCall',
      'preToolCall',
      'postToolCall',
      'preToolCall',
      'postToolCall',
      'preToolCall',
      'preLlmCall',
      'postLlmCall',
      'preLlmCall',
      'postLlmCall',
      'postAgentTurn',
    ]);
    expect(whole.writes.length).toBeGreaterThan(20);
  });

  test.each(whole.writes.filter((seq) => seq > 2).map((seq) => [seq]))(
    'cut off behind event %i goes on: what was decided is not decided again, what is kept is whole',
    async (seq) => {
      const { sessionId } = whole.scene;
      const store = await storeAfterCrash(whole.scene.store, sessionId, (event) => event.seq <= seq);
      const before = (await whole.scene.events()).filter((event) => event.seq <= seq);
      const runs: Run[] = [];
      const { scene, act } = await story({ store, runs }, sessionId);
      const { bindingId, runtime } = scene;
      const opened = await runtime.openSession({ sessionId, bindingId, unfinished: 'continue' });
      if (opened.openTurnId !== undefined) await scene.ended(opened.openTurnId);
      const events = await scene.events();
      const record = events.findLast((event) => event.type === 'turn.ended');
      expect(record).toMatchObject({ record: { type: 'completed', text: 'done!' } });

      const completed = completions(events);
      for (const [hookId, times] of completed) {
        // The result of a call that ran again is another result.
        if (!hookId.startsWith('postToolCall/')) expect([hookId, times]).toEqual([hookId, 1]);
      }
      const total = [...completed.values()].reduce((sum, times) => sum + times, 0);
      expect(events.findLast((event) => event.type === 'hook.completed')).toMatchObject({ state: { value: total } });
      expect(runs).toHaveLength(total - [...completions(before).values()].reduce((sum, times) => sum + times, 0));

      const started = before.some((event) => event.type === 'tool.started' && event.name === 'act');
      expect(act.calls).toHaveLength(started ? 0 : 1);
      assertSameChance(events);
    },
  );

  test('a run that was cut off meets the same time and chance again', async () => {
    const { sessionId } = whole.scene;
    const events = await whole.scene.events();
    const started = events.find((event) => event.type === 'hook.started' && event.event === 'preToolCall');
    const store = await storeAfterCrash(whole.scene.store, sessionId, (event) => event.seq <= (started?.seq ?? 0));
    const runs: Run[] = [];
    const { scene } = await story({ store, runs }, sessionId);
    const { bindingId, runtime } = scene;
    const opened = await runtime.openSession({ sessionId, bindingId, unfinished: 'continue' });
    await scene.ended(opened.openTurnId ?? '');
    const first = whole.runs.find(({ point }) => point === 'preToolCall');
    expect(runs[0]).toEqual(first);
  });
});

/** How often each run was completed. */
function completions(events: readonly AnyEvent[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const event of events) {
    if (event.type !== 'hook.completed') continue;
    counts.set(event.hookId, (counts.get(event.hookId) ?? 0) + 1);
  }
  return counts;
}

/** Every completed run says the time of its first start. */
function assertSameChance(events: readonly AnyEvent[]): void {
  const startedAt = new Map<string, number>();
  for (const event of events) {
    if (event.type === 'hook.started' && !startedAt.has(event.hookId)) {
      startedAt.set(event.hookId, Date.parse(event.at));
    }
    if (event.type === 'hook.completed' && !event.hookId.startsWith('postToolCall/')) {
      expect(event.outcome['now']).toBe(startedAt.get(event.hookId));
    }
  }
}

describe('a session whose binding had a hook', () => {
  test('is not opened where that hook is missing, and its turn is parked where another thing is', async () => {
    const { sessionId } = whole.scene;
    const store = await storeAfterCrash(whole.scene.store, sessionId, (event) => event.type !== 'turn.ended');
    const act = recordingTool({ name: 'act', effect: 'once' });
    const look = recordingTool({ name: 'look', effect: 'none' });
    const model = scriptedModel([]);
    const without = await sessionScene({ model, tools: [act, look], store }, sessionId);
    const where = { sessionId, bindingId: without.bindingId };
    await expect(without.runtime.openSession({ ...where, unfinished: 'continue' })).rejects.toMatchObject({
      code: 'session.config_mismatch',
      details: { missing: ['hook "busy"'] },
    });
    const created = (await without.events())[0];
    expect(created).toMatchObject({ binding: { hooks: ['busy'] } });
  });

  test('forks with what its hooks kept', async () => {
    const { runtime, sessionId, bindingId } = whole.scene;
    const fork = await runtime.forkSession({ sessionId, bindingId });
    const events: AnyEvent[] = [];
    for await (const event of whole.scene.store.read(fork.sessionId)) events.push(event);
    const states = events.flatMap((event) => (event.type === 'hook.completed' ? [event.state?.value] : []));
    expect(states.at(-1)).toBe(whole.runs.length);
  });
});

describe('a question that a hook raised', () => {
  test('waits under its ID for the next owner, where its answer counts for the rewritten arguments', async () => {
    const hooks = (): LoopHook[] => [
      { name: 'rewriting', preToolCall: () => continueWith({ arguments: { n: 2 } }) },
      { name: 'asking', preToolCall: (_context, { arguments: { n } }) => ask(`is ${JSON.stringify(n)} right?`) },
    ];
    const first = await sessionScene({
      model: scriptedModel([call('act', { n: 1 })]),
      tools: [recordingTool({ name: 'act', effect: 'once' })],
      binding: { hooks: hooks() },
    });
    const turnId = await first.start('go');
    const opened = await first.until(({ type }) => type === 'callback.opened');
    if (opened.type !== 'callback.opened' || opened.callback.type !== 'approval') throw new Error('no approval');
    expect(opened.callback.request).toMatchObject({ source: 'hook', input: { n: 2 }, reason: 'is 2 right?' });
    const store = await storeAfterCrash(first.store, first.sessionId);
    const act = recordingTool({ name: 'act', effect: 'once' });
    const never: LoopHook[] = hooks().map(({ name }) => ({
      name,
      preToolCall: () => Promise.reject(new Error('must not run again')),
    }));
    const scene = await sessionScene(
      { model: scriptedModel([say('done')]), tools: [act], store, binding: { hooks: never } },
      first.sessionId,
    );
    const { sessionId, bindingId, runtime } = scene;
    await runtime.openSession({ sessionId, bindingId, unfinished: 'continue' });
    const answer = { type: 'allow', scope: 'once' } as const;
    await runtime.answerCallback({ sessionId, callbackId: opened.callback.id, answer });
    expect(await scene.ended(turnId)).toMatchObject({ type: 'completed', text: 'done' });
    expect(act.calls.map(({ input }) => input)).toEqual([{ n: 2 }]);
  });

  test('is a denial where nobody attends the session', async () => {
    const act = recordingTool({ name: 'act', effect: 'once' });
    const scene = await sessionScene({
      model: scriptedModel([call('act', { n: 1 }), say('done')]),
      tools: [act],
      binding: { unattended: 'deny', hooks: [{ name: 'asking', preToolCall: () => ask('may it?') }] },
    });
    expect(await scene.run('go')).toMatchObject({ type: 'completed' });
    expect(act.calls).toEqual([]);
  });
});

test('a turn that its host leaves in the middle of a hook is gone on with by running the hook again', async () => {
  let runs = 0;
  const hook: LoopHook = {
    name: 'slow',
    preLlmCall: async () => {
      runs += 1;
      if (runs === 1) await new Promise<never>(() => {});
    },
  };
  const store = createMemoryStore();
  const first = await sessionScene({ model: scriptedModel([]), store, binding: { hooks: [hook] } });
  await first.start('go');
  await first.until(({ type }) => type === 'hook.started');
  const copy = await storeAfterCrash(store, first.sessionId);
  await first.runtime.close();
  const scene = await sessionScene(
    { model: scriptedModel([say('done')]), store: copy, binding: { hooks: [hook] } },
    first.sessionId,
  );
  const { sessionId, bindingId, runtime } = scene;
  const opened = await runtime.openSession({ sessionId, bindingId, unfinished: 'continue' });
  expect(await scene.ended(opened.openTurnId ?? '')).toMatchObject({ type: 'completed', text: 'done' });
  expect(runs).toBe(2);
});
