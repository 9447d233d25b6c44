import type { PermissionResult, SDKUserMessage } from '@rondo/protocol';
import { manualClock } from '@rondo/runtime/testing';
import { describe, expect, test, vi } from 'vitest';
import type { Options } from '../options/options.ts';
import { query, type Query } from '../query.ts';
import { collectMessages } from '../testing/collect-messages.ts';
import { answered, createStubPeer, hears, initializes, result, state, type StubStep } from '../testing/stub-peer.ts';
import { warmPeer } from './start-peer-run.ts';

vi.setConfig({ testTimeout: 60_000 });

const answers = (subtype: string, response?: object): readonly StubStep[] => [
  { await: { type: 'control_request', request: { subtype } } },
  {
    write: {
      type: 'control_response',
      response: { subtype: 'success', request_id: '$id', ...(response === undefined ? {} : { response }) },
    },
  },
];

const refuses = (subtype: string, error: string): readonly StubStep[] => [
  { await: { type: 'control_request', request: { subtype } } },
  { write: { type: 'control_response', response: { subtype: 'error', request_id: '$id', error, error_code: 'odd' } } },
];

/** A query whose prompt stays open until the function has done its part; what it came to, and what the peer was asked. */
async function during<Value>(steps: readonly StubStep[], work: (query: Query) => Promise<Value>, more: Options = {}) {
  using peer = createStubPeer([...initializes, ...steps, { eof: true }], more);
  const done = Promise.withResolvers<void>();
  async function* prompt(): AsyncGenerator<SDKUserMessage> {
    await done.promise;
    yield* [];
  }
  const working = query({ prompt: prompt(), options: peer.options });
  const value = await work(working);
  done.resolve();
  await collectMessages(working);
  const requests = peer
    .log()
    .told.filter((frame) => frame['type'] === 'control_request')
    .map((frame) => frame['request']);
  return { value, requests: requests.slice(1) };
}

type Row = readonly [
  name: string,
  call: (query: Query) => Promise<unknown>,
  request: { readonly subtype: string },
  response: object | undefined,
  value: unknown,
];

const rows: readonly Row[] = [
  ['interrupt', (q) => q.interrupt(), { subtype: 'interrupt' }, { still_queued: ['u'] }, { still_queued: ['u'] }],
  ['interrupt of an old peer', (q) => q.interrupt(), { subtype: 'interrupt' }, undefined, undefined],
  [
    'setPermissionMode',
    (q) => q.setPermissionMode('plan'),
    { subtype: 'set_permission_mode', mode: 'plan' } as never,
    { mode: 'plan' },
    undefined,
  ],
  ['setModel', (q) => q.setModel('m'), { subtype: 'set_model', model: 'm' } as never, { model: 'm' }, undefined],
  ['setModel without a name', (q) => q.setModel(), { subtype: 'set_model' }, { model: 'm' }, undefined],
  [
    'setMaxThinkingTokens',
    (q) => q.setMaxThinkingTokens(null),
    { subtype: 'set_max_thinking_tokens', max_thinking_tokens: null } as never,
    undefined,
    undefined,
  ],
  [
    'applyFlagSettings',
    (q) => q.applyFlagSettings({ permissions: null }),
    { subtype: 'apply_flag_settings', settings: { permissions: null } } as never,
    undefined,
    undefined,
  ],
  [
    'rewindFiles',
    (q) => q.rewindFiles('u', { dryRun: true }),
    { subtype: 'rewind_files', user_message_id: 'u', dry_run: true } as never,
    { canRewind: true, filesChanged: [] },
    { canRewind: true, filesChanged: [] },
  ],
  [
    'mcpServerStatus',
    (q) => q.mcpServerStatus(),
    { subtype: 'mcp_status' },
    { mcpServers: [{ name: 'a', status: 'connected' }] },
    [{ name: 'a', status: 'connected' }],
  ],
  [
    'reconnectMcpServer',
    (q) => q.reconnectMcpServer('a'),
    { subtype: 'mcp_reconnect', serverName: 'a' } as never,
    undefined,
    undefined,
  ],
  [
    'toggleMcpServer',
    (q) => q.toggleMcpServer('a', false),
    { subtype: 'mcp_toggle', serverName: 'a', enabled: false } as never,
    undefined,
    undefined,
  ],
  [
    'setMcpServers',
    (q) =>
      q.setMcpServers({
        a: { command: 'x' },
        b: { type: 'sdk', name: 'b', instance: { connect: async () => {}, close: async () => {} } },
      }),
    { subtype: 'mcp_set_servers', servers: { a: { command: 'x' }, b: { type: 'sdk', name: 'b' } } } as never,
    { added: ['a', 'b'], removed: [], errors: {} },
    { added: ['a', 'b'], removed: [], errors: {} },
  ],
  ['stopTask', (q) => q.stopTask('t'), { subtype: 'stop_task', task_id: 't' } as never, {}, undefined],
];

