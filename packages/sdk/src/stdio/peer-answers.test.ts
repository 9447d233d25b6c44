import type { HookJSONOutput, PermissionResult, SDKUserMessage } from '@rondo/protocol';
import { describe, expect, test, vi } from 'vitest';
import type { McpServer, McpTransport } from '../mcp/mcp-server-config.ts';
import type { Options } from '../options/options.ts';
import { query } from '../query.ts';
import { collectMessages } from '../testing/collect-messages.ts';
import {
  answered,
  asks,
  createStubPeer,
  hears,
  initializes,
  result,
  state,
  type StubStep,
} from '../testing/stub-peer.ts';

vi.setConfig({ testTimeout: 60_000 });

const end: readonly StubStep[] = [result(), state('idle'), { eof: true }];

/** What the program answers to what the peer asks while it works on a prompt. */
async function answersOf(questions: readonly StubStep[], more: Options) {
  using peer = createStubPeer([...initializes, hears, state('running'), ...questions, ...end], more);
  await collectMessages(query({ prompt: 'hi', options: peer.options }));
  const { told, argv } = peer.log();
  const responses = told.filter((frame) => frame['type'] === 'control_response').map((frame) => frame['response']);
  return { responses, initialize: told[0]?.['request'] as Record<string, unknown>, argv };
}

const canUse = (id: string, more: object = {}): readonly StubStep[] => [
  asks(id, { subtype: 'can_use_tool', tool_name: 'Bash', input: { command: 'ls' }, tool_use_id: 'call-1', ...more }),
  answered(id),
];

