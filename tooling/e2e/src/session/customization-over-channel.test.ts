import { allowApproval } from '@rondo/client';
import type { AgentCustomization } from '@rondo/protocol';
import { createMemoryStore, createRuntime, replaySession, type Binding } from '@rondo/runtime';
import { call, say, scriptedModel, sha256, temporaryBinding } from '@rondo/runtime/testing';
import { RondoError } from '@rondo/protocol/values';
import { describe, expect, test } from 'vitest';
import { stage, start } from './session-stage.ts';
import { wires } from './wires.ts';

/** As an agent's program takes customizations: two models by name. */
function customizing(of: () => Binding) {
  const other = { ...scriptedModel([say('I am the other.'), say('Still the other.')]), name: 'test/other' };
  function customize({ model, instructions, temperature, maxIterations }: AgentCustomization): Binding {
    if (model !== undefined && model !== 'other')
      throw new RondoError('model.unknown', `there is no model "${model}"; there is "other"`);
    return {
      ...of(),
      ...(model === undefined ? {} : { model: other }),
      ...(instructions === undefined ? {} : { system: instructions }),
      ...(temperature === undefined ? {} : { temperature }),
      ...(maxIterations === undefined ? {} : { limits: { maxTurns: maxIterations } }),
    };
  }
  return { other, customize };
}

describe.each(wires)('over $name', (wire) => {
  async function customizable(steps: Parameters<typeof stage>[1]) {
    const { customize, other } = customizing(() => binding);
    const scene = await stage(wire, steps, { customize });
    const binding: Binding = scene.runtime.binding(scene.bindingId) ?? expect.fail('it is bound');
    scene.runtime.bind(binding, 'agent:test');
    return { ...scene, agent: scene.client.agent('test'), other };
  }

  test('a session is started with what it has otherwise than its agent, and later turns with what was changed', async () => {
    const scene = await customizable([say('The agent.'), say('Warm.')]);
    await using _ = scene;
    const { agent, model, other } = scene;
    const session = await agent.startSession({ agent: { model: 'other', instructions: 'Be curt.', temperature: 0 } });
    expect((await session.read()).model).toBe('test/other');
    expect(await session.run('Who?')).toMatchObject({ type: 'completed', text: 'I am the other.' });
    expect(other.requests[0]).toMatchObject({ system: 'Be curt.', temperature: 0 });

    expect(await session.configure({ model: null, instructions: null })).toEqual({ temperature: 0 });
    expect(await session.run('And now?')).toMatchObject({ text: 'The agent.' });
    expect(model.requests[0]).toMatchObject({ system: 'You are being tested.', temperature: 0 });

    expect(await session.configure({ temperature: null })).toEqual({});
    await session.run('And now?');
    expect(model.requests[1]).not.toHaveProperty('temperature');
    expect((await session.read()).model).toBe(model.name);
  });

  test('what cannot be is said before anything is stored', async () => {
    const scene = await customizable([]);
    await using _ = scene;
    const { agent, client } = scene;
    const unknown = { code: 'model.unknown', message: expect.stringContaining('there is "other"') };
    await expect(agent.startSession({ agent: { model: 'none' } })).rejects.toMatchObject(unknown);
    await expect(agent.startSession({ agent: { temperature: 3 } })).rejects.toSatisfy(isRefused);
    const typo: AgentCustomization = JSON.parse('{ "modle": "other" }');
    await expect(agent.startSession({ agent: typo })).rejects.toThrow('did you mean "model"?');
    expect(await client.request('session/list', {})).toEqual({ sessions: [] });

    const session = await agent.startSession({ agent: { maxIterations: 2 } });
    const { cursor } = await session.read();
    await expect(session.configure({ model: 'none' })).rejects.toMatchObject(unknown);
    expect((await session.read()).cursor).toBe(cursor);
  });

  test('an agent that takes no customization says so', async () => {
    await using scene = await stage(wire, []);
    const { client, bindingId } = scene;
    const unsupported = { code: 'session.procedure_unsupported', message: expect.stringContaining('"test"') };
    await expect(client.createSession({ bindingId, agent: { model: 'other' } })).rejects.toMatchObject(unsupported);
    const session = await client.createSession({ bindingId });
    await expect(session.configure({ temperature: 1 })).rejects.toMatchObject(unsupported);
  });

  test('a turn at work keeps what it was started with, and the next one has what was changed meanwhile', async () => {
    const scene = await customizable([call('Charge', {}), say('Charged.'), say('Next.')]);
    await using _ = scene;
    const { agent, model } = scene;
    const session = await agent.startSession({ agent: { instructions: 'One.' } });
    const turn = await start(session, 'Charge it');
    const blocked = await turn.result();
    if (blocked.type !== 'blocked') throw new Error(`it is ${blocked.type}`);
    await session.configure({ instructions: 'Two.' });
    const [question] = blocked.callbacks;
    if (question?.type !== 'approval') throw new Error('nothing is asked');
    await turn.answer(question.id, allowApproval());
    await turn.result({ after: blocked.cursor });
    await session.run('Go on');
    expect(model.requests.map(({ system }) => system)).toEqual(['One.', 'One.', 'Two.']);
  });
});

test('forks and other processes have the session as it was customized', async () => {
  const store = createMemoryStore();
  const model = scriptedModel([say('One.')]);
  const { customize } = customizing(() => temporary.binding);
  await using temporary = await temporaryBinding({ model, customize });
  const first = createRuntime({ store, sha256 });
  const bindingId = first.bind(temporary.binding);
  const { sessionId } = await first.createSession({ bindingId, agent: { instructions: 'Be curt.' } });
  await first.configureSession({ sessionId, bindingId, agent: { temperature: 0.5 } });
  const done = Promise.withResolvers<void>();
  void (async () => {
    for await (const batch of first.subscribe(sessionId, { signal: new AbortController().signal }))
      if (batch.some(({ type }) => type === 'turn.ended')) return done.resolve();
  })();
  await first.startTurn({ sessionId, bindingId, content: [{ type: 'text', text: 'Hello' }] });
  await done.promise;
  const fork = await first.forkSession({ sessionId, bindingId });
  const readBlob = () => Promise.reject(new Error('nothing was large'));
  const log = { sessionId, events: store.read(sessionId), readBlob, sha256, binding: temporary.binding };
  expect((await replaySession(log)).divergence).toBeUndefined();
  await first.closeSession({ sessionId });

  const second = createRuntime({ store, sha256 });
  second.bind(temporary.binding, bindingId);
  for (const id of [sessionId, fork.sessionId]) {
    const runtime = id === sessionId ? second : first;
    expect(await runtime.configureSession({ sessionId: id, bindingId, agent: {} })).toEqual({
      agent: { instructions: 'Be curt.', temperature: 0.5 },
    });
  }
  await first.close();
  await second.close();
});

function isRefused(error: unknown): boolean {
  return ['input.invalid', 'protocol.params_invalid'].includes((error as RondoError).code);
}