describe('each method', () => {
  test.each(rows)('%s asks the peer', async (_, call, request, response, wanted) => {
    const { value, requests } = await during(answers(request.subtype, response), call);
    expect(value).toEqual(wanted);
    expect(requests).toEqual([request]);
  });

  test('that the peer refuses rejects with its words', async () => {
    await during(refuses('set_permission_mode', 'not here'), async (working) => {
      await expect(working.setPermissionMode('bypassPermissions')).rejects.toMatchObject({
        message: 'not here',
        details: { errorCode: 'odd' },
      });
    });
  });

  test('that asks what a session offers is answered from the first answer', async () => {
    const { value, requests } = await during([], async (working) => [
      await working.initializationResult(),
      await working.supportedCommands(),
      await working.supportedModels(),
      await working.supportedAgents(),
      await working.accountInfo(),
    ]);
    expect(value).toEqual([expect.objectContaining({ output_style: 'default' }), [], [], [], {}]);
    expect(requests).toEqual([]);
  });

  test('may be called while another waits, and answers are matched by ID', async () => {
    const steps: readonly StubStep[] = [
      { await: { request: { subtype: 'set_model' } }, as: 'a' },
      { await: { request: { subtype: 'mcp_status' } }, as: 'b' },
      {
        write: {
          type: 'control_response',
          response: { subtype: 'success', request_id: '$b', response: { mcpServers: [] } },
        },
      },
      { write: { type: 'control_response', response: { subtype: 'error', request_id: '$a', error: 'late' } } },
    ];
    const { value } = await during(
      steps,
      async (q) => await Promise.allSettled([q.setModel('m'), q.mcpServerStatus()]),
    );
    expect(value).toMatchObject([
      { status: 'rejected', reason: { message: 'late' } },
      { status: 'fulfilled', value: [] },
    ]);
  });

  test('that waits when the query is closed rejects, and so does one that is called later', async () => {
    using peer = createStubPeer([...initializes, { await: { request: { subtype: 'mcp_status' } } }, { eof: true }]);
    const working = query({ prompt: never(), options: peer.options });
    const waiting = working.mcpServerStatus();
    await vi.waitFor(() => expect(peer.log().told).toHaveLength(2), 60_000);
    working.close();
    await expect(waiting).rejects.toThrow('Query closed before response received');
    expect(await collectMessages(working)).toEqual([]);
    await expect(working.mcpServerStatus()).rejects.toThrow('Query closed before response received');
  });

  test('of a peer that ends without an answer rejects', async () => {
    using peer = createStubPeer([{ await: { request: { subtype: 'mcp_status' } } }, { exit: 0 }]);
    const working = query({ prompt: never(), options: peer.options });
    await expect(working.mcpServerStatus()).rejects.toThrow('Query closed before response received');
    await expect(working.initializationResult()).rejects.toThrow('ended before it was ready');
  });
});