describe('can_use_tool', () => {
  test('is put to canUseTool with all that the peer says of it', async () => {
    const canUseTool = vi.fn<NonNullable<Options['canUseTool']>>(async () => ({
      behavior: 'allow',
      updatedInput: { command: 'pwd' },
      updatedPermissions: [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }],
    }));
    const { responses, argv } = await answersOf(
      canUse('q', {
        permission_suggestions: [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }],
        blocked_path: '/x',
        decision_reason: 'outside',
        decision_reason_type: 'workingDir',
        display_name: 'Run a command',
        description: 'Run a command: ls',
        agent_id: 'agent-1',
        mcp_server: { name: 'weather', source: 'sdk' },
        requires_user_interaction: true,
      }),
      { canUseTool },
    );
    expect(argv).toContain('--permission-prompt-tool=stdio');
    expect(canUseTool).toHaveBeenCalledWith(
      'Bash',
      { command: 'ls' },
      {
        signal: expect.any(AbortSignal),
        suggestions: [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }],
        blockedPath: '/x',
        decisionReason: 'outside',
        decisionReasonType: 'workingDir',
        title: 'Run a command: ls',
        displayName: 'Run a command',
        toolUseID: 'call-1',
        agentID: 'agent-1',
        mcpServer: { name: 'weather', source: 'sdk' },
        requiresUserInteraction: true,
        requestId: 'q',
      },
    );
    expect(responses).toEqual([
      {
        subtype: 'success',
        request_id: 'q',
        response: {
          behavior: 'allow',
          updatedInput: { command: 'pwd' },
          updatedPermissions: [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }],
          toolUseID: 'call-1',
        },
      },
    ]);
  });

  test('is denied by a denial', async () => {
    const canUseTool = async (): Promise<PermissionResult> => ({ behavior: 'deny', message: 'no', interrupt: true });
    const { responses } = await answersOf(canUse('q'), { canUseTool });
    expect(responses).toMatchObject([
      { subtype: 'success', response: { behavior: 'deny', message: 'no', interrupt: true, toolUseID: 'call-1' } },
    ]);
  });

  test('without a function, with one that throws, and with an answer that decides nothing, is an error', async () => {
    const throwing = async (): Promise<never> => {
      throw new Error('out of order');
    };
    const odd = async () => ({ behavior: 'maybe' }) as unknown as PermissionResult;
    expect((await answersOf(canUse('q'), {})).responses).toEqual([
      { subtype: 'error', request_id: 'q', error: 'canUseTool callback is not provided.' },
    ]);
    expect((await answersOf(canUse('q'), { canUseTool: throwing })).responses).toEqual([
      { subtype: 'error', request_id: 'q', error: 'out of order' },
    ]);
    expect((await answersOf(canUse('q'), { canUseTool: odd })).responses).toMatchObject([
      { subtype: 'error', error: expect.stringContaining('canUseTool must answer') },
    ]);
  });

  test('is not answered by null', async () => {
    const asked = vi.fn(async () => null);
    const { responses } = await answersOf(
      [
        asks('q', { subtype: 'can_use_tool', tool_name: 'Bash', input: {}, tool_use_id: 'call-1' }),
        asks('next', { subtype: 'unheard_of' }),
        answered('next'),
      ],
      { canUseTool: asked },
    );
    expect(asked).toHaveBeenCalledOnce();
    expect(responses).toMatchObject([{ request_id: 'next' }]);
  });

  test('that is cancelled aborts its signal, and is not answered any more', async () => {
    const aborted = Promise.withResolvers<void>();
    const canUseTool: Options['canUseTool'] = (_tool, _input, { signal }) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => {
          aborted.resolve();
          resolve({ behavior: 'allow' });
        });
      });
    const { responses } = await answersOf(
      [
        asks('q', { subtype: 'can_use_tool', tool_name: 'Bash', input: {}, tool_use_id: 'call-1' }),
        { write: { type: 'control_cancel_request', request_id: 'q' } },
        asks('next', { subtype: 'unheard_of' }),
        answered('next'),
      ],
      { canUseTool },
    );
    await aborted.promise;
    expect(responses).toMatchObject([{ request_id: 'next' }]);
  });

  test('may be many at once, answered in the order in which the program comes to them', async () => {
    const first = Promise.withResolvers<PermissionResult>();
    const canUseTool: Options['canUseTool'] = async (tool) => {
      if (tool === 'First') return await first.promise;
      first.resolve({ behavior: 'deny', message: 'one' });
      return { behavior: 'deny', message: 'two' };
    };
    const ask = (id: string, tool: string) =>
      asks(id, { subtype: 'can_use_tool', tool_name: tool, input: {}, tool_use_id: id });
    const { responses } = await answersOf([ask('1', 'First'), ask('2', 'Second'), answered('1'), answered('2')], {
      canUseTool,
    });
    expect(responses.map((response) => (response as { request_id: string }).request_id).toSorted()).toEqual(['1', '2']);
    expect(responses).toContainEqual(
      expect.objectContaining({ request_id: '1', response: { behavior: 'deny', message: 'one', toolUseID: '1' } }),
    );
  });
});

describe('hook_callback', () => {
  const calls = (id: string, callback: string, more: object = {}): readonly StubStep[] => [
    asks(id, { subtype: 'hook_callback', callback_id: callback, input: { hook_event_name: 'Stop' }, ...more }),
    answered(id),
  ];

  test('calls the hook of its ID, with its input and the tool’s ID', async () => {
    const hook = vi.fn(async (): Promise<HookJSONOutput> => ({ decision: 'block', reason: 'not yet' }));
    const other = vi.fn(async () => undefined);
    const { responses, initialize } = await answersOf(
      [...calls('a', 'hook_0', { tool_use_id: 'call-1' }), ...calls('b', 'hook_1')],
      { hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [hook], timeout: 7 }], Stop: [{ hooks: [other] }] } },
    );
    expect(initialize['hooks']).toEqual({
      PreToolUse: [{ matcher: 'Bash', hookCallbackIds: ['hook_0'], timeout: 7 }],
      Stop: [{ hookCallbackIds: ['hook_1'] }],
    });
    const signal = expect.any(AbortSignal);
    expect(hook).toHaveBeenCalledWith({ hook_event_name: 'Stop' }, 'call-1', { signal });
    expect(other).toHaveBeenCalledWith({ hook_event_name: 'Stop' }, undefined, { signal });
    expect(responses).toEqual([
      { subtype: 'success', request_id: 'a', response: { decision: 'block', reason: 'not yet' } },
      { subtype: 'success', request_id: 'b', response: {} },
    ]);
  });

  test('of an unknown ID, or whose hook throws, is an error', async () => {
    const hook = async (): Promise<never> => {
      throw new Error('broken hook');
    };
    const { responses } = await answersOf([...calls('a', 'hook_9'), ...calls('b', 'hook_0')], {
      hooks: { Stop: [{ hooks: [hook] }] },
    });
    expect(responses).toMatchObject([
      { subtype: 'error', request_id: 'a', error: expect.stringContaining('hook_9') },
      { subtype: 'error', request_id: 'b', error: 'broken hook' },
    ]);
  });

  test('that is cancelled aborts its signal', async () => {
    const aborted = Promise.withResolvers<void>();
    const hook = (_input: unknown, _id: string | undefined, { signal }: { signal: AbortSignal }) =>
      new Promise<HookJSONOutput>(() => {
        signal.addEventListener('abort', () => aborted.resolve());
      });
    await answersOf(
      [
        asks('q', { subtype: 'hook_callback', callback_id: 'hook_0', input: {} }),
        { write: { type: 'control_cancel_request', request_id: 'q' } },
      ],
      { hooks: { Stop: [{ hooks: [hook] }] } },
    );
    await aborted.promise;
  });
});

