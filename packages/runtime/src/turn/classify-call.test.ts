import type { AnyEvent } from '@rondo/protocol';
import { describe, expect, test } from 'vitest';
import { applyTreeEvent, emptyTreeState } from '../event/tree-state.ts';
import type { Classifier, ClassifierCall } from '../permission/classifier.ts';
import { compilePolicy } from '../permission/compile-policy.ts';
import { createModelClassifier } from '../permission/model-classifier.ts';
import { replaySession } from '../replay/replay-session.ts';
import { recordingTool } from '../testing/recording-tool.ts';
import { call, pauseUntil, say, scriptedModel, type ScriptedStep } from '../testing/index.ts';
import { sessionScene, storeAfterCrash, type Scene, type SceneOptions } from '../testing/session-scene.ts';
import { sha256 } from '../testing/temporary-binding.ts';
import { treeScene } from '../testing/tree-scene.ts';

const price = { input: 1_000_000, output: 0 };
const used = { inputTokens: 1, outputTokens: 0 };

type Setting = Partial<Omit<SceneOptions, 'model' | 'tools'>> & {
  readonly steps?: readonly ScriptedStep[];
  readonly classifier?: Classifier;
};

/** A session in the mode auto, whose model wants to build and then is done. */
async function autoScene({ steps, classifier, binding, ...rest }: Setting = {}, sessionId?: string) {
  const build = recordingTool({ name: 'build', effect: 'once' });
  const model = scriptedModel(steps ?? [call('build', { what: 'all' }), say('done')], { price, usage: used });
  const policy = compilePolicy({ directories: ['/work'], tools: [build], mode: 'auto', hasClassifier: true });
  const scene = await sessionScene(
    {
      model,
      tools: [build],
      binding: { policy, unattended: 'deny', ...(classifier && { classifier }), ...binding },
      ...rest,
    },
    sessionId,
  );
  return { scene, build, model };
}

/** Each request of this classifier costs two dollars. */
function payingClassifier(...steps: ScriptedStep[]) {
  const model = scriptedModel(steps, { name: 'small/model', price, usage: { inputTokens: 2, outputTokens: 3 } });
  return { model, classifier: createModelClassifier({ model }) };
}

type Classified = Extract<AnyEvent, { type: 'tool.classified' }>;
const classified = (events: readonly AnyEvent[]): Classified[] =>
  events.filter((event): event is Classified => event.type === 'tool.classified');

/** What the session has cost, by its log. */
async function costOf({ sessionId, events }: Scene): Promise<number> {
  const tree = emptyTreeState(sessionId);
  for (const event of await events()) applyTreeEvent(tree, event);
  return tree.root.totalCostUsd;
}

