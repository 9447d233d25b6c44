import type { AnyEvent } from '@rondo/protocol';
import { describe, expect, test } from 'vitest';
import { createMemoryStore } from '../event/memory-store.ts';
import type { ModelRequest } from '../model/model.ts';
import { type RecordedHookRun, recordingHook } from '../testing/event-hook.ts';
import { interceptAppends } from '../testing/intercept-appends.ts';
import { recordingTool } from '../testing/recording-tool.ts';
import { scriptedModel } from '../testing/scripted-model.ts';
import { call, say } from '../testing/scripted-step.ts';
import { type Scene, sessionScene, storeAfterCrash } from '../testing/session-scene.ts';
import type { EventHook } from './event-hook.ts';

/** Has something to say at every event of a turn. */
function busyHooks(runs: RecordedHookRun[]): EventHook[] {
  const context = (text: string) => ({ additionalContext: text });
  return [
    recordingHook('SessionStart', context('welcome'), { runs }),
    recordingHook('UserPromptSubmit', context('on main'), { runs, name: 'UserPromptSubmit/*/0' }),
    recordingHook('UserPromptSubmit', { systemMessage: 'hello' }, { runs, name: 'UserPromptSubmit/*/1' }),
    recordingHook('PreToolUse', ({ tool_input }) => rewrite(tool_input), { runs, name: 'PreToolUse/*/0' }),
    recordingHook('PreToolUse', context('checked'), { runs, name: 'PreToolUse/*/1' }),
    recordingHook('PermissionRequest', { decision: 'allow' }, { runs }),
    recordingHook('PostToolUse', { updatedToolOutput: 'cooked', additionalContext: 'formatted' }, { runs }),
    recordingHook('PostToolBatch', context('batch done'), { runs }),
    recordingHook('Stop', ({ stop_hook_active }) => (stop_hook_active === true ? {} : { decision: 'block' }), { runs }),
  ];
}

function rewrite(input: unknown) {
  const given = input as { readonly n: number };
  if (given.n === 3) return { decision: 'deny' as const, reason: 'not three' };
  return { decision: given.n === 2 ? ('allow' as const) : ('ask' as const), updatedInput: { ...given, checked: true } };
}

const written = (request: ModelRequest): string => JSON.stringify(request.messages);

/** Where the story is depends on nothing but the conversation. */
const reply = (request: ModelRequest) => {
  if (!written(request).includes('tool_result')) return [1, 2, 3].map((n) => call(n === 2 ? 'look' : 'act', { n }));
  return written(request).includes('Stop hook feedback') ? say('done') : say('draft');
};

async function story(options: { store: Scene['store']; runs: RecordedHookRun[] }, sessionId?: string) {
  const act = recordingTool({ name: 'act', effect: 'once' });
  const look = recordingTool({ name: 'look', effect: 'none' });
  const model = scriptedModel(Array.from({ length: 6 }, () => reply));
  const scene = await sessionScene(
    { model, tools: [act, look], allowed: [], store: options.store, binding: { eventHooks: busyHooks(options.runs) } },
    sessionId,
  );
  return { scene, act, look, model };
}

/** The last event of each write of a whole run. */
async function wholeStory() {
  const writes: number[] = [];
  const runs: RecordedHookRun[] = [];
  const store = interceptAppends(createMemoryStore(), (events) => {
    writes.push(events.at(-1)?.seq ?? 0);
    return Promise.resolve();
  });
  const { scene, act, model } = await story({ store, runs });
  const record = await scene.run('go');
  return { scene, act, record, writes, runs, request: written(model.requests.at(-1) as ModelRequest) };
}

const whole = await wholeStory();

const countOf = (text: string, part: string): number => text.split(part).length - 1;

function completions(events: readonly AnyEvent[]): Map<string, number> {
  const times = new Map<string, number>();
  for (const event of events)
    if (event.type === 'hook.completed') times.set(event.hookId, (times.get(event.hookId) ?? 0) + 1);
  return times;
}