describe('elicitation', () => {
  const asked: readonly StubStep[] = [
    asks('e', {
      subtype: 'elicitation',
      mcp_server_name: 'forms',
      message: 'Which one?',
      mode: 'form',
      elicitation_id: '7',
      requested_schema: { type: 'object' },
    }),
    answered('e'),
  ];

  test('is put to onElicitation', async () => {
    const onElicitation = vi.fn<NonNullable<Options['onElicitation']>>(async () => ({
      action: 'accept',
      content: { which: 'this' },
    }));
    const { responses } = await answersOf(asked, { onElicitation });
    expect(onElicitation).toHaveBeenCalledWith(
      {
        serverName: 'forms',
        message: 'Which one?',
        mode: 'form',
        elicitationId: '7',
        requestedSchema: { type: 'object' },
      },
      { signal: expect.any(AbortSignal) },
    );
    expect(responses).toMatchObject([{ response: { action: 'accept', content: { which: 'this' } } }]);
  });

  test('is declined without it', async () => {
    expect((await answersOf(asked, {})).responses).toMatchObject([{ response: { action: 'decline' } }]);
  });
});

describe('a server of the program', () => {
  type Message = Parameters<McpTransport['send']>[0];

  /** A server as the protocol's own ones are, with a tool that says what it was given. */
  function createServer({ isMute = false } = {}) {
    let transport: McpTransport | undefined;
    const heard: unknown[] = [];
    const reply = (message: Message): Message | undefined => {
      if (message['method'] === 'initialize') {
        return {
          protocolVersion: '2025-06-18',
          capabilities: { tools: {}, experimental: { 'rondo/checkArguments': {} } },
          serverInfo: { name: 'mine', version: '1' },
        };
      }
      if (message['method'] === 'tools/list') {
        const { cursor } = message['params'] as { cursor?: string };
        return cursor === undefined ? { tools: [{ name: 'one' }], nextCursor: 'p2' } : { tools: [{ name: 'two' }] };
      }
      return { content: [{ type: 'text', text: JSON.stringify(message['params']) }] };
    };
    const server: McpServer = {
      async connect(to) {
        transport = to;
        to.onmessage = (message) => {
          heard.push(message);
          if (message['id'] === undefined || message['method'] === undefined || isMute) return;
          void to.send({ jsonrpc: '2.0', id: message['id'], result: reply(message) ?? {} });
        };
        await to.start();
      },
      close: async () => {},
    };
    return { server, heard, say: async (message: Message) => await transport?.send(message) };
  }

  const speak = (id: string, message: object, server = 'mine'): readonly StubStep[] => [
    asks(id, { subtype: 'mcp_message', server_name: server, message: { jsonrpc: '2.0', ...message } }),
    answered(id),
  ];

  test('is named with what it offers, over all pages, and answers calls', async () => {
    const { server } = createServer();
    const { responses, initialize, argv } = await answersOf(
      [
        ...speak('a', { id: 5, method: 'tools/call', params: { name: 'one' } }),
        ...speak('b', { method: 'notifications/cancelled', params: {} }),
        ...speak('c', { id: '5', method: 'tools/call', params: { name: 'two' } }),
        ...speak('d', { id: 1, method: 'tools/list' }, 'other'),
      ],
      { mcpServers: { mine: { type: 'sdk', name: 'mine', instance: server } } },
    );
    expect(argv.join(' ')).not.toContain('--mcp-config');
    expect(initialize).toMatchObject({
      sdkMcpServers: ['mine'],
      sdkMcpServerManifests: {
        mine: {
          initializeResult: { serverInfo: { name: 'mine' } },
          toolsListResult: { tools: [{ name: 'one' }, { name: 'two' }] },
        },
      },
    });
    expect(responses).toEqual([
      {
        subtype: 'success',
        request_id: 'a',
        response: {
          mcp_response: { jsonrpc: '2.0', id: 5, result: { content: [{ type: 'text', text: '{"name":"one"}' }] } },
        },
      },
      { subtype: 'success', request_id: 'b', response: { mcp_response: { jsonrpc: '2.0', result: {}, id: 0 } } },
      {
        subtype: 'success',
        request_id: 'c',
        response: {
          mcp_response: { jsonrpc: '2.0', id: '5', result: { content: [{ type: 'text', text: '{"name":"two"}' }] } },
        },
      },
      { subtype: 'error', request_id: 'd', error: 'SDK MCP server not found: other' },
    ]);
  });

  test('says things by itself, also requests, whose answers it gets', async () => {
    const { server, heard, say } = createServer();
    using peer = createStubPeer(
      [
        ...initializes,
        { await: { type: 'control_request', request: { subtype: 'mcp_message', message: { method: 'ping' } } } },
        ...speak('a', { id: 'own-1', result: { done: true } }),
        hears,
        result(),
        { eof: true },
      ],
      { mcpServers: { mine: { type: 'sdk', name: 'mine', instance: server } } },
    );
    const go = Promise.withResolvers<void>();
    async function* prompt(): AsyncGenerator<SDKUserMessage> {
      await go.promise;
      yield { type: 'user', message: { role: 'user', content: 'hi' }, parent_tool_use_id: null };
    }
    const working = query({ prompt: prompt(), options: peer.options });
    await working.initializationResult();
    await say({ jsonrpc: '2.0', id: 'own-1', method: 'ping' });
    await vi.waitFor(
      () => expect(heard).toContainEqual({ jsonrpc: '2.0', id: 'own-1', result: { done: true } }),
      60_000,
    );
    go.resolve();
    await collectMessages(working);
  });

  test('that fails to connect is left out of what is offered, and its calls are errors', async () => {
    const server: McpServer = { connect: () => Promise.reject(new Error('no connection')), close: async () => {} };
    const { responses, initialize } = await answersOf(speak('a', { id: 1, method: 'tools/list' }), {
      mcpServers: { mine: { type: 'sdk', name: 'mine', instance: server } },
    });
    expect(initialize).toMatchObject({ sdkMcpServers: ['mine'] });
    expect(initialize).not.toHaveProperty('sdkMcpServerManifests');
    expect(responses).toMatchObject([{ subtype: 'error', error: 'no connection' }]);
  });
});

test('what a client does not know is answered so', async () => {
  const { responses } = await answersOf(
    [
      asks('x', { subtype: 'request_user_dialog', dialog_kind: 'x' }),
      answered('x'),
      asks('y', { subtype: 'constructor' }),
      answered('y'),
    ],
    {},
  );
  expect(responses).toEqual([
    {
      subtype: 'error',
      request_id: 'x',
      error: 'Unsupported control request subtype: request_user_dialog',
      error_code: 'unsupported_request',
    },
    {
      subtype: 'error',
      request_id: 'y',
      error: 'Unsupported control request subtype: constructor',
      error_code: 'unsupported_request',
    },
  ]);
});
