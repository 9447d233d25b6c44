import {
  allowApproval,
  denyApproval,
  type HandleOptions,
  keepCallbackOpen,
  type Session,
  signInAnswer,
  toolResult,
} from '@rondo/client';
import { type Frame, RondoError, ToolError } from '@rondo/protocol';
import { defineClientTool, defineTool, type SignInOutcome } from '@rondo/runtime';
import { call, pauseUntil, recordingTool, say, scriptedModel, type ScriptedStep } from '@rondo/runtime/testing';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { stage, start, type Stage } from './session-stage.ts';
import { type Wire, wires } from './wires.ts';

const anything = { type: 'object' } as const;
const pick = defineClientTool({ name: 'pick', description: 'Picks a file.', input: anything });
const look = defineClientTool({ name: 'look', description: 'Looks.', input: anything, effect: 'none' });

function mailTool() {
  const outcomes: SignInOutcome[] = [];
  const tool = defineTool({
    name: 'mail',
    description: 'Reads mail.',
    input: anything,
    effect: 'none',
    run: async (_input, { requestSignIn }) => {
      outcomes.push(await requestSignIn([{ sourceId: 'mail' }, { sourceId: 'files' }]));
      return 'read';
    },
  });
  return { tool, outcomes };
}

interface Scenario {
  readonly steps: readonly ScriptedStep[];
  readonly handle?: HandleOptions;
  /** Of a subagent named `helper`. */
  readonly helper?: readonly ScriptedStep[];
}

/** A session whose agent has a charge that asks, two client tools, mail behind a sign-in, and perhaps a helper. */
async function scenario(wire: Wire, { steps, handle = {}, helper }: Scenario) {
  const charge = recordingTool({ name: 'Charge', effect: 'once' });
  const mail = mailTool();
  const subagents =
    helper === undefined
      ? {}
      : {
          subagents: [{ name: 'helper', description: 'helps', instructions: 'Help.', model: scriptedModel(helper) }],
        };
  const at = await stage(wire, steps, {
    tools: [charge, pick, look, mail.tool],
    policy: { allowedTools: ['pick', 'look', 'mail', 'agents.spawn'] },
    ...subagents,
  });
  const { id } = await at.client.createSession({ bindingId: at.bindingId });
  const session = at.client.session(id, { ...handle, bindingId: at.bindingId });
  const send = at.near.send.bind(at.near);
  const sent = vi.spyOn(at.near, 'send');
  const answersSent = () =>
    sent.mock.calls.filter(([frame]) => 'method' in frame && frame.method === 'callback/answer').length;
  return {
    at,
    session,
    charge,
    outcomes: mail.outcomes,
    answersSent,
    /** From now on no answer gets out, until the returned function is called. */
    refuseAnswers() {
      sent.mockImplementation((frame: Frame) => {
        if ('method' in frame && frame.method === 'callback/answer')
          throw new RondoError('store.unavailable', 'the answer cannot be taken now');
        send(frame);
      });
      return () => sent.mockImplementation(send);
    },
    [Symbol.asyncDispose]: () => at[Symbol.asyncDispose](),
  };
}

const spawn = call('agents.spawn', { agent: 'helper', task: 'help' });
const results = (at: Stage, request: number): string => JSON.stringify(at.model.requests[request]?.messages.at(-1));

async function blockedRun(session: Session) {
  const record = await session.run('go');
  if (record.type !== 'blocked') throw new Error(`it is ${record.type}`);
  const ids = record.callbacks.map((callback) => ('id' in callback ? callback.id : ''));
  return { record, turn: session.turn(record.turnId), ids, id: ids[0] ?? '' };
}

