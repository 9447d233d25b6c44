import type { AllowAnswer, AnyEvent, PermissionUpdate } from '@rondo/protocol';
import { describe, expect, test } from 'vitest';
import { compilePolicy } from '../permission/compile-policy.ts';
import type { Policy } from '../permission/policy.ts';
import { recordingTool } from '../testing/recording-tool.ts';
import { scriptedModel } from '../testing/scripted-model.ts';
import { call, say } from '../testing/scripted-step.ts';
import { sessionScene, storeAfterCrash } from '../testing/session-scene.ts';

const always = (toolName: string): PermissionUpdate => ({
  type: 'addRules',
  rules: [{ toolName }],
  behavior: 'allow',
  destination: 'localSettings',
});

function answering(...updatedPermissions: PermissionUpdate[]) {
  const answer: AllowAnswer = { type: 'allow', scope: 'once', updatedPermissions };
  return { asker: { name: 'asker', ask: () => Promise.resolve(answer) } };
}

function saver() {
  const saved: (readonly PermissionUpdate[])[] = [];
  return {
    saved,
    savePermissions(updates: readonly PermissionUpdate[]) {
      saved.push(updates);
      return Promise.resolve([{ level: 'info' as const, message: 'written' }]);
    },
  };
}

const act = () => ({ tools: [recordingTool({ name: 'act' })], allowed: [] });
const model = () => scriptedModel([call('act'), say('done')]);
const statuses = (events: readonly AnyEvent[]) =>
  events.flatMap((event) => (event.type === 'notice' ? [event.details?.['status']] : []));

test('updates that an answer brings are written once they are in the log, those for the session are not', async () => {
  const inLog: boolean[] = [];
  const { saved, savePermissions } = saver();
  const session: PermissionUpdate = { ...always('other'), destination: 'session' } as PermissionUpdate;
  const scene = await sessionScene({
    ...act(),
    model: model(),
    binding: {
      ...answering(session, always('act')),
      async savePermissions(updates) {
        inLog.push((await scene.events()).some((event) => event.type === 'session.updated'));
        return await savePermissions(updates);
      },
    },
  });
  await scene.run('go');
  await scene.runtime.close();
  expect(saved).toEqual([[always('act')]]);
  expect(inLog).toEqual([true]);
  const events = await scene.events();
  expect(statuses(events)).toEqual(['permissions_saved']);
  expect(events.findLast(({ type }) => type === 'notice')).toMatchObject({ message: 'written', details: { saved: 2 } });
});

test('what a client puts in a session is written too', async () => {
  const { saved, savePermissions } = saver();
  const scene = await sessionScene({ model: scriptedModel([say('done')]), binding: { savePermissions } });
  await scene.run('go');
  await scene.runtime.updateSession({ sessionId: scene.sessionId, permissions: [always('act')] });
  await scene.runtime.close();
  expect(saved).toEqual([[always('act')]]);
});

test('a program that writes none is told of', async () => {
  const scene = await sessionScene({ ...act(), model: model(), binding: answering(always('act')) });
  await scene.run('go');
  await scene.runtime.close();
  expect(statuses(await scene.events())).toEqual(['unwritten_permissions']);
});

test('writing that fails is told, and the update counts for the session', async () => {
  const scene = await sessionScene({
    ...act(),
    model: scriptedModel([call('act'), call('act'), say('done')]),
    binding: { ...answering(always('act')), savePermissions: () => Promise.reject(new Error('no disk')) },
  });
  await scene.run('go');
  await scene.runtime.close();
  const events = await scene.events();
  expect(events.find(({ type }) => type === 'notice')).toMatchObject({
    level: 'error',
    message: expect.stringContaining('no disk') as string,
  });
  expect(events.filter(({ type }) => type === 'callback.opened')).toHaveLength(1);
});

describe('after a crash', () => {
  test('a turn goes on under the policy that its own answer has changed, and under no other', async () => {
    const begun = Promise.withResolvers<void>();
    const held = Promise.withResolvers<string>();
    const slow = recordingTool({
      name: 'act',
      effect: 'none',
      results: [() => (begun.resolve(), held.promise)],
    });
    const policy = compilePolicy({ directories: ['/work'], tools: [slow] });
    const changed = compilePolicy({ directories: ['/work'], tools: [slow], allowedTools: ['act'] });
    let current = policy;
    const { savePermissions } = saver();
    const first = await sessionScene({
      tools: [slow],
      model: model(),
      binding: {
        ...answering(always('act')),
        policy,
        livePolicy: { current: () => current, refresh: () => undefined, takeNotices: () => [] },
        async savePermissions(updates) {
          current = changed;
          return await savePermissions(updates);
        },
      },
    });
    await first.start('go');
    await begun.promise;
    await first.until((event) => event.type === 'notice');
    const store = () => storeAfterCrash(first.store, first.sessionId);
    const goOn = async (offered: Policy) => {
      const scene = await sessionScene(
        {
          ...act(),
          model: scriptedModel([say('done')]),
          store: await store(),
          binding: { ...answering(), policy: offered },
        },
        first.sessionId,
      );
      const { sessionId, bindingId } = scene;
      const { parked = [] } = await scene.runtime.openSession({ sessionId, bindingId, unfinished: 'continue' });
      await scene.runtime.close();
      return parked;
    };
    const under = async (offered: Policy) => (await goOn(offered)).join();
    expect(await under(changed)).not.toContain('policy');
    expect(await under(policy)).toContain('the policy it was started with');
    held.resolve('late');
    await first.runtime.close();
  });

  async function crashed(keep: (event: AnyEvent) => boolean) {
    const first = await sessionScene({
      ...act(),
      model: model(),
      binding: { ...answering(always('act')), savePermissions: saver().savePermissions },
    });
    await first.run('go');
    await first.runtime.close();
    const store = await storeAfterCrash(first.store, first.sessionId, keep);
    const { saved, savePermissions } = saver();
    const model2 = scriptedModel([say('again')]);
    const scene = await sessionScene({ ...act(), model: model2, store, binding: { savePermissions } }, first.sessionId);
    await scene.run('on');
    await scene.runtime.close();
    return { saved, events: await scene.events() };
  }

  test('between the log and the file it is written again', async () => {
    const { saved, events } = await crashed((event) => event.type !== 'notice');
    expect(saved).toEqual([[always('act')]]);
    expect(statuses(events)).toEqual(['permissions_saved']);
  });

  test('behind both it is not', async () => {
    const { saved } = await crashed(() => true);
    expect(saved).toEqual([]);
  });
});
