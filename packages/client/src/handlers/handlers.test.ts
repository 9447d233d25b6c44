import { type OpenCallback, RondoError, type StandardSchema, ToolError } from '@rondo/protocol';
import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  allowApproval,
  clientTool,
  clientToolAnswers,
  denyApproval,
  type HandleOptions,
  keepCallbackOpen,
  signInAnswer,
  toolResult,
} from '../index.ts';
import {
  approval,
  blocked,
  CALLBACK,
  clientCall,
  ended,
  hostDouble,
  opened,
  OTHER,
  resolved,
  running,
  SESSION,
  settle,
  signIn,
  started,
} from '../testing/host-double.ts';

/** A Standard Schema; undefined is what does not fit. */
function schema<Output>(fit: (value: unknown) => unknown): StandardSchema<Output> {
  const validate = (value: unknown) => {
    const fitting = fit(value);
    return fitting === undefined ? { issues: [{ message: 'expected something else' }] } : { value: fitting as Output };
  };
  return { '~standard': { version: 1, vendor: 'test', validate } };
}
const pathSchema = schema<{ path: string }>((value) =>
  typeof value === 'object' && value !== null && 'path' in value ? { path: value.path } : undefined,
);

afterEach(() => vi.useRealTimers());

/** A turn that asks; a taken answer resolves the question, and with the last one the turn ends. */
function asking(handle: HandleOptions<unknown>, ...callbacks: OpenCallback[]) {
  const open = [...callbacks];
  const answers: { sessionId: string; callbackId: string; answer: unknown }[] = [];
  const refusals: RondoError[] = [];
  const host = hostDouble(
    {
      'callback/answer': (params) => {
        const refusal = refusals.shift();
        if (refusal !== undefined) throw refusal;
        const { callbackId, sessionId, answer } = params as (typeof answers)[number];
        const index = open.findIndex((callback) => 'id' in callback && callback.id === callbackId);
        if (index < 0) return { type: 'alreadySettled', sessionId };
        answers.push({ sessionId, callbackId, answer });
        open.splice(index, 1);
        host.emit(resolved('t1', callbackId));
        if (open.length > 0) host.records.set('t1', blocked('t1', 's:9', ...open));
        else {
          host.records.set('t1', running('t1', 's:9'));
          host.emit(ended('t1', 's:10'));
        }
        return { type: 'answered', sessionId, answer: null };
      },
    },
    { trusted: true },
    handle as HandleOptions,
  );
  host.emit(started('t1'), ...callbacks.map((callback) => opened('t1', callback)));
  host.records.set('t1', blocked('t1', `s:${callbacks.length + 1}`, ...callbacks));
  return { ...host, turn: host.session.turn('t1'), answers, refusals, open };
}