describe.each(wires)('over $name', (wire) => {
  test('handler.onApproval.answersDuringWait, handler.onApproval.allow: within run, and within result', async () => {
    const onApproval = vi.fn(() => allowApproval());
    const steps = [call('Charge'), say('one'), call('Charge'), say('two')];
    await using scene = await scenario(wire, { steps, handle: { onApproval } });
    expect(await scene.session.run('a')).toMatchObject({ type: 'completed', text: 'one' });
    expect(await (await start(scene.session, 'b')).result()).toMatchObject({ type: 'completed', text: 'two' });
    expect(onApproval).toHaveBeenCalledTimes(2);
    expect(scene.charge.calls).toHaveLength(2);
    const { events } = await scene.at.runtime.readEvents({ sessionId: scene.session.id });
    expect(events.filter(({ type }) => type === 'callback.resolved')).toHaveLength(2);
  });

  test('handler.onApproval.deny: the model reads the denial, and the tool does not run', async () => {
    const handle = { onApproval: () => denyApproval({ message: 'too dear' }) };
    await using scene = await scenario(wire, { steps: [call('Charge'), say('well')], handle });
    expect(await scene.session.run('a')).toMatchObject({ type: 'completed', text: 'well' });
    expect(scene.charge.calls).toEqual([]);
    expect(results(scene.at, 1)).toContain('too dear');
  });

  test('handler.onApproval.onlyDuringWait: get and events ask nobody', async () => {
    const onApproval = vi.fn(() => allowApproval());
    await using scene = await scenario(wire, { steps: [call('Charge'), say('x')], handle: { onApproval } });
    const turn = await start(scene.session, 'a');
    for await (const event of turn.events()) if (event.type === 'callback.opened') break;
    for await (const event of scene.session.events()) if (event.type === 'callback.opened') break;
    expect(await turn.get()).toMatchObject({ type: 'blocked' });
    expect(onApproval).not.toHaveBeenCalled();
  });

  test('handler.onApproval.keepOpen: the wait gives the question, nothing is sent, and another client answers it', async () => {
    const handle = { onApproval: () => keepCallbackOpen() };
    await using scene = await scenario(wire, { steps: [call('Charge'), say('paid')], handle });
    const { turn, record, id } = await blockedRun(scene.session);
    expect(scene.answersSent()).toBe(0);
    const another = await scene.at.connectAnother();
    await another.session(scene.session.id).turn(turn.id).answer(id, allowApproval());
    expect(await turn.result({ after: record })).toMatchObject({ type: 'completed', text: 'paid' });
  });

  test('handler.onApproval.throwLeavesOpen, handler.failure.waitThrows, handler.failure.turnContinues', async () => {
    const error = new Error('no screen');
    const handle: HandleOptions = {
      onApproval() {
        throw error;
      },
    };
    await using scene = await scenario(wire, { steps: [call('Charge'), say('paid')], handle });
    const turn = await start(scene.session, 'a');
    await expect(turn.result()).rejects.toBe(error);
    const record = await turn.get();
    if (record.type !== 'blocked') throw new Error(record.type);
    const [callback] = record.callbacks;
    expect(scene.answersSent()).toBe(0);
    const another = (await scene.at.connectAnother()).session(scene.session.id).turn(turn.id);
    await another.answer(callback && 'id' in callback ? callback.id : '', allowApproval());
    expect(await another.result({ after: record })).toMatchObject({ type: 'completed', text: 'paid' });
  });

  test('handler.onApproval.foreignReturnLeavesOpen: true, nothing, null, an object and one that looks like an answer', async () => {
    const given: unknown[] = [true, undefined, null, {}, { type: 'allow', scope: 'once' }];
    const handle: HandleOptions = { onApproval: () => given.shift() as never };
    await using scene = await scenario(wire, { steps: [call('Charge')], handle });
    const turn = await start(scene.session, 'a');
    for (let wait = 0; wait < 5; wait += 1) await expect(turn.result()).rejects.toMatchObject({ code: 'answer.unfit' });
    expect(given).toEqual([]);
    expect(await turn.get()).toMatchObject({ type: 'blocked', callbacks: [{ type: 'approval' }] });
    expect(scene.answersSent()).toBe(0);
  });

  test('handler.onSignIn.answersDuringWait: of the session, and of its subagent, one call each', async () => {
    const onSignIn = vi.fn(() => signInAnswer({ connected: ['mail'], denied: ['files'] }));
    const steps = [call('mail'), say('one'), spawn, say('two')];
    await using scene = await scenario(wire, { steps, handle: { onSignIn }, helper: [call('mail'), say('helped')] });
    expect(await scene.session.run('a')).toMatchObject({ type: 'completed', text: 'one' });
    expect(await scene.session.run('b')).toMatchObject({ type: 'completed', text: 'two' });
    expect(onSignIn).toHaveBeenCalledTimes(2);
    const outcome = { connected: ['mail'], denied: ['files'] };
    expect(scene.outcomes).toEqual([outcome, outcome]);
  });

  test('handler.onSignIn.throwLeavesOpen, handler.onSignIn.foreignReturnLeavesOpen', async () => {
    const error = new Error('no browser');
    const given = [() => Promise.reject(error), () => allowApproval(), () => undefined];
    const handle: HandleOptions = { onSignIn: () => given.shift()?.() as never };
    await using scene = await scenario(wire, { steps: [call('mail')], handle });
    const turn = await start(scene.session, 'a');
    await expect(turn.result()).rejects.toBe(error);
    for (let wait = 0; wait < 2; wait += 1) await expect(turn.result()).rejects.toMatchObject({ code: 'answer.unfit' });
    expect(await turn.get()).toMatchObject({ type: 'blocked', callbacks: [{ type: 'sign_in' }] });
    expect(scene.answersSent()).toBe(0);
  });

  test('handler.onClientTool.answersDuringWait, handler.onClientTool.noBlockedReturn: of the session and its subagent', async () => {
    const handle: HandleOptions = { onClientTool: ({ arguments: args }) => ({ picked: args }) };
    const steps = [[call('pick', { n: 1 }), call('pick', { n: 2 })], say('one'), spawn, say('two')];
    const helper = [call('pick', { n: 3 }), say('helped')];
    await using scene = await scenario(wire, { steps, handle, helper });
    expect(await scene.session.run('a')).toMatchObject({ type: 'completed', text: 'one' });
    for (const n of [1, 2]) expect(results(scene.at, 1)).toContain(JSON.stringify(`{"picked":{"n":${n}}}`));
    expect(await (await start(scene.session, 'b')).result()).toMatchObject({ type: 'completed', text: 'two' });
    const [subagent] = await scene.session.subagents();
    const { events } = await scene.at.runtime.readEvents({ sessionId: subagent?.id ?? '' });
    const completed = events.find((event) => event.type === 'tool.completed');
    expect(completed).toMatchObject({ structured: { picked: { n: 3 } } });
  });

  test('handler.onApproval.subagentRequests, answer.subagentCallbacks, subagent.handle.sameHandlers', async () => {
    const onApproval = vi.fn(() => allowApproval());
    const steps = [spawn, say('one'), spawn, say('two'), spawn, say('three')];
    const helper = [1, 2, 3].flatMap((n) => [call('Charge', { n }), say('helped')]);
    await using scene = await scenario(wire, { steps, handle: { onApproval }, helper });
    expect(await scene.session.run('a')).toMatchObject({ type: 'completed', text: 'one' });
    expect(scene.charge.calls).toHaveLength(1);
    // By ID, on the root's turn.
    const plain = scene.at.client.session(scene.session.id, { bindingId: scene.at.bindingId });
    const { turn, record, id } = await blockedRun(plain);
    const [owner] = await scene.session.subagents();
    expect(record.callbacks).toMatchObject([{ sessionId: owner?.id }]);
    expect(await turn.answer(id, allowApproval())).toMatchObject({ type: 'answered', sessionId: owner?.id });
    expect(await turn.result({ after: record })).toMatchObject({ type: 'completed', text: 'two' });
    // Once it is closed the root knows nothing of it, its owner does.
    expect(await turn.answer(id, allowApproval())).toEqual({ type: 'notFound' });
    const ofOwner = scene.at.client.session(owner?.id ?? '').turn('any');
    expect(await ofOwner.answer(id, allowApproval())).toEqual({ type: 'alreadySettled', sessionId: owner?.id });
    // A wait on the subagent's own turn.
    const last = await start(plain, 'c');
    await last.result();
    const [subagent] = await scene.session.subagents();
    const { activeTurnId = '' } = (await subagent?.read()) ?? {};
    expect(await subagent?.turn(activeTurnId).result()).toMatchObject({ type: 'completed', text: 'helped' });
    expect(onApproval).toHaveBeenCalledTimes(2);
    expect(await last.result()).toMatchObject({ type: 'completed', text: 'three' });
  });

  test('answer.subagent.recordNamesOwner, answer.subagent.routedToOwner: settled in the subagent’s own events', async () => {
    await using scene = await scenario(wire, { steps: [spawn, say('one')], helper: [call('Charge'), say('helped')] });
    const { turn, record, id } = await blockedRun(scene.session);
    const [owner] = await scene.session.subagents();
    expect(owner?.id).not.toBe(scene.session.id);
    expect(await turn.answer(id, denyApproval())).toMatchObject({ type: 'answered', sessionId: owner?.id });
    expect(await turn.result({ after: record })).toMatchObject({ type: 'completed', text: 'one' });
    const resolved = async (sessionId = '') =>
      (await scene.at.runtime.readEvents({ sessionId })).events.filter(({ type }) => type === 'callback.resolved');
    expect(await resolved(owner?.id)).toMatchObject([{ callbackId: id, sessionId: owner?.id }]);
    expect(await resolved(scene.session.id)).toEqual([]);
  });

  test('handler.clientTool.throwDefaultTellsModel, handler.clientTool.throwFollowsToolErrors: told from run, result and agent.run', async () => {
    const onClientTool = () => Promise.reject(new ToolError('the picker is closed'));
    const steps = [1, 2, 3].flatMap(() => [call('pick'), say('well')]);
    await using scene = await scenario(wire, { steps, handle: { onClientTool } });
    const agent = scene.at.client.agent('clerk', { bindingId: scene.at.bindingId, onClientTool });
    const states = [
      await scene.session.run('a'),
      await (await start(scene.session, 'b')).result(),
      await agent.run('c'),
    ];
    for (const state of states) expect(state).toMatchObject({ type: 'completed', text: 'well' });
    for (const request of [1, 3, 5]) expect(results(scene.at, request)).toContain('the picker is closed');
  });

  test('error.result.toolErrorsRaise, error.result.toolErrorsRaiseStaysOpen, session.run.clientToolErrorsAsResult', async () => {
    const error = new Error('the picker is closed');
    const handle: HandleOptions = { onClientTool: () => Promise.reject(error), toolErrors: 'raise' };
    await using scene = await scenario(wire, { steps: [call('pick'), say('by hand')], handle });
    await expect(scene.session.run('a')).rejects.toBe(error);
    const { activeTurnId = '' } = await scene.session.read();
    const turn = scene.session.turn(activeTurnId);
    await expect(turn.result()).rejects.toBe(error);
    const agent = scene.at.client.agent('clerk', { ...handle, bindingId: scene.at.bindingId });
    await expect(agent.session(scene.session.id).turn(activeTurnId).result()).rejects.toBe(error);
    expect(scene.answersSent()).toBe(0);
    const record = await turn.get();
    if (record.type !== 'blocked' || record.callbacks[0]?.type !== 'client_tool') throw new Error(record.type);
    await turn.answer(record.callbacks[0].id, 'a.ts');
    expect(await turn.result({ after: record })).toMatchObject({ type: 'completed', text: 'by hand' });
  });

  test('error.result.clientToolAnswerError, error.result.clientToolAnswerStaysOpen: after one call', async () => {
    const onClientTool = vi.fn(() => 'a.ts');
    await using scene = await scenario(wire, { steps: [call('pick'), say('by hand')], handle: { onClientTool } });
    const takeAgain = scene.refuseAnswers();
    const turn = await start(scene.session, 'a');
    await expect(turn.result()).rejects.toMatchObject({ code: 'answer.unsent' });
    expect(onClientTool).toHaveBeenCalledTimes(1);
    takeAgain();
    const record = await turn.get();
    if (record.type !== 'blocked' || record.callbacks[0]?.type !== 'client_tool') throw new Error(record.type);
    expect(await turn.answer(record.callbacks[0].id, 'b.ts')).toMatchObject({ type: 'answered' });
    expect(await turn.result({ after: record })).toMatchObject({ type: 'completed', text: 'by hand' });
  });

  test('handler.shared.twoWaitsShareAnswers, handler.shared.oncePerClientToolCall: also on equal handles', async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const onClientTool = vi.fn(() => promise);
    await using scene = await scenario(wire, { steps: [call('pick'), say('one')], handle: { onClientTool } });
    const turn = await start(scene.session, 'a');
    const alike = scene.at.client.session(scene.session.id, { onClientTool, bindingId: scene.at.bindingId });
    const waits = [turn.result(), turn.result(), alike.turn(turn.id).result()];
    await vi.waitFor(() => expect(onClientTool).toHaveBeenCalled());
    resolve('a.ts');
    for (const record of await Promise.all(waits)) expect(record).toMatchObject({ type: 'completed', text: 'one' });
    expect(onClientTool).toHaveBeenCalledTimes(1);
    expect(scene.answersSent()).toBe(1);
  });

  test('wait.run.timeoutCountsApprovalHandler, wait.run.timeoutCountsSignInHandler, wait.result.timeoutCountsHandlers', async () => {
    const never = () => new Promise<never>(() => {});
    const steps = [call('Charge'), call('mail')];
    const handle = { onApproval: never, onSignIn: never };
    await using scene = await scenario(wire, { steps, handle });
    const approval = await scene.session.run('a', { timeoutMs: 50 });
    if (approval.type !== 'blocked') throw new Error(approval.type);
    const turn = scene.session.turn(approval.turnId);
    expect(await turn.result({ timeoutMs: 10 })).toMatchObject({ type: 'blocked' });
    await turn.interrupt();
    const signIn = await scene.session.run('b', { timeoutMs: 50 });
    expect(signIn).toMatchObject({ type: 'blocked', callbacks: [{ type: 'sign_in' }] });
  });

  /** Time that passes only when a test says so, for everything that waits in this process. */
  function stopTime(): (ms: number) => void {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    return (ms) => void vi.advanceTimersByTime(ms);
  }

  test('wait.run.timeoutExcludesClientTool, wait.result.timeoutExcludesClientTool: code that takes twice the time', async () => {
    const timeoutMs = 60_000;
    let takeTime = (_ms: number): void => {};
    const onClientTool = (): Promise<string> => {
      takeTime(2 * timeoutMs);
      return Promise.resolve('late');
    };
    const steps = [call('pick'), say('one'), call('pick'), say('two')];
    await using scene = await scenario(wire, { steps, handle: { onClientTool } });
    takeTime = stopTime();
    const ran = await scene.session.run('a', { timeoutMs });
    expect(ran).toMatchObject({ type: 'completed', text: 'one' });
    const turn = await start(scene.session, 'b');
    expect(await turn.result({ timeoutMs })).toMatchObject({ type: 'completed', text: 'two' });
    vi.useRealTimers();
  });

  test('wait.run.timeoutExcludesStart: a start that takes longer leaves the whole time to the turn', async () => {
    await using scene = await scenario(wire, { steps: [say('one')] });
    const takeTime = stopTime();
    const startTurn = scene.at.runtime.startTurn.bind(scene.at.runtime);
    vi.spyOn(scene.at.runtime, 'startTurn').mockImplementation((params) => {
      takeTime(20_000);
      return startTurn(params);
    });
    expect(await scene.session.run('a', { timeoutMs: 10_000 })).toMatchObject({ type: 'completed', text: 'one' });
    vi.useRealTimers();
  });

  test('wait.result.waitsForEndOrCallback, turn.get.neverChanges: pending while the turn works', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    await using scene = await scenario(wire, { steps: [[pauseUntil(promise), call('Charge')], say('paid')] });
    const turn = await start(scene.session, 'a');
    let record: Awaited<ReturnType<typeof turn.result>> | undefined;
    const wait = turn.result().then((given) => (record = given));
    for await (const event of turn.events()) if (event.type === 'model.requested') break;
    const before = await scene.at.runtime.readEvents({ sessionId: scene.session.id });
    for (let again = 0; again < 3; again += 1) await turn.get();
    expect(await scene.at.runtime.readEvents({ sessionId: scene.session.id })).toEqual(before);
    expect(record).toBeUndefined();
    resolve();
    expect(await wait).toMatchObject({ type: 'blocked', callbacks: [{ type: 'approval' }] });
  });

  test('answer.clientTool.acceptsToolResult, answer.clientTool.answerNull, answer.anyOpenCallbackOfSession', async () => {
    const steps = [call('pick'), call('pick'), call('pick'), say('done')];
    await using scene = await scenario(wire, { steps });
    let { record, turn, id } = await blockedRun(scene.session);
    const answers = [{ path: 'a.ts' }, 'b.ts', toolResult({ content: 'the third', structured: { path: 'c.ts' } })];
    for (const answer of answers) {
      expect(await turn.answer(id, answer)).toEqual({ type: 'answered', sessionId: scene.session.id, answer: null });
      const next = await turn.result({ after: record });
      if (next.type !== 'blocked') break;
      const [callback] = next.callbacks;
      [record, id] = [next, callback && 'id' in callback ? callback.id : ''];
    }
    expect(results(scene.at, 1)).toContain(JSON.stringify('{"path":"a.ts"}'));
    expect(results(scene.at, 2)).toContain('"b.ts"');
    expect(results(scene.at, 3)).toContain('the third');
    const { events } = await scene.at.runtime.readEvents({ sessionId: scene.session.id });
    expect(events.filter(({ type }) => type === 'callback.resolved')).toHaveLength(3);
  });

  test('answer.clientTool.firstSentWins, answer.signIn.firstSentWins: the later one changes nothing', async () => {
    await using scene = await scenario(wire, { steps: [call('pick'), call('mail'), say('done')] });
    const { record, turn, id } = await blockedRun(scene.session);
    const another = (await scene.at.connectAnother()).session(scene.session.id).turn(turn.id);
    const two = await Promise.all([turn.answer(id, 'mine'), another.answer(id, 'theirs')]);
    expect(two.map(({ type }) => type)).toContain('answered');
    const { events } = await scene.at.runtime.readEvents({ sessionId: scene.session.id });
    const [counted] = events.flatMap((event) => (event.type === 'callback.resolved' ? [event.answer] : []));
    const signIn = await turn.result({ after: record });
    const told = results(scene.at, 1);
    const [won, lost] =
      counted?.type === 'tool_result' && counted.result === 'mine' ? ['mine', 'theirs'] : ['theirs', 'mine'];
    expect(told).toContain(won);
    expect(told).not.toContain(lost);
    if (signIn.type !== 'blocked' || signIn.callbacks[0]?.type !== 'sign_in') throw new Error(signIn.type);
    const signInId = signIn.callbacks[0].id;
    const first = signInAnswer({ connected: ['mail', 'files'] });
    expect(await another.answer(signInId, first)).toMatchObject({ type: 'answered', answer: null });
    const second = await turn.answer(signInId, signInAnswer({ denied: ['mail', 'files'] }));
    expect(second).toMatchObject({ type: 'alreadySettled' });
    await turn.result({ after: signIn });
    expect(scene.outcomes).toEqual([{ connected: ['mail', 'files'], denied: [] }]);
  });

  test('answer.notFound, error.answer.keepCallbackOpen, error.answer.unfit: nothing is sent', async () => {
    await using scene = await scenario(wire, { steps: [call('Charge')] });
    const { turn, record, id } = await blockedRun(scene.session);
    expect(await turn.answer('6ba7b810-9dad-41d1-80b4-00c04fd430ff', allowApproval())).toEqual({ type: 'notFound' });
    for (const unfit of [
      keepCallbackOpen() as never,
      signInAnswer({}),
      toolResult({ content: 'x' }),
      undefined as never,
    ])
      await expect(turn.answer(id, unfit)).rejects.toMatchObject({ code: 'answer.unfit' });
    expect(scene.answersSent()).toBe(0);
    expect(await turn.get()).toMatchObject({ type: 'blocked', callbacks: record.callbacks });
  });

  test('answer.signIn.asOpenSignIn, answer.answer.required, answer.keepCallbackOpen.neverAnAnswer', async () => {
    await using scene = await scenario(wire, { steps: [call('mail')] });
    const { turn, record, id } = await blockedRun(scene.session);
    expect(record.callbacks).toMatchObject([
      { type: 'sign_in', requests: [{ sourceId: 'mail' }, { sourceId: 'files' }] },
    ]);
    for (const unfit of ['read', allowApproval(), keepCallbackOpen() as never, undefined as never])
      await expect(turn.answer(id, unfit)).rejects.toMatchObject({ code: 'answer.unfit' });
    expect(scene.answersSent()).toBe(0);
    expect(await turn.get()).toMatchObject({ type: 'blocked' });
  });

  test('answer.clientTool.loadedAgentUnchecked: an agent known by name alone takes any JSON', async () => {
    await using scene = await scenario(wire, { steps: [call('pick'), say('done')] });
    const agent = scene.at.client.agent('clerk', { bindingId: scene.at.bindingId });
    const { turn, record, id } = await blockedRun(agent.session(scene.session.id));
    expect(await turn.answer(id, [1, { any: null }])).toMatchObject({ type: 'answered' });
    await turn.result({ after: record });
    expect(results(scene.at, 1)).toContain(JSON.stringify('[1,{"any":null}]'));
  });

  test('three tools pause at once, and two clients answer them from the last', async () => {
    const steps = [[call('look', { n: 1 }), call('look', { n: 2 }), call('look', { n: 3 })], say('seen')];
    await using scene = await scenario(wire, { steps });
    const turn = await start(scene.session, 'a');
    await vi.waitFor(async () => {
      const record = await turn.get();
      expect(record.type === 'blocked' ? record.callbacks : []).toHaveLength(3);
    });
    const record = await turn.get();
    if (record.type !== 'blocked') throw new Error(record.type);
    const another = (await scene.at.connectAnother()).session(scene.session.id).turn(turn.id);
    for (const [index, callback] of record.callbacks.toReversed().entries()) {
      if (callback.type !== 'client_tool') throw new Error(callback.type);
      expect((await turn.get()).type).toBe('blocked');
      await (index % 2 === 0 ? turn : another).answer(callback.id, callback.call.arguments as object);
    }
    expect(await turn.result({ after: record })).toMatchObject({ type: 'completed', text: 'seen' });
    const { events } = await scene.at.runtime.readEvents({ sessionId: scene.session.id });
    expect(events.flatMap((event) => (event.type === 'turn.updated' ? [event.status] : []))).toEqual([
      'blocked',
      'running',
    ]);
  });

  test('session.startTurn.startsNewTurn, session.run.equalsStartTurnThenResult, turn.events.changesNothing', async () => {
    const steps = [call('Charge'), say('one'), call('Charge'), say('two')];
    const handle = { onApproval: () => allowApproval() };
    await using scene = await scenario(wire, { steps, handle });
    const sent = vi.spyOn(scene.at.near, 'send');
    const methods = () => {
      const names = sent.mock.calls.flatMap(([frame]) => ('method' in frame ? [frame.method] : []));
      sent.mockClear();
      return names;
    };
    const heard: string[][] = [[], []];
    const first = await scene.session.run('a', { onEvent: (event) => void heard[0]?.push(event.type) });
    const ofRun = methods();
    const turn = await start(scene.session, 'a');
    const second = await turn.result({ onEvent: (event) => void heard[1]?.push(event.type) });
    expect(methods()).toEqual(ofRun);
    expect(heard[1]).toEqual(heard[0]);
    expect([first.type, second.type]).toEqual(['completed', 'completed']);
    for await (const event of turn.events()) if (event.type === 'model.requested') break;
    expect(new Set(methods())).toEqual(new Set(['events/subscribe', 'events/unsubscribe']));
    const all: string[] = [];
    for await (const event of scene.session.events()) {
      all.push(event.type);
      if (event.type === 'turn.ended' && event.turnId === turn.id) break;
    }
    expect(all.filter((type) => type === 'turn.started')).toHaveLength(2);
  });
});