describe('what the classifier says', () => {
  test('is logged between the call and its decision, with what it was paid for', async () => {
    const { classifier } = payingClassifier(say('allow: it builds'));
    const { scene, build } = await autoScene({ classifier });
    const record = await scene.run('go');
    expect(build.calls).toHaveLength(1);
    const events = await scene.events();
    expect(classified(events)).toMatchObject([
      {
        name: 'build',
        decision: 'allow',
        reason: 'classifier: it builds',
        inputHash: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
        model: 'small/model',
        usage: { inputTokens: 2, outputTokens: 3 },
        costUsd: 2,
      },
    ]);
    const types = events.map(({ type }) => type).filter((type) => type.startsWith('tool.'));
    expect(types).toEqual(['tool.requested', 'tool.classified', 'tool.decided', 'tool.started', 'tool.completed']);
    expect(await costOf(scene)).toBe(1 + 2 + 1);
    if (record.type !== 'completed') throw new Error(record.type);
    expect(record.usage?.map(({ model, inputTokens }) => [model, inputTokens])).toEqual([
      ['scripted/model', 1],
      ['small/model', 2],
      ['scripted/model', 1],
    ]);
  });

  test('counts for the budget, which ends the turn as ever', async () => {
    const { classifier, model } = payingClassifier(say('allow: it builds'), say('allow: it builds'));
    const steps = [call('build', { what: 'a' }), call('build', { what: 'b' }), say('done')];
    const { scene, build } = await autoScene({ classifier, steps });
    const turnId = await scene.start('go', { limits: { maxBudgetUsd: 3 } });
    expect(await scene.ended(turnId)).toMatchObject({ terminalReason: 'budget_exhausted' });
    expect(await costOf(scene)).toBe(3);
    expect(build.calls).toHaveLength(1);
    expect(model.requests).toHaveLength(1);
  });

  test('is not asked for once the budget is spent, nor by a model whose price nobody knows', async () => {
    const { classifier, model } = payingClassifier(say('allow: it builds'));
    const steps = [[call('build', { what: 'a' }), call('build', { what: 'b' })], say('done')];
    const { scene, build } = await autoScene({ classifier, steps });
    const turnId = await scene.start('go', { limits: { maxBudgetUsd: 2.5 } });
    await scene.ended(turnId);
    expect(build.calls).toHaveLength(1);
    expect(model.requests).toHaveLength(1);
    expect(classified(await scene.events())).toMatchObject([
      { decision: 'allow' },
      { decision: 'ask', reason: expect.stringContaining('budget') as string },
    ]);

    const free = scriptedModel([say('allow: it builds')]);
    const other = await autoScene({ classifier: createModelClassifier({ model: free }) });
    await other.scene.ended(await other.scene.start('go', { limits: { maxBudgetUsd: 100 } }));
    expect(other.build.calls).toEqual([]);
    expect(free.requests).toEqual([]);
  });

  test('is counted where it came to no verdict', async () => {
    const { classifier } = payingClassifier(say('I would say yes'));
    const { scene, build } = await autoScene({ classifier });
    await scene.run('go');
    expect(await costOf(scene)).toBe(1 + 2 + 1);
    expect(build.calls).toEqual([]);
    expect(classified(await scene.events())).toMatchObject([{ decision: 'ask', costUsd: 2 }]);
  });

  test('is about a call without the secrets that the session knows', async () => {
    const seen: ClassifierCall[] = [];
    const classifier: Classifier = (shown) => {
      seen.push(shown);
      return Promise.resolve({ decision: 'allow', reason: 'it holds "quoted-secret-value"' });
    };
    const secret = 'quoted-secret-value';
    const steps = [call('build', { what: `x ${secret}` }), say('done')];
    const { scene } = await autoScene({ classifier, steps, binding: { secrets: [secret] } });
    await scene.run('go');
    expect(JSON.stringify(seen)).not.toContain(secret);
    expect(seen[0]?.input).toContain('[redacted]');
    expect(JSON.stringify(await scene.events())).not.toContain(secret);
  });

  test('comes too late when the turn is stopped: nothing runs, and no question stays open', async () => {
    const thinking = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    const { classifier } = payingClassifier(() => {
      asked.resolve();
      return [pauseUntil(thinking.promise), say('allow: it builds')];
    });
    const { scene, build } = await autoScene({ classifier, binding: { unattended: 'wait' } });
    const turnId = await scene.start('go');
    await asked.promise;
    await scene.runtime.interruptTurn({ sessionId: scene.sessionId, turnId });
    expect(await scene.ended(turnId)).toMatchObject({ type: 'interrupted' });
    thinking.resolve();
    expect(build.calls).toEqual([]);
    const events = (await scene.events()).map(({ type }) => type);
    expect(events.filter((type) => type === 'callback.opened')).toHaveLength(
      events.filter((type) => type === 'callback.resolved').length,
    );
  });
});

describe('after a crash', () => {
  const verdicts = { allow: 'allow: it builds', deny: 'deny: it harms', ask: 'ask: not sure' } as const;

  /** The session as another process finds it that was killed behind the verdict. */
  async function killedBehindVerdict(verdict: keyof typeof verdicts, unattended: 'wait' | 'deny') {
    const { classifier } = payingClassifier(say(verdicts[verdict]));
    const { scene } = await autoScene({ classifier, binding: { unattended } });
    const turnId = await scene.start('go');
    const past = verdict === 'ask' && unattended === 'wait' ? 'callback.opened' : 'turn.ended';
    await scene.until(({ type }) => type === past);
    const [last] = classified(await scene.events());
    const store = await storeAfterCrash(scene.store, scene.sessionId, ({ seq }) => seq <= (last?.seq ?? 0));
    const next = payingClassifier();
    const again = await autoScene(
      { classifier: next.classifier, store, steps: [say('done')], binding: { unattended } },
      scene.sessionId,
    );
    return { ...again, turnId, asked: next.model.requests };
  }

  test.each(['allow', 'deny', 'ask'] as const)(
    'a verdict %s that is in the log is not asked for again',
    async (verdict) => {
      const { scene, build, asked, turnId } = await killedBehindVerdict(verdict, 'deny');
      await scene.runtime.openSession({
        sessionId: scene.sessionId,
        bindingId: scene.bindingId,
        unfinished: 'continue',
      });
      expect(await scene.ended(turnId)).toMatchObject({ type: 'completed', text: 'done' });
      expect(await costOf(scene)).toBe(1 + 2 + 1);
      expect(asked).toEqual([]);
      expect(build.calls).toHaveLength(verdict === 'allow' ? 1 : 0);
      expect(classified(await scene.events())).toHaveLength(1);
    },
  );

  test('a question that it left is put without asking it again', async () => {
    const { scene, build, asked } = await killedBehindVerdict('ask', 'wait');
    await scene.runtime.openSession({ sessionId: scene.sessionId, bindingId: scene.bindingId, unfinished: 'continue' });
    const opened = await scene.until(({ type }) => type === 'callback.opened');
    expect(opened).toMatchObject({
      callback: { request: { reasonType: 'classifier', reason: 'classifier: not sure' } },
    });
    expect(asked).toEqual([]);
    expect(build.calls).toEqual([]);
  });
});

