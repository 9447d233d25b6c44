import { describe, expect, test } from 'vitest';
import { createMemoryStore } from '../event/memory-store.ts';
import { interceptAppends } from '../testing/intercept-appends.ts';
import { recordingTool } from '../testing/recording-tool.ts';
import { scriptedModel } from '../testing/scripted-model.ts';
import { call, fail, say } from '../testing/scripted-step.ts';
import { sessionScene } from '../testing/session-scene.ts';

const steps = () => [
  [say('I shall look'), call('look'), call('look'), call('act'), call('ask')],
  fail('model.overloaded'),
  say('done'),
];

/** A scene whose disk fails at the append of that number, and what was on the disk when each tool ran. */
async function failingScene(failAt: number) {
  let appends = 0;
  const memory = createMemoryStore();
  const store = interceptAppends(memory, () => {
    appends += 1;
    if (appends === failAt) throw new Error('no space left');
  });
  const seen: string[][] = [];
  const tools = (['look', 'act', 'ask'] as const).map((name) =>
    recordingTool({
      name,
      effect: name === 'look' ? 'none' : 'once',
      results: Array.from({ length: 2 }, () => async (_: unknown, { callId }: { callId: string }) => {
        const written: string[] = [];
        for await (const event of memory.read(scene.sessionId))
          if ('callId' in event && event.callId === callId) written.push(event.type);
        if (name !== 'look') seen.push(written);
        return 'ok';
      }),
    }),
  );
  const asker = { name: 'asker', ask: () => Promise.resolve({ type: 'allow', scope: 'once' } as const) };
  const scene = await sessionScene({
    model: scriptedModel(steps()),
    tools,
    allowed: ['look', 'act'],
    store,
    binding: { asker },
  });
  return { scene, seen, appends: () => appends, fixDisk: () => void (failAt = -1) };
}

describe('an append that fails', () => {
  test('stops the turn, is told to whoever waits, and leaves a session that can be opened again', async () => {
    const whole = await failingScene(-1);
    expect(await whole.scene.run('go')).toMatchObject({ type: 'completed', text: 'done' });
    const total = whole.appends();
    expect(total).toBeGreaterThan(8);
    for (let failAt = 2; failAt <= total; failAt += 1) {
      const { scene, seen, fixDisk } = await failingScene(failAt);
      const { runtime, sessionId, bindingId } = scene;
      const waiting = scene.until(() => false).catch((error: unknown) => error);
      const started = await scene.start('go').catch((error: unknown) => error);
      if (typeof started !== 'string') expect(started).toMatchObject({ code: 'session.write_failed' });
      expect(await waiting).toMatchObject({ code: 'session.write_failed' });
      for (const written of seen) expect(written).toEqual(['tool.requested', 'tool.decided', 'tool.started']);
      fixDisk();
      await runtime.openSession({ sessionId, bindingId, unfinished: 'settle' });
      const events = await scene.events();
      expect(events.map((event) => event.seq)).toEqual(events.map((_, index) => index + 1));
      const requested = events.filter((event) => event.type === 'tool.requested');
      const completed = events.filter((event) => event.type === 'tool.completed');
      expect(completed.map((event) => event.callId).sort()).toEqual(requested.map((event) => event.callId).sort());
      expect(events.filter((event) => event.type === 'turn.ended')).toHaveLength(
        events.filter((event) => event.type === 'turn.started').length,
      );
      await runtime.close();
    }
  });

  test('is told also to whoever comes to watch or to steer afterwards, until the session is opened', async () => {
    const { scene, fixDisk } = await failingScene(4);
    const { runtime, sessionId, bindingId } = scene;
    const waiting = scene.until(() => false).catch((error: unknown) => error);
    await scene.start('go').catch(() => undefined);
    expect(await waiting).toMatchObject({ code: 'session.write_failed' });
    const stored = await scene.events();
    const shown: unknown[] = [];
    const late = (async () => {
      for await (const batch of runtime.subscribe(sessionId, { signal: new AbortController().signal }))
        shown.push(...batch);
    })();
    await expect(late).rejects.toMatchObject({ code: 'session.write_failed' });
    expect(shown).toEqual(stored);
    const steer = { sessionId, turnId: 'any', content: [{ type: 'text', text: 'on' }] } as const;
    await expect(runtime.steerTurn({ ...steer, content: [...steer.content] })).rejects.toMatchObject({
      code: 'session.write_failed',
    });
    fixDisk();
    await runtime.openSession({ sessionId, bindingId, unfinished: 'settle' });
    expect(await scene.run('again')).toMatchObject({ type: 'completed' });
    await scene.until(({ type }) => type === 'turn.ended');
    await runtime.close();
  });

  test('of a session that is being made leaves nothing that is held', async () => {
    const memory = createMemoryStore();
    let full = true;
    const store = interceptAppends(memory, () => {
      if (full) throw new Error('no space left');
    });
    const sessionId = '11111111-1111-4111-8111-111111111111';
    const scene = sessionScene({ model: scriptedModel([]), store });
    await expect(scene).rejects.toMatchObject({ code: 'session.write_failed' });
    full = false;
    const working = await sessionScene({ model: scriptedModel([say('one')]), store });
    await working.runtime.createSession({ bindingId: working.bindingId, sessionId });
    expect(await working.run('go')).toMatchObject({ type: 'completed' });
  });
});