describe('a handler', () => {
  test.each([
    [
      'an approval',
      approval(),
      { onApproval: () => allowApproval({ scope: 'session' }) },
      { type: 'allow', scope: 'session' },
    ],
    [
      'a denial',
      approval(),
      { onApproval: async () => denyApproval({ message: 'no' }) },
      { type: 'deny', message: 'no' },
    ],
    [
      'a sign-in',
      signIn('a', 'b'),
      { onSignIn: () => signInAnswer({ connected: ['a'], denied: ['b'] }) },
      { type: 'sign_in', connected: ['a'], denied: ['b'] },
    ],
    [
      'a result',
      clientCall(),
      { onClientTool: () => ({ path: 'a.ts' }) },
      { type: 'tool_result', result: { path: 'a.ts' } },
    ],
    ['nothing, which is null', clientCall(), { onClientTool: () => {} }, { type: 'tool_result', result: null }],
    [
      'a result with content of its own',
      clientCall(),
      { onClientTool: () => toolResult({ content: 'one file', structured: 1 }) },
      { type: 'tool_result', result: 1, content: [{ type: 'text', text: 'one file' }] },
    ],
  ] as const)('answers during a wait with %s', async (_what, callback, handle, answer) => {
    const { turn, answers } = asking(handle, callback);
    expect(await turn.result()).toMatchObject({ type: 'completed' });
    expect(answers).toEqual([{ sessionId: SESSION, callbackId: CALLBACK, answer }]);
  });

  test('is told which question it is', async () => {
    const onApproval = vi.fn(() => allowApproval());
    const onClientTool = vi.fn(() => 'done');
    const { turn } = asking({ onApproval, onClientTool }, approval(), clientCall(OTHER));
    await turn.result();
    const at = { sessionId: SESSION, turnId: 't1' };
    const request = expect.objectContaining({ tool: { name: 'Bash' }, source: 'policy' });
    expect(onApproval.mock.calls).toEqual([[{ callbackId: CALLBACK, title: 'Run ls', ...at }, request]]);
    const call = { callbackId: OTHER, toolCallId: 'c', toolId: 'client.pick', name: 'pick', arguments: { ext: 'ts' } };
    expect(onClientTool.mock.calls).toEqual([[{ ...call, ...at }]]);
  });

  test('is not asked by reads, iterations, and waits that have been left', async () => {
    const onApproval = vi.fn(() => allowApproval());
    const { turn, session, answers } = asking({ onApproval }, approval());
    await turn.get();
    for await (const event of turn.events()) if (event.type === 'callback.opened') break;
    for await (const event of session.events()) if (event.type === 'callback.opened') break;
    await expect(turn.result({ signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'operation.aborted' });
    expect(onApproval).not.toHaveBeenCalled();
    expect(answers).toEqual([]);
  });

  test('that leaves its question to others is not asked again, and the wait gives the question', async () => {
    const onApproval = vi.fn(() => keepCallbackOpen());
    const { turn, answers } = asking({ onApproval }, approval());
    for (let again = 0; again < 2; again += 1)
      expect(await turn.result()).toMatchObject({ type: 'blocked', callbacks: [{ id: CALLBACK }] });
    expect(onApproval).toHaveBeenCalledTimes(1);
    expect(answers).toEqual([]);
    // Another one may think otherwise.
    const other = asking({ onApproval: () => allowApproval() }, approval());
    expect(await other.turn.result()).toMatchObject({ type: 'completed' });
  });

  test('answers what stood open before the wait’s position too', async () => {
    const { turn } = asking({ onClientTool: () => 'late' }, clientCall());
    expect(await turn.result({ after: 's:2' })).toMatchObject({ type: 'completed' });
  });

  test('is asked for a subagent’s question, and answers in the subagent’s session', async () => {
    const question = { ...approval(), sessionId: 'sub', turnId: 'sub-turn' } as OpenCallback;
    const onApproval = vi.fn(() => allowApproval());
    const { turn, answers } = asking({ onApproval }, question);
    expect(await turn.result()).toMatchObject({ type: 'completed' });
    expect(onApproval.mock.calls).toMatchObject([[{ sessionId: 'sub', turnId: 'sub-turn' }, {}]]);
    expect(answers).toMatchObject([{ sessionId: 'sub' }]);
  });

  test('finds a subagent’s question by the turn’s being blocked', async () => {
    const host = asking({ onApproval: () => allowApproval() });
    host.records.set('t1', running('t1', 's:1'));
    const wait = host.turn.result({ after: 's:1' });
    await settle();
    const question = { ...approval(), sessionId: 'sub', turnId: 'sub-turn' } as OpenCallback;
    host.open.push(question);
    host.records.set('t1', blocked('t1', 's:2', question));
    host.emit({ type: 'turn.updated', turnId: 't1', status: 'blocked' });
    expect(await wait).toMatchObject({ type: 'completed' });
  });

  test('at work keeps the wait from giving questions of others until it is done', async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const { turn, answers } = asking({ onClientTool: () => promise }, clientCall(), approval(OTHER));
    let record: unknown;
    void turn.result().then((given) => (record = given));
    await settle();
    expect(record).toBeUndefined();
    resolve('picked');
    await vi.waitFor(() => expect(record).toMatchObject({ type: 'blocked', callbacks: [{ id: OTHER }] }));
    expect(answers).toHaveLength(1);
  });

  test('still at work does not keep a wait from the turn’s end, or from its timeout', async () => {
    const never = () => new Promise<never>(() => {});
    const ending = asking({ onApproval: never }, approval());
    const wait = ending.turn.result();
    await settle();
    ending.emit(ended('t1', 's:3'));
    expect(await wait).toMatchObject({ type: 'completed' });
    const waiting = asking({ onApproval: never }, approval('6ba7b812-9dad-41d1-80b4-00c04fd430c8'));
    expect(await waiting.turn.result({ timeoutMs: 5 })).toMatchObject({ type: 'blocked' });
  });
});