describe('a replay', () => {
  async function replayed(scene: Scene, mode: 'strict' | 'behavioural') {
    const readBlob = (hash: string) => scene.store.blobs(scene.sessionId).read(hash);
    return await replaySession({
      sessionId: scene.sessionId,
      events: await scene.events(),
      readBlob,
      sha256,
      mode,
      binding: scene.binding,
    });
  }

  test.each([
    ['allow: it builds', 'deny'],
    ['deny: it harms', 'deny'],
    ['ask: not sure', 'deny'],
    ['ask: not sure', 'wait'],
    ['nonsense', 'deny'],
  ] as const)('takes the verdict %j from the log, and asks no model', async (text, unattended) => {
    const { classifier, model } = payingClassifier(say(text));
    const { scene } = await autoScene({ classifier, binding: { unattended } });
    const turnId = await scene.start('go');
    if (unattended === 'wait') {
      const event = await scene.until(({ type }) => type === 'callback.opened');
      if (event.type !== 'callback.opened' || !('id' in event.callback)) throw new Error('no question');
      const callbackId = String(event.callback.id);
      const answer = { type: 'allow', scope: 'once' } as const;
      await scene.runtime.answerCallback({ sessionId: scene.sessionId, callbackId, answer });
    }
    await scene.ended(turnId);
    for (const mode of ['strict', 'behavioural'] as const) {
      const report = await replayed(scene, mode);
      expect(report.divergence).toBeUndefined();
      expect(report.changes ?? []).toEqual([]);
    }
    expect(model.requests).toHaveLength(1);
  });

  test.each(['first', 'second'])('follows calls that are judged at once, when the %s is decided last', async (late) => {
    const look = recordingTool({ name: 'look', effect: 'none', access: () => ({}) });
    const other = Promise.withResolvers<void>();
    const classifier: Classifier = async ({ input }) => {
      if (input.includes(late)) await other.promise;
      else setImmediate(other.resolve);
      return { decision: input.includes('first') ? 'allow' : 'deny', reason: 'x' };
    };
    const model = scriptedModel([[call('look', { at: 'first' }), call('look', { at: 'second' })], say('done')]);
    const policy = compilePolicy({ directories: ['/work'], tools: [look], mode: 'auto', hasClassifier: true });
    const binding = { policy, unattended: 'deny', classifier } as const;
    const scene = await sessionScene({ model, tools: [look], binding });
    await scene.run('go');
    expect(look.calls).toHaveLength(1);
    const order = classified(await scene.events()).map(({ decision }) => decision);
    expect(order).toEqual(late === 'second' ? ['allow', 'deny'] : ['deny', 'allow']);
    for (const mode of ['strict', 'behavioural'] as const)
      expect((await replayed(scene, mode)).divergence).toBeUndefined();
  });

  test.each(['tool.requested', 'tool.classified'])('follows a session over a crash behind %s', async (written) => {
    const { classifier } = payingClassifier(say('allow: it builds'));
    const { scene } = await autoScene({ classifier });
    const turnId = await scene.start('go');
    await scene.ended(turnId);
    const last = (await scene.events()).find(({ type }) => type === written);
    const store = await storeAfterCrash(scene.store, scene.sessionId, ({ seq }) => seq <= (last?.seq ?? 0));
    const again = await autoScene(
      { store, steps: [say('done')], classifier: payingClassifier(say('allow: it builds')).classifier },
      scene.sessionId,
    );
    await again.scene.runtime.openSession({
      sessionId: again.scene.sessionId,
      bindingId: again.scene.bindingId,
      unfinished: 'continue',
    });
    await again.scene.ended(turnId);
    expect((await replayed(again.scene, 'strict')).divergence).toBeUndefined();
  });
});

test('a subagent is judged by the classifier of its root, at the expense of both', async () => {
  const build = recordingTool({ name: 'build', effect: 'once' });
  const { classifier } = payingClassifier(say('allow: it builds'));
  const child = scriptedModel([call('build', {}), say('built')], { price, usage: used });
  const root = scriptedModel([call('agents.spawn', { agent: 'worker', task: 'build' }), say('ok')], {
    price,
    usage: used,
  });
  const policy = compilePolicy({ directories: ['/work'], tools: [build], mode: 'auto', hasClassifier: true });
  const scene = await treeScene({
    model: root,
    agents: [{ name: 'worker', model: child }],
    tools: [build],
    binding: { policy, unattended: 'deny', classifier },
  });
  await scene.run('go');
  expect(await costOf(scene)).toBe(2 + 2 + 2);
  expect(build.calls).toHaveLength(1);
  const report = await replaySession({
    sessionId: scene.sessionId,
    events: await scene.events(),
    readBlob: (hash) => scene.store.blobs(scene.sessionId).read(hash),
    sha256,
    binding: scene.binding,
  });
  expect(report.divergence).toBeUndefined();
});
