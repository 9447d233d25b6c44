import { describe, expect, test } from 'vitest';
import { ask, continueWith, reject, retry, skip } from '../hook/hook-decision.ts';
import { hookPoints, type HookPoint, type LoopHook } from '../hook/loop-hook.ts';
import { compilePolicy } from '../permission/compile-policy.ts';
import { defineSessionInput } from '../tool/session-input.ts';
import { call, say, scriptedModel } from '../testing/index.ts';
import { recordingTool } from '../testing/recording-tool.ts';
import { sessionScene, type Scene, type SceneOptions } from '../testing/session-scene.ts';
import { sha256 } from '../testing/temporary-binding.ts';
import { agentOf, treeScene } from '../testing/tree-scene.ts';
import type { Binding } from '../turn/binding.ts';
import { replaySession } from './replay-session.ts';

const look = recordingTool({ name: 'look', effect: 'none' });
const write = recordingTool({ name: 'write', effect: 'once' });
const tools = [look, write];

type Hooks = Pick<Binding, 'guardrails' | 'hooks'>;

/** A turn that looks, writes and answers, under these hooks. */
async function recorded(hooks: Hooks, options: Partial<SceneOptions> = {}): Promise<Scene> {
  const { binding, ...rest } = options;
  const scene = await sessionScene({
    model: scriptedModel([call('look', { at: 'a' }, 'c1'), call('write', { to: 'x' }, 'c2'), say('done'), say('more')]),
    tools,
    binding: { ...hooks, ...binding },
    ...rest,
  });
  await scene.run('go');
  return scene;
}

async function replayed(scene: Scene, today: Partial<Binding>) {
  const { sessionId, store, binding } = scene;
  const events = await scene.events();
  const readBlob = (hash: string) => store.blobs(sessionId).read(hash);
  const { guardrails: _guardrails, hooks: _hooks, ...rest } = binding;
  const report = await replaySession({
    sessionId,
    events,
    readBlob,
    sha256,
    mode: 'behavioural',
    binding: { ...rest, ...today },
  });
  expect(report.divergence).toBeUndefined();
  expect(await scene.events()).toEqual(events);
  const notes = report.notes.filter((note) => !note.startsWith('the system prompt'));
  return { ...report, notes };
}

/** What differs, in few words. */
async function changes(scene: Scene, today: Partial<Binding>) {
  const { hookChanges } = await replayed(scene, today);
  return hookChanges.map((change) => ({
    hook: `${change.point} ${change.hook}`,
    was: change.recorded?.type,
    is: change.today?.type,
    reason: change.reason,
  }));
}

const passing = (name: string): LoopHook => ({
  name,
  ...Object.fromEntries(hookPoints.map((point) => [point, () => {}])),
});
const at = (name: string, point: HookPoint, decide: () => unknown): LoopHook => ({ ...passing(name), [point]: decide });

/** What stops, and what puts something in place, where a point knows that. */
const stops: Readonly<Record<HookPoint, (words: string) => unknown>> = {
  preAgentTurn: skip,
  preLlmCall: skip,
  postLlmCall: reject,
  preToolCall: skip,
  postToolCall: (words) => continueWith({ result: words }),
  postAgentTurn: (words) => continueWith({ text: words }),
};