describe('a handler of approvals or sign-ins that fails', () => {
  test.each<[string, OpenCallback, HandleOptions]>([
    ['gives true', approval(), { onApproval: () => true as never }],
    ['gives nothing', approval(), { onApproval: () => undefined as never }],
    ['gives null', approval(), { onApproval: () => null as never }],
    ['gives a plain object', approval(), { onApproval: () => ({ type: 'allow', scope: 'once' }) as never }],
    ['gives a sign-in for an approval', approval(), { onApproval: () => signInAnswer({}) as never }],
    ['gives an approval for a sign-in', signIn('a'), { onSignIn: () => allowApproval() as never }],
    ['gives nothing for a sign-in', signIn('a'), { onSignIn: () => undefined as never }],
    ['leaves a source out', signIn('a', 'b'), { onSignIn: () => signInAnswer({ connected: ['a'] }) }],
    [
      'allows a hook’s question for the session',
      approval(CALLBACK, 'hook'),
      { onApproval: () => allowApproval({ scope: 'session' }) },
    ],
  ])('%s: the wait throws, nothing is sent and the question stays open', async (_what, callback, handle) => {
    const { turn, methods } = asking(handle, callback);
    await expect(turn.result()).rejects.toMatchObject({ code: 'answer.unfit' });
    expect(methods()).not.toContain('callback/answer');
    expect(await turn.get()).toMatchObject({ type: 'blocked', callbacks: [{ id: CALLBACK }] });
  });

  test.each<[string, OpenCallback, (error: Error) => HandleOptions]>([
    ['onApproval', approval(), (error) => ({ onApproval: () => Promise.reject(error) })],
    [
      'onSignIn',
      signIn('a'),
      (error) => ({
        onSignIn: () => {
          throw error;
        },
      }),
    ],
  ])('%s throws: so does the wait, with the same error; a later wait asks again', async (_what, callback, handle) => {
    const error = new Error('no screen');
    const { turn, methods } = asking(handle(error), callback);
    for (let again = 0; again < 2; again += 1) await expect(turn.result()).rejects.toBe(error);
    expect(methods()).not.toContain('callback/answer');
  });
});

describe('waits at the same time', () => {
  test('share one answer, also over equal handles of two clients', async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const calls: string[] = [];
    const ask = (who: string) => ({ onClientTool: () => (calls.push(who), promise) });
    const one = asking(ask('one'), clientCall());
    const alike = one.client.session(SESSION, { ...ask('two'), bindingId: 'b' }).turn('t1');
    const waits = [one.turn.result(), one.turn.result(), alike.result(), one.turn.result({ onEvent: () => {} })];
    await settle();
    resolve('picked');
    for (const record of await Promise.all(waits)) expect(record).toMatchObject({ type: 'completed' });
    expect(calls).toEqual(['one']);
    expect(one.answers).toHaveLength(1);
  });

  test('share a failure too', async () => {
    const error = new Error('no screen');
    const onApproval = vi.fn(() => Promise.reject(error));
    const { turn } = asking({ onApproval }, approval());
    const waits = [turn.result(), turn.result()];
    for (const wait of waits) await expect(wait).rejects.toBe(error);
    expect(onApproval).toHaveBeenCalledTimes(1);
  });

  test('ask nobody again for a record that was read before the answer', async () => {
    const reads = [Promise.withResolvers<unknown>(), Promise.withResolvers<unknown>()];
    const onApproval = vi.fn(() => allowApproval());
    const stale = blocked('t1', 's:2', approval());
    let number = 0;
    const host = hostDouble(
      {
        'turn/read': () => reads[number++]?.promise ?? running('t1', 's:4'),
        'callback/answer': () => ({ type: 'answered', sessionId: SESSION, answer: null }),
      },
      { trusted: true },
      { onApproval },
    );
    host.emit(started('t1'), opened('t1', approval()));
    const turn = host.session.turn('t1');
    const waits = [turn.result(), turn.result()];
    reads[0]?.resolve(stale);
    await vi.waitFor(() => expect(host.methods()).toContain('callback/answer'));
    await settle();
    reads[1]?.resolve(stale);
    await settle();
    host.emit(resolved('t1', CALLBACK), ended('t1', 's:4'));
    for (const record of await Promise.all(waits)) expect(record).toMatchObject({ type: 'completed' });
    expect(onApproval).toHaveBeenCalledTimes(1);
  });
});