describe('reinitialize', () => {
  const question = {
    type: 'control_request',
    request_id: 'q',
    request: { subtype: 'can_use_tool', tool_name: 'Bash', input: { command: 'ls' }, tool_use_id: 'call-1' },
  };

  test('says again what the program has, and puts the questions that wait to it under their IDs', async () => {
    const asked: string[] = [];
    const canUseTool: Options['canUseTool'] = async (tool, _input, { requestId }) => {
      asked.push(`${tool} ${requestId}`);
      return { behavior: 'deny', message: 'no' };
    };
    const hook = async () => ({});
    using peer = createStubPeer(
      [
        ...initializes,
        { await: { type: 'control_request', request: { subtype: 'initialize' } }, as: 'again' },
        {
          write: {
            type: 'control_response',
            response: {
              subtype: 'success',
              request_id: '$again',
              response: { output_style: 'fresh', models: [] },
              pending_permission_requests: [question],
            },
          },
        },
        answered('q'),
        { eof: true },
      ],
      { canUseTool, hooks: { Stop: [{ hooks: [hook] }] } },
    );
    const done = Promise.withResolvers<void>();
    const working = query({ prompt: until(done.promise), options: peer.options });
    await working.initializationResult();
    expect(await working.reinitialize()).toMatchObject({ output_style: 'fresh' });
    expect(await working.initializationResult()).toMatchObject({ output_style: 'fresh' });
    await vi.waitFor(() => expect(asked).toEqual(['Bash q']));
    done.resolve();
    await collectMessages(working);
    const { told } = peer.log();
    const said = told.filter((frame) => (frame['request'] as { subtype?: string })?.subtype === 'initialize');
    expect(said[1]?.['request']).toEqual(said[0]?.['request']);
  });

  test('that asks a question again which the program still has is answered once', async () => {
    const answersGiven: ((answer: PermissionResult) => void)[] = [];
    const canUseTool: Options['canUseTool'] = () => new Promise((resolve) => answersGiven.push(resolve));
    using peer = createStubPeer(
      [
        ...initializes,
        { write: question },
        { await: { type: 'control_request', request: { subtype: 'initialize' } }, as: 'again' },
        {
          write: {
            type: 'control_response',
            response: { subtype: 'success', request_id: '$again', pending_permission_requests: [question] },
          },
        },
        answered('q'),
        hears,
        result(),
        state('idle'),
        { eof: true },
      ],
      { canUseTool },
    );
    const done = Promise.withResolvers<void>();
    const working = query({ prompt: until(done.promise, 'hi'), options: peer.options });
    await vi.waitFor(() => expect(answersGiven).toHaveLength(1), 60_000);
    await working.reinitialize();
    await vi.waitFor(() => expect(answersGiven).toHaveLength(2), 60_000);
    answersGiven[1]?.({ behavior: 'deny', message: 'second' });
    answersGiven[0]?.({ behavior: 'allow' });
    done.resolve();
    await collectMessages(working);
    const responses = peer.log().told.filter((frame) => frame['type'] === 'control_response');
    expect(responses).toMatchObject([
      { response: { request_id: 'q', response: { behavior: 'deny', message: 'second' } } },
    ]);
  });
});

describe('a warm peer', () => {
  test('is ready before there is a prompt, and takes one', async () => {
    using peer = createStubPeer([...initializes, hears, result(), { eof: true }]);
    const warm = await warmPeer(peer.options);
    expect(peer.log().told).toHaveLength(1);
    const run = warm.start('hi');
    expect(await run.next()).toMatchObject({ type: 'result' });
    expect(await run.next()).toBeUndefined();
    expect(() => warm.start('again')).toThrow('one prompt');
  });

  test('that is refused, or ends, is an error, and nothing stays behind', async () => {
    const [asked] = initializes as [StubStep];
    const no: StubStep = {
      write: { type: 'control_response', response: { subtype: 'error', request_id: '$init', error: 'no' } },
    };
    using refused = createStubPeer([asked, no, { eof: true }]);
    await expect(warmPeer(refused.options)).rejects.toThrow('no');
    await vi.waitFor(() => expect(refused.log().entries).toContainEqual({ eof: true }), 60_000);
    using gone = createStubPeer([asked, { exit: 4 }]);
    await expect(warmPeer(gone.options)).rejects.toThrow('exited with code 4');
    await expect(warmPeer({ pathToClaudeCodeExecutable: '/no/such/peer' })).rejects.toThrow('not found');
  });

  test('that is not ready in time is given up, and ends', async () => {
    using peer = createStubPeer([{ await: { type: 'control_request' } }, { eof: true }]);
    const giving = new AbortController();
    const warming = warmPeer(peer.options, { signal: giving.signal });
    await vi.waitFor(() => expect(peer.log().told).toHaveLength(1), 60_000);
    giving.abort();
    await expect(warming).rejects.toThrow('Query closed before response received');
    await vi.waitFor(() => expect(peer.log().entries).toContainEqual({ eof: true }), 60_000);
  });

  test('that nobody needs is closed', async () => {
    const clock = manualClock();
    using peer = createStubPeer([...initializes, { eof: true }]);
    await (await warmPeer(peer.options, { clock })).close();
    await vi.waitFor(() => expect(peer.log().entries).toContainEqual({ eof: true }), 60_000);
  });
});

async function* never(): AsyncGenerator<SDKUserMessage> {
  await new Promise(() => {});
  yield* [];
}

async function* until(end: Promise<void>, text?: string): AsyncGenerator<SDKUserMessage> {
  if (text !== undefined) yield { type: 'user', message: { role: 'user', content: text }, parent_tool_use_id: null };
  await end;
}