describe.each(hookPoints)('of several hooks at %s', (point) => {
  const three = (second: LoopHook): Hooks => ({ guardrails: [passing('first')], hooks: [second, passing('third')] });

  test('those that decide as they did are no change, whoever is new or gone and lets everything pass', async () => {
    const scene = await recorded(three(passing('second')));
    expect(await replayed(scene, three(passing('second')))).toMatchObject({ hookChanges: [], changes: [], notes: [] });
    const { hookChanges, hookRuns, notes } = await replayed(scene, { hooks: [passing('second'), passing('fourth')] });
    expect(hookChanges).toEqual([]);
    // Of three hooks, one ran at every place of then, and one that is new.
    expect(hookRuns).toBeGreaterThan(0);
    expect(notes).toEqual([
      'the hook "first" is gone today',
      'the hook "third" is gone today',
      'the hook "fourth" is new today',
    ]);
  });

  test('one that stops today what it let pass is told, and so is a new one', async () => {
    const scene = await recorded(three(passing('second')));
    const is = point.startsWith('post') && point !== 'postLlmCall' ? 'continue' : stopType(point);
    const changed = await changes(scene, three(at('second', point, () => stops[point]('not so'))));
    expect(changed.length).toBeGreaterThan(0);
    for (const change of changed)
      expect(change).toEqual({ hook: `${point} second`, was: 'continue', is, reason: 'differs' });
    const added = await changes(scene, {
      ...three(passing('second')),
      guardrails: [at('newcomer', point, () => stops[point]('not so')), passing('first')],
    });
    expect(added.length).toBe(changed.length);
    for (const change of added)
      expect(change).toEqual({ hook: `${point} newcomer`, was: undefined, is, reason: 'new' });
  });

  test('one that throws, returns what is no decision or is late today counts as it would in a turn', async () => {
    const scene = await recorded(three(passing('second')));
    for (const [decide, failure, reason] of [
      [() => Promise.reject(new Error('no luck')), 'threw', 'threw: no luck'],
      [() => ({ type: 'continue' }), 'foreign', 'returned an object, which is no decision'],
      [() => new Promise(() => {}), 'timeout', 'had not decided after 1 ms'],
    ] as const) {
      const { hookChanges } = await replayed(scene, three({ ...at('second', point, decide), timeoutMs: 1 }));
      const [first] = hookChanges;
      expect(first).toMatchObject({ point, hook: 'second', today: { type: 'failed', failure, reason } });
    }
  });

  test('what one decided that decides otherwise today, in other words, or is gone is told', async () => {
    const scene = await recorded(three(at('second', point, () => stops[point]('not so'))));
    const same = await replayed(scene, three(at('second', point, () => stops[point]('not so'))));
    expect(same.hookChanges).toEqual([]);
    const gone = await changes(scene, { guardrails: [passing('first')], hooks: [passing('third')] });
    expect(gone[0]).toMatchObject({ hook: `${point} second`, is: undefined, reason: 'gone' });
    // What was dropped or replaced is not in the log, so that nobody can be asked about it again.
    if (point === 'postLlmCall' || point === 'postToolCall') {
      expect((await replayed(scene, three(passing('second')))).notes.join()).toMatch(/are not in the log/);
      return;
    }
    const [passed] = await changes(scene, three(passing('second')));
    expect(passed).toMatchObject({ hook: `${point} second`, is: 'continue', reason: 'differs' });
    const { hookChanges } = await replayed(scene, three(at('second', point, () => stops[point]('by no means'))));
    expect(hookChanges[0]).toMatchObject({ point, hook: 'second', reason: 'differs' });
    expect(JSON.stringify(hookChanges[0]?.recorded)).toContain('not so');
    expect(JSON.stringify(hookChanges[0]?.today)).toContain('by no means');
  });
});

const textIn = (value: unknown): string => (typeof value === 'string' ? value : '');

const stopType = (point: HookPoint): string => (point === 'postLlmCall' ? 'reject' : 'skip');

test('hooks behind one that stopped are heard today where it does not stop', async () => {
  const last = at('last', 'preToolCall', () => skip('nor I'));
  const scene = await recorded({ hooks: [at('strict', 'preToolCall', () => skip('not I')), last] });
  expect(await changes(scene, { hooks: [passing('strict'), last] })).toEqual([
    { hook: 'preToolCall strict', was: 'skip', is: 'continue', reason: 'differs' },
    { hook: 'preToolCall last', was: undefined, is: 'skip', reason: 'unreached' },
    { hook: 'preToolCall strict', was: 'skip', is: 'continue', reason: 'differs' },
    { hook: 'preToolCall last', was: undefined, is: 'skip', reason: 'unreached' },
  ]);
});