describe('a client tool', () => {
  test('that fails is told to the model, word for word where it is a ToolError', async () => {
    for (const [error, told] of [
      [new ToolError('no such file'), 'no such file'],
      [new Error('EACCES'), 'The tool failed: EACCES'],
    ] as const) {
      const { turn, answers } = asking({ onClientTool: () => Promise.reject(error) }, clientCall());
      expect(await turn.result()).toMatchObject({ type: 'completed' });
      expect(answers).toMatchObject([{ answer: { type: 'tool_result', error: told } }]);
    }
  });

  test('that fails under "raise" ends the wait with its own error, and stays open', async () => {
    const error = new Error('EACCES');
    const { turn, methods } = asking({ onClientTool: () => Promise.reject(error), toolErrors: 'raise' }, clientCall());
    await expect(turn.result()).rejects.toBe(error);
    expect(methods()).not.toContain('callback/answer');
    expect(await turn.get()).toMatchObject({ type: 'blocked', callbacks: [{ id: CALLBACK }] });
    expect(await turn.answer(CALLBACK, 'by hand')).toMatchObject({ type: 'answered', answer: null });
  });

  test('whose answer cannot be sent ends the wait with what happened, after one call', async () => {
    const onClientTool = vi.fn(() => 'picked');
    const { turn, refusals, session } = asking({ onClientTool }, clientCall());
    const cause = new RondoError('store.unavailable', 'down');
    refusals.push(cause, cause);
    const unsent = { code: 'answer.unsent', details: { callbackId: CALLBACK }, cause: { code: 'store.unavailable' } };
    await expect(turn.result()).rejects.toMatchObject(unsent);
    expect(onClientTool).toHaveBeenCalledTimes(1);
    await expect(session.run('again')).rejects.toMatchObject(unsent);
    expect(await turn.answer(CALLBACK, 'by hand')).toMatchObject({ type: 'answered' });
  });

  test('has its function in a set, by name or whole ID; without one its call is for others', async () => {
    const answers = (functions: Parameters<typeof clientToolAnswers>[0]) => ({
      onClientTool: clientToolAnswers(functions),
    });
    const byName = asking(answers({ pick: ({ arguments: args }) => args as object }), clientCall());
    await byName.turn.result();
    expect(byName.answers).toMatchObject([{ answer: { result: { ext: 'ts' } } }]);
    const byId = asking(answers({ 'client.pick': () => 1 }), clientCall());
    expect(await byId.turn.result()).toMatchObject({ type: 'completed' });
    const rest = asking(answers({ other: () => 1, default: ({ name }) => name }), clientCall());
    await rest.turn.result();
    expect(rest.answers).toMatchObject([{ answer: { result: 'pick' } }]);
    const none = asking(answers({ other: () => 1 }), clientCall());
    expect(await none.turn.result()).toMatchObject({ type: 'blocked' });
    expect(() => clientToolAnswers({ pick: 1 as never })).toThrow(TypeError);
  });

  test('of the platform is nobody’s here', async () => {
    const call = {
      ...clientCall(),
      call: { toolCallId: 'c', toolId: 'connectors.mail', name: 'connectors.mail', arguments: {} },
    };
    const onClientTool = vi.fn(() => 1);
    const { turn } = asking({ onClientTool }, call as OpenCallback);
    expect(await turn.result()).toMatchObject({ type: 'blocked' });
    await expect(turn.answer(CALLBACK, 1)).rejects.toMatchObject({ code: 'answer.unfit' });
    expect(onClientTool).not.toHaveBeenCalled();
  });

  test('that is known has its own function, and results that fit its schema', async () => {
    const pick = clientTool({
      name: 'pick',
      description: 'Picks a file.',
      inputSchema: schema<{ ext: string }>((value) => value),
      outputSchema: pathSchema,
    });
    const own = asking({ tools: [pick.answer(({ ext }) => ({ path: `a.${ext}` }))] }, clientCall());
    expect(await own.turn.result()).toMatchObject({ type: 'completed' });
    expect(own.answers).toMatchObject([{ answer: { result: { path: 'a.ts' } } }]);

    const wrong = asking({ tools: [pick], onClientTool: () => 7 }, clientCall());
    await wrong.turn.result();
    expect(wrong.answers).toMatchObject([
      { answer: { error: expect.stringMatching(/output schema: expected something else/) as string } },
    ]);

    const byId = asking({ tools: [pick] }, clientCall());
    for (const misfit of [7, toolResult({ structured: 7 })])
      await expect(byId.turn.answer(CALLBACK, misfit)).rejects.toMatchObject({ code: 'answer.unfit' });
    expect(byId.answers).toEqual([]);
    // Fields that the schema does not know are not sent, as from a handler.
    await byId.turn.answer(CALLBACK, { path: 'b.ts', extra: true });
    expect(byId.answers).toMatchObject([{ answer: { type: 'tool_result', result: { path: 'b.ts' } } }]);
  });

  test('described by a JSON Schema, shared by two, or not known, takes any JSON', async () => {
    const described = { name: 'pick', description: '', inputSchema: { type: 'object' } } as const;
    const loose = clientTool({ ...described, outputSchema: { type: 'string' } });
    const strict = clientTool({
      ...described,
      outputSchema: schema<string>((value) => (typeof value === 'string' ? value : undefined)),
    });
    const another = clientTool({
      ...described,
      outputSchema: schema<boolean>((value) => (typeof value === 'boolean' ? value : undefined)),
    });
    for (const tools of [[loose], [strict, another], []]) {
      const { turn, answers } = asking({ tools }, clientCall());
      expect(await turn.answer(CALLBACK, { n: 1 })).toMatchObject({ type: 'answered', answer: null });
      expect(answers).toMatchObject([{ answer: { type: 'tool_result', result: { n: 1 } } }]);
    }
  });

  test('cannot give what JSON cannot carry', async () => {
    const { turn, answers } = asking({ onClientTool: () => ({ at: new Date() }) }, clientCall());
    await turn.result();
    expect(answers).toMatchObject([{ answer: { error: expect.stringContaining('JSON cannot carry') as string } }]);
  });
});