describe('a turn with hooks at every event', () => {
  test('is what they made of it', () => {
    expect(whole.record).toMatchObject({ type: 'completed', text: 'done', stopReason: 'end_turn' });
    expect(whole.act.calls.map(({ input }) => input)).toEqual([{ n: 1, checked: true }]);
    expect(whole.runs.map(({ hook }) => hook)).toEqual([
      'SessionStart/*/0',
      'UserPromptSubmit/*/0',
      'UserPromptSubmit/*/1',
      'PreToolUse/*/0',
      'PreToolUse/*/1',
      'PermissionRequest/*/0',
      'PostToolUse/*/0',
      'PreToolUse/*/0',
      'PreToolUse/*/1',
      'PostToolUse/*/0',
      'PreToolUse/*/0',
      'PreToolUse/*/1',
      'PostToolBatch/*/0',
      'Stop/*/0',
      'Stop/*/0',
    ]);
    expect(countOf(whole.request, 'hook:\\nchecked')).toBe(3);
    expect(whole.writes.length).toBeGreaterThan(20);
  });

  test.each(whole.writes.filter((seq) => seq > 2).map((seq) => [seq]))(
    'cut off behind event %i goes on: what was decided is not decided again, and nothing is told twice',
    async (seq) => {
      const { sessionId } = whole.scene;
      const store = await storeAfterCrash(whole.scene.store, sessionId, (event) => event.seq <= seq);
      const before = (await whole.scene.events()).filter((event) => event.seq <= seq);
      const runs: RecordedHookRun[] = [];
      const { scene, act, model } = await story({ store, runs }, sessionId);
      const { bindingId, runtime } = scene;
      const opened = await runtime.openSession({ sessionId, bindingId, unfinished: 'continue' });
      if (opened.openTurnId !== undefined) await scene.ended(opened.openTurnId);
      const events = await scene.events();
      expect(events.findLast((event) => event.type === 'turn.ended')).toMatchObject({
        record: { type: 'completed', text: 'done' },
      });
      const completed = completions(events);
      for (const [hookId, times] of completed) {
        // The result of a call that ran again is another result.
        if (!hookId.startsWith('PostToolUse/')) expect([hookId, times]).toEqual([hookId, 1]);
      }
      const total = [...completed.values()].reduce((sum, times) => sum + times, 0);
      expect(runs).toHaveLength(total - [...completions(before).values()].reduce((sum, times) => sum + times, 0));
      const started = before.some((event) => event.type === 'tool.started' && event.name === 'act');
      expect(act.calls).toHaveLength(started ? 0 : 1);

      const request = model.requests.at(-1);
      if (request === undefined) return;
      const told = ['Context from SessionStart', 'Context from UserPromptSubmit', 'batch done', 'Stop hook feedback'];
      for (const words of told) expect([words, countOf(written(request), words)]).toEqual([words, 1]);
      expect(countOf(written(request), 'Context from PreToolUse')).toBe(3);
    },
  );
});

describe('what hooks decided of a call before a crash', () => {
  const play = async (store: Scene['store'], decision: 'allow' | 'deny', limit: number, sessionId?: string) => {
    const runs: RecordedHookRun[] = [];
    const input = { type: 'object', properties: { limit: { type: 'number', default: limit } } } as const;
    const act = recordingTool({ name: 'act', effect: 'once', input });
    const hook = recordingHook('PreToolUse', { decision }, { runs });
    const steps = sessionId === undefined ? [call('act'), say('done')] : [say('done')];
    const options = { model: scriptedModel(steps), tools: [act], allowed: [], store };
    const binding = { eventHooks: [hook], unattended: 'deny' as const };
    return { act, runs, scene: await sessionScene({ ...options, binding }, sessionId) };
  };

  test.each([
    ['counts for the same arguments', 1, [1]],
    ['counts for no others, which the hook is asked about', 2, []],
  ] as const)('%s', async (_name, limit, ran) => {
    const first = await play(createMemoryStore(), 'allow', 1);
    await first.scene.run('go');
    expect(first.act.calls.map(({ input }) => input['limit'])).toEqual([1]);
    const { sessionId, store } = first.scene;
    const decided = (await first.scene.events()).find((event) => event.type === 'hook.completed')?.seq ?? 0;
    const cut = await storeAfterCrash(store, sessionId, (event) => event.seq <= decided);
    const second = await play(cut, 'deny', limit, sessionId);
    const { bindingId, runtime } = second.scene;
    const opened = await runtime.openSession({ sessionId, bindingId, unfinished: 'continue' });
    await second.scene.ended(opened.openTurnId ?? '');
    expect(second.act.calls.map(({ input }) => input['limit'])).toEqual(ran);
    expect(second.runs).toHaveLength(limit === 1 ? 0 : 1);
  });
});