describe('a call', () => {
  const warden = at('warden', 'preToolCall', () => skip('stay here'));
  const policy = (given: object) => compilePolicy({ directories: ['/work'], tools, ...given });

  test('that a hook denied is judged by today’s policy where none denies it today', async () => {
    const scene = await recorded({ hooks: [warden] });
    const { changes: found, decisions } = await replayed(scene, { policy: policy({ allowedTools: ['look'] }) });
    expect(decisions).toBe(2);
    const was = { decision: 'deny', reasonType: 'hook', source: 'warden', reason: 'stay here' };
    expect(found).toMatchObject([
      { tool: 'look', recorded: was, today: { decision: 'allow', rule: 'look' } },
      { tool: 'write', recorded: was, today: { decision: 'ask' } },
    ]);
    const denying = await replayed(scene, { policy: policy({ allowedTools: ['look'], disallowedTools: ['write'] }) });
    expect(denying.changes).toMatchObject([{ tool: 'look' }]);
    expect(denying.hookChanges).toMatchObject([{ reason: 'gone' }, { reason: 'gone' }]);
  });

  test('that the policy allowed is denied where a hook denies it today', async () => {
    const scene = await recorded({});
    const was = { decision: 'allow', rule: 'look' };
    const is = { decision: 'deny', reasonType: 'hook', source: 'warden', reason: 'stay here' };
    const { changes: found } = await replayed(scene, { hooks: [warden] });
    expect(found).toMatchObject([{ recorded: was, today: is }, { today: is }]);
    const asking = await replayed(scene, { hooks: [at('warden', 'preToolCall', () => ask('sure?'))] });
    expect(asking.changes).toMatchObject([
      { recorded: was, today: { decision: 'ask', reasonType: 'hook', reason: 'sure?' } },
      { tool: 'write' },
    ]);
  });

  test('is judged with what today’s hooks make of its arguments, each told what those before it did', async () => {
    const put = (name: string, change: (input: Readonly<Record<string, unknown>>) => object): LoopHook => ({
      name,
      preToolCall: (_context, { arguments: input }) =>
        continueWith({ arguments: { ...input, ...change(input) } as never }),
    });
    const guarded = recordingTool({
      name: 'write',
      ruleContent: 'path',
      access: ({ to }) => ({ writes: [textIn(to)] }),
    });
    const both = [look, guarded];
    const scene = await recorded({ hooks: [put('aside', () => ({ to: '/work/a' }))] }, { tools: both });
    const rules = compilePolicy({
      directories: ['/work'],
      tools: both,
      allowedTools: ['look', 'write'],
      disallowedTools: ['write(//work/b/c)'],
    });
    const away = put('aside', () => ({ to: '/work/b' }));
    const below = put('below', ({ to }) => ({ to: `${textIn(to)}/c` }));
    const { changes: found, hookChanges } = await replayed(scene, { policy: rules, hooks: [away, below] });
    expect(found).toMatchObject([{ tool: 'write', recorded: { decision: 'allow' }, today: { decision: 'deny' } }]);
    expect(hookChanges.filter(({ tool }) => tool === 'write')).toMatchObject([
      { hook: 'aside', recorded: { put: { to: '/work/a' } }, today: { put: { to: '/work/b' } } },
      { hook: 'below', reason: 'new', today: { put: { to: '/work/b/c' } } },
    ]);
    expect(
      (await replayed(scene, { policy: rules, hooks: [put('aside', () => ({ to: '/work/a' }))] })).changes,
    ).toEqual([]);
  });

  test('whose arguments a hook makes unfit today is denied', async () => {
    const strict = recordingTool({
      name: 'write',
      input: { type: 'object', properties: { to: { type: 'string' } }, required: ['to'] },
    });
    const scene = await recorded({}, { tools: [look, strict] });
    const breaking = at('breaking', 'preToolCall', () => continueWith({ arguments: { to: 1 } }));
    const { changes: found } = await replayed(scene, { hooks: [breaking] });
    expect(found).toMatchObject([
      {
        tool: 'write',
        today: { decision: 'deny', source: 'breaking', reason: expect.stringMatching(/do not fit/) as string },
      },
    ]);
  });
});

test.each([
  [{ type: 'answer', decision: 'allow' }, true],
  [{ type: 'answer', updatedInput: {} }, true],
  [{ type: 'failed', failure: 'threw', message: 'threw: no luck' }, true],
  [{ type: 'answer', systemMessage: 'hello' }, false],
])('a call that a hook of an event had a say in is not judged anew: %j', async (outcome, isLeft) => {
  const { store, sessionId, binding, ...scene } = await recorded({});
  const log = await scene.events();
  const place = log.findIndex(({ type }) => type === 'tool.decided');
  const decided = log[place];
  if (decided?.type !== 'tool.decided') throw new Error('nothing is decided');
  const { seq, id, at: time, turnId, callId } = decided;
  const name = 'PreToolUse/program/0';
  const run = { hookId: `PreToolUse/${callId}/${name}`, name, event: 'PreToolUse', outcome } as const;
  const told = { type: 'hook.completed', seq: seq - 0.5, id: `${id}.5`, at: time, sessionId, turnId, callId } as const;
  const policy = compilePolicy({ directories: ['/work'], tools, disallowedTools: ['look', 'write'] });
  const { changes: found, notes } = await replaySession({
    sessionId,
    events: log.toSpliced(place, 0, { ...told, ...run }),
    readBlob: (hash) => store.blobs(sessionId).read(hash),
    sha256,
    mode: 'behavioural',
    binding: { ...binding, policy },
  });
  expect(found.map(({ tool }) => tool)).toEqual(isLeft ? ['write'] : ['look', 'write']);
  expect(notes.some((note) => note.includes('hooks of events'))).toBe(isLeft);
});