describe('a wait’s time', () => {
  const slow =
    <Value>(value: Value) =>
    () =>
      new Promise<Value>((resolve) => setTimeout(() => resolve(value), 2000));

  test.each([
    ['onApproval', approval(), { onApproval: slow(allowApproval()) }],
    ['onSignIn', signIn('a'), { onSignIn: slow(signInAnswer({ denied: ['a'] })) }],
  ])('counts %s, whose answer still counts after it', async (_what, callback, handle) => {
    vi.useFakeTimers();
    const { turn, answers } = asking(handle, callback);
    const wait = turn.result({ timeoutMs: 1000 });
    await vi.advanceTimersByTimeAsync(1000);
    expect(await wait).toMatchObject({ type: 'blocked' });
    expect(answers).toEqual([]);
    await vi.advanceTimersByTimeAsync(1000);
    expect(answers).toHaveLength(1);
  });

  test('does not count client tools, but what is before and after them', async () => {
    vi.useFakeTimers();
    const { turn, open, records } = asking({ onClientTool: slow('picked') }, clientCall());
    open.push(approval(OTHER));
    records.set('t1', blocked('t1', 's:2', clientCall()));
    const wait = turn.result({ timeoutMs: 1000, after: 's:2' });
    await vi.advanceTimersByTimeAsync(2500);
    let isOver = false;
    void wait.then(() => (isOver = true));
    await vi.advanceTimersByTimeAsync(400);
    expect(isOver).toBe(false);
    await vi.advanceTimersByTimeAsync(200);
    expect(isOver).toBe(true);
  });
});

test('handlers and output types that cannot be are refused when the handle is made', () => {
  const { client } = hostDouble();
  const handle = (options: object) => () => client.session('s', options as HandleOptions);
  expect(handle({ onApproval: true })).toThrow(/onApproval must be a function/);
  expect(handle({ onClientTool: {} })).toThrow(/clientToolAnswers/);
  expect(handle({ toolErrors: 'ignore' })).toThrow(/"report" or "raise"/);
  expect(handle({ outputType: {} })).toThrow(/Standard Schema/);
  expect(handle({ tools: [{}] })).toThrow(/clientTool/);
  expect(() => client.agent('a', { toolErrors: 'ignore' as never })).toThrow(/"report" or "raise"/);
  expect(() => client.agent('')).toThrow(TypeError);
});