test('hooks are given the clock, the chance, the inputs and the kept state of then', async () => {
  const region = defineSessionInput('region', {
    '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value: value ?? 'nowhere' }) },
  });
  const told: unknown[][] = [];
  const counting: LoopHook = {
    name: 'counting',
    inputs: { region },
    preToolCall(context, { toolName }) {
      const count = Number(context.state?.value ?? 0) + 1;
      context.keep({ type: 'count', value: count });
      told.push([toolName, count, context.now(), context.uuid(), context.random(), context.inputs['region']]);
    },
  };
  const scene = await recorded({ hooks: [counting] }, { session: { sessionInputs: { region: 'north' } } } as never);
  await scene.run('once more');
  const then = told.splice(0);
  expect(then).toHaveLength(2);
  expect(await replayed(scene, { hooks: [counting] })).toMatchObject({ hookChanges: [], hookRuns: 2 });
  expect(told).toEqual(then);
  // One that has begun to keep something goes on with what it keeps.
  const fresh = { ...counting, name: 'fresh' };
  told.length = 0;
  await replayed(scene, { hooks: [counting, fresh] });
  expect(told.map(([, count]) => count)).toEqual([1, 1, 2, 2]);
});

test('a hook that cannot have its input today fails, as in a turn', async () => {
  const region = defineSessionInput('region', {
    '~standard': { version: 1, vendor: 'test', validate: () => ({ issues: [{ message: 'is missing' }] }) },
  });
  const scene = await recorded({});
  const { hookChanges } = await replayed(scene, { hooks: [{ ...passing('needy'), inputs: { region } }] });
  expect(hookChanges[0]).toMatchObject({ hook: 'needy', today: { type: 'failed', failure: 'input' } });
});

test('each reply that a hook had asked for again is told where the hook is gone', async () => {
  let asked = 0;
  const choosy = at('choosy', 'postLlmCall', () => ((asked += 1) === 1 ? retry('shorter') : undefined));
  const scene = await recorded({ hooks: [choosy] });
  expect(await changes(scene, {})).toEqual([
    { hook: 'postLlmCall choosy', was: 'retry', is: undefined, reason: 'gone' },
  ]);
  const { notes, hookRuns } = await replayed(scene, { hooks: [{ name: 'choosy', postLlmCall: () => {} }] });
  expect(notes.join()).toContain('replies that hooks had dropped are not in the log');
  expect(hookRuns).toBeGreaterThan(1);
});

test('a subagent’s hooks and its root’s guardrails are judged in its session', async () => {
  const model = scriptedModel([call('look', { at: 'b' }), say('below')]);
  const scene = await treeScene({
    model: scriptedModel([call('agents.spawn', { agent: 'below', task: 'look' }), say('done')]),
    agents: [{ name: 'below', model, hooks: [passing('own')] }],
    tools: [look],
    allowed: ['agents.spawn', 'look'],
    binding: { guardrails: [passing('guard')], hooks: [passing('roots')] },
  });
  await scene.run('go');
  const [root, below] = await scene.sessionIds();
  const guard: LoopHook = {
    name: 'guard',
    preToolCall: (_context, { toolName }) => (toolName === 'look' ? skip('no looking') : undefined),
  };
  const own = at('own', 'postLlmCall', () => retry('again'));
  const today = {
    guardrails: [guard],
    hooks: [passing('roots')],
    subagents: [agentOf({ name: 'below', model, hooks: [own] })],
  };
  const { hookChanges, changes: found } = await replayed(scene, today);
  expect(hookChanges).toMatchObject([
    { sessionId: below, point: 'postLlmCall', hook: 'own' },
    { sessionId: below, point: 'preToolCall', hook: 'guard', tool: 'look' },
    { sessionId: below, point: 'postLlmCall', hook: 'own' },
  ]);
  expect(found).toMatchObject([{ sessionId: below, today: { source: 'guard' } }]);
  expect(root).not.toBe(below);
});
