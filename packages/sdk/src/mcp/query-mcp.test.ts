import { cp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { McpServer as McpServerOne } from '@modelcontextprotocol/sdk/server/mcp.js';
import { McpServer as McpServerTwo } from '@modelcontextprotocol/server';
import { call, say } from '@rondo/runtime/testing';
import { describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { query } from '../query.ts';
import { collectMessages } from '../testing/collect-messages.ts';
import { callResults, mcpStage, told, userSays } from '../testing/mcp-stage.ts';
import { createSdkMcpServer } from './create-sdk-mcp-server.ts';
import { tool, type ToolHandlerExtra } from './tool.ts';

const { setUp } = await mcpStage();

const text = (said: string) => ({ content: [{ type: 'text' as const, text: said }] });
const add = tool('add', 'Adds two numbers', { a: z.number(), b: z.number().default(1) }, async ({ a, b }) =>
  text(String(a + b)),
);
const calc = createSdkMcpServer({ name: 'calc', tools: [add] });

/** A server of one tool, and the options to call it without a question. */
function only(name: string, handler: Parameters<typeof tool>[3], extras?: Parameters<typeof tool>[4]) {
  const server = createSdkMcpServer({ name: 's', tools: [tool(name, '', {}, handler, extras)] });
  return { mcpServers: { s: server }, allowedTools: ['mcp__s'] };
}

describe('a server of this program', () => {
  test('offers its tools to the model and answers its calls', async () => {
    const { model, options } = setUp([call('mcp__calc__add', { a: 2 }), say('3')], {
      mcpServers: { calc },
      allowedTools: ['mcp__calc'],
    });
    const lines = await collectMessages(query({ prompt: 'add', options }));
    expect(lines[0]).toMatchObject({
      subtype: 'init',
      tools: ['mcp__calc__add'],
      mcp_servers: [{ name: 'calc', status: 'connected' }],
    });
    expect(model.requests[0]?.tools).toMatchObject([{ name: 'mcp__calc__add', description: 'Adds two numbers' }]);
    expect(callResults(lines)).toMatchObject([{ content: '3' }]);
    model.assertDone();
  });

  test.each([
    [
      'of the library 1.x',
      () => {
        const server = new McpServerOne({ name: 'lib', version: '1' });
        server.registerTool('add', { inputSchema: { a: z.number() } }, ({ a }) => text(String(a + 1)));
        return server;
      },
    ],
    [
      'of the library 2.x',
      () => {
        const server = new McpServerTwo({ name: 'lib', version: '1' });
        server.registerTool('add', { inputSchema: z.object({ a: z.number() }) }, ({ a }) => text(String(a + 1)));
        return server;
      },
    ],
  ])('may be one %s', async (_name, make) => {
    const { options } = setUp([call('mcp__lib__add', { a: 2 }), call('mcp__lib__add', { a: 'x' }), say('done')], {
      mcpServers: { lib: { type: 'sdk', name: 'lib', instance: make() } },
      allowedTools: ['mcp__lib__*'],
    });
    const [good, bad] = callResults(await collectMessages(query({ prompt: 'add', options })));
    expect(good).toMatchObject({ content: '3' });
    expect(bad).toMatchObject({ is_error: true, content: expect.stringMatching(/\ba\b/) });
  });

  test('serves a hundred queries at once', async () => {
    const server = new McpServerOne({ name: 'lib', version: '1' });
    server.registerTool('same', { inputSchema: { n: z.number() } }, ({ n }) => text(String(n)));
    const mcpServers = { calc, lib: { type: 'sdk' as const, name: 'lib', instance: server } };
    const answers = await Promise.all(
      Array.from({ length: 100 }, async (_, n) => {
        const steps = [call('mcp__calc__add', { a: n }), call('mcp__lib__same', { n }), say('done')];
        const { options } = setUp(steps, {
          mcpServers,
          allowedTools: ['mcp__calc', 'mcp__lib'],
          persistSession: false,
        });
        return callResults(await collectMessages(query({ prompt: 'go', options }))).map(({ content }) => content);
      }),
    );
    expect(answers).toEqual(answers.map((_, n) => [String(n + 1), String(n)]));
  });
});

describe('a call of a server’s tool', () => {
  test.each([
    ['no rule', {}, undefined],
    ['its server', { allowedTools: ['mcp__calc'] }, '3'],
    ['all of its server', { allowedTools: ['mcp__calc__*'] }, '3'],
    ['itself', { allowedTools: ['mcp__calc__add'] }, '3'],
    ['another server', { allowedTools: ['mcp__cal'] }, undefined],
    ['another tool', { allowedTools: ['mcp__calc__ad'] }, undefined],
    [
      'its server, though itself is asked about',
      { allowedTools: ['mcp__calc'], settings: { permissions: { ask: ['mcp__calc__add'] } } },
      undefined,
    ],
  ])('where %s is allowed', async (_what, more, answer) => {
    const { options } = setUp([call('mcp__calc__add', { a: 2 }), say('done')], { mcpServers: { calc }, ...more });
    const [result] = callResults(await collectMessages(query({ prompt: 'add', options })));
    if (answer === undefined) expect(result).toMatchObject({ is_error: true });
    else expect(result).toMatchObject({ content: answer });
  });

  test.each([['mcp__calc'], ['mcp__calc__*'], ['mcp__calc__add'], ['mcp__*']])(
    'is not offered where %s is denied',
    async (rule) => {
      const { model, options } = setUp([say('done')], {
        mcpServers: { calc },
        allowedTools: ['mcp__calc'],
        disallowedTools: [rule],
      });
      await collectMessages(query({ prompt: 'add', options }));
      expect(model.requests[0]?.tools ?? []).toEqual([]);
    },
  );

  test('is asked about by its own name', async () => {
    const asked: unknown[] = [];
    const { options } = setUp([call('mcp__calc__add', { a: 2 }), say('done')], {
      mcpServers: { calc },
      canUseTool: async (name, input, { suggestions }) => {
        asked.push(name, input, suggestions);
        return { behavior: 'allow', updatedInput: { a: 40, b: 2 } };
      },
    });
    const [result] = callResults(await collectMessages(query({ prompt: 'add', options })));
    expect(asked).toMatchObject(['mcp__calc__add', { a: 2 }, [{ type: 'addRules' }]]);
    expect(result).toMatchObject({ content: '42' });
  });

  test('with arguments that do not fit is never asked about, and each field is named', async () => {
    const { options } = setUp([call('mcp__calc__add', { b: 'x' }), say('done')], {
      mcpServers: { calc },
      canUseTool: () => expect.fail('nobody is to be asked'),
    });
    const [result] = callResults(await collectMessages(query({ prompt: 'add', options })));
    expect(result).toMatchObject({
      is_error: true,
      content: expect.stringMatching(/a: is missing, expected number\nb: /),
    });
  });

  test('that only reads, as its server says, is refused in plan mode all the same', async () => {
    const { options } = setUp([call('mcp__s__peek'), say('done')], {
      ...only('peek', async () => text('seen'), { annotations: { readOnlyHint: true } }),
      permissionMode: 'plan',
    });
    const [result] = callResults(await collectMessages(query({ prompt: 'look', options })));
    expect(result).toMatchObject({ is_error: true, content: expect.stringContaining('plan mode') });
  });

  test('runs beside others where its server says that it only reads', async () => {
    const both = Promise.withResolvers<void>();
    let running = 0;
    const peek = async () => {
      running += 1;
      if (running === 2) both.resolve();
      await both.promise;
      return text('seen');
    };
    const { options } = setUp([[call('mcp__s__peek'), call('mcp__s__peek')], say('done')], {
      ...only('peek', peek, { annotations: { readOnlyHint: true } }),
    });
    expect(callResults(await collectMessages(query({ prompt: 'look', options })))).toMatchObject([
      { content: 'seen' },
      { content: 'seen' },
    ]);
  });

  test('gives what it gives: structured content in place of texts, pictures, its failure', async () => {
    const answers = [
      { content: [{ type: 'text' as const, text: 'three' }], structuredContent: { sum: 3 } },
      { content: [{ type: 'text' as const, text: 'no such row' }], isError: true },
    ];
    const { options, model } = setUp([call('mcp__s__ask'), call('mcp__s__ask'), say('done')], {
      ...only('ask', async () => answers.shift() ?? text('')),
    });
    const lines = await collectMessages(query({ prompt: 'go', options }));
    expect(callResults(lines)).toMatchObject([{ content: '{"sum":3}' }, { content: 'no such row', is_error: true }]);
    expect(lines.find((line) => line.type === 'user')).toMatchObject({ tool_use_result: { sum: 3 } });
    model.assertDone();
  });

  test.each([
    ['throws', () => Promise.reject(new Error('no such row')), /no such row/],
    ['throws what is no error', () => Promise.reject('gone' as unknown as Error), /gone/],
    ['gives garbage', async () => 'garbage' as never, /no result of a tool: it gave a string/],
    ['gives nothing', async () => undefined as never, /gave nothing/],
  ])('has failed where its handler %s, and the session goes on', async (_what, handler, message) => {
    const { options } = setUp([call('mcp__s__do'), say('done')], only('do', handler));
    const lines = await collectMessages(query({ prompt: 'go', options }));
    expect(callResults(lines)).toMatchObject([{ is_error: true, content: expect.stringMatching(message) }]);
    expect(lines.at(-1)).toMatchObject({ subtype: 'success', result: 'done' });
  });

  test('is declined what it asks of a person', async () => {
    const ask = async (_args: unknown, extra: unknown) => {
      const { sendRequest } = extra as ToolHandlerExtra;
      const other = await sendRequest({ method: 'sampling/createMessage' }).catch((error: Error) => error.message);
      return text(JSON.stringify([await sendRequest({ method: 'elicitation/create' }), other]));
    };
    const { options } = setUp([call('mcp__s__ask'), say('done')], only('ask', ask));
    const [result] = callResults(await collectMessages(query({ prompt: 'go', options })));
    expect(result).toMatchObject({ content: '[{"action":"decline"},"sampling/createMessage is not served here"]' });
  });

  test.each([
    [
      'an answer',
      async () => ({ action: 'accept' as const, content: { name: 'Ada' } }),
      '{"action":"accept","content":{"name":"Ada"}}',
    ],
    ['a no', async () => ({ action: 'cancel' as const }), '{"action":"cancel"}'],
    ['an error', () => Promise.reject(new Error('nobody')), '{"action":"decline"}'],
    ['garbage', async () => 'yes' as never, '{"action":"decline"}'],
    ['a half answer', async () => ({ action: 'accept' as const, content: [] as never }), '{"action":"decline"}'],
  ])('hears what the person says to what it asks: %s', async (_what, onElicitation, heard) => {
    const asked: unknown[] = [];
    const params = { message: 'who?', requestedSchema: { type: 'object', properties: {} } };
    const ask = async (_args: unknown, extra: unknown) =>
      text(JSON.stringify(await (extra as ToolHandlerExtra).sendRequest({ method: 'elicitation/create', params })));
    const library = new McpServerOne({ name: 'lib', version: '1' });
    library.registerTool('ask', { inputSchema: {} }, async () =>
      text(
        JSON.stringify(
          await library.server.elicitInput({ message: 'who?', requestedSchema: { type: 'object', properties: {} } }),
        ),
      ),
    );
    const { mcpServers, allowedTools } = only('ask', ask);
    const { options } = setUp([call('mcp__s__ask'), call('mcp__lib__ask'), say('done')], {
      mcpServers: { ...mcpServers, lib: { type: 'sdk', name: 'lib', instance: library } },
      allowedTools: [...allowedTools, 'mcp__lib'],
      onElicitation(request, { signal }) {
        asked.push(request, signal.aborted);
        return onElicitation();
      },
    });
    const results = callResults(await collectMessages(query({ prompt: 'go', options })));
    expect(results).toMatchObject([{ content: heard }, { content: heard }]);
    expect(asked).toMatchObject([{ serverName: 's', ...params }, false, { serverName: 'lib', message: 'who?' }, false]);
  });

  test('hears of an interrupt, and holds nothing up that way', async () => {
    const started = Promise.withResolvers<void>();
    const aborted = Promise.withResolvers<void>();
    const hang = (_args: unknown, extra: unknown) => {
      (extra as ToolHandlerExtra).signal.addEventListener('abort', () => aborted.resolve());
      started.resolve();
      return new Promise<never>(() => {});
    };
    const { options } = setUp([call('mcp__s__hang')], only('hang', hang));
    const working = query({ prompt: oneMessage(), options });
    const lines = collectMessages(working);
    await started.promise;
    // The engine leaves a deaf handler behind after seconds, which pass at once here.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      let isOver = false;
      void lines.finally(() => (isOver = true));
      await working.interrupt();
      await aborted.promise;
      while (!isOver) await vi.advanceTimersByTimeAsync(1000);
    } finally {
      vi.useRealTimers();
    }
    expect(callResults(await lines)).toMatchObject([
      { is_error: true, content: expect.stringContaining('interrupted') },
    ]);
  });

  test('that gives no answer in its time has failed', async () => {
    const { options } = setUp([call('mcp__s__hang'), say('done')], {
      ...only('hang', () => new Promise<never>(() => {})),
      env: { MCP_TOOL_TIMEOUT: '1' },
    });
    const [result] = callResults(await collectMessages(query({ prompt: 'go', options })));
    expect(result).toMatchObject({ is_error: true, content: expect.stringContaining('no answer within 1 ms') });
  });
});

describe('a server that cannot be had', () => {
  test('has failed, is named with its reason, and the session goes on', async () => {
    const broken = { connect: () => Promise.reject(new Error('no room')), close: async () => {} };
    const { options } = setUp([say('done')], {
      mcpServers: { calc, broken: { type: 'sdk', name: 'broken', instance: broken } },
    });
    const lines = await collectMessages(query({ prompt: 'go', options }));
    expect(lines[0]).toMatchObject({
      mcp_servers: [
        { name: 'calc', status: 'connected' },
        { name: 'broken', status: 'failed' },
      ],
    });
    expect(told(lines)).toEqual(['The MCP server broken has failed: no room.']);
    expect(lines.at(-1)).toMatchObject({ subtype: 'success' });
  });

  test('that never answers has failed after its time', async () => {
    const silent = { connect: () => new Promise<never>(() => {}), close: async () => {} };
    const { options } = setUp([say('done')], {
      mcpServers: { silent: { type: 'sdk', name: 'silent', instance: silent } },
      env: { MCP_TIMEOUT: '1' },
    });
    const lines = await collectMessages(query({ prompt: 'go', options }));
    expect(lines[0]).toMatchObject({ mcp_servers: [{ name: 'silent', status: 'failed' }] });
    expect(told(lines)).toEqual(['The MCP server silent has failed: it did not answer within 1 ms.']);
  });

  test('that never answers holds up nobody who aborts', async () => {
    const asked = Promise.withResolvers<void>();
    const connect = () => {
      asked.resolve();
      return new Promise<never>(() => {});
    };
    const abortController = new AbortController();
    const { options } = setUp([], {
      mcpServers: { silent: { type: 'sdk', name: 'silent', instance: { connect, close: async () => {} } } },
      abortController,
    });
    const lines = collectMessages(query({ prompt: 'go', options }));
    await asked.promise;
    abortController.abort();
    await expect(lines).rejects.toThrow('aborted');
  });

  test('that never answers holds up nobody who closes, neither at the start nor where it is named later', async () => {
    const silent = () => {
      const asked = Promise.withResolvers<void>();
      const connect = () => {
        asked.resolve();
        return new Promise<never>(() => {});
      };
      const server = { type: 'sdk' as const, name: 'silent', instance: { connect, close: async () => {} } };
      return { server, asked: asked.promise };
    };
    const atStart = silent();
    const first = query({ prompt: 'go', options: setUp([], { mcpServers: { silent: atStart.server } }).options });
    await atStart.asked;
    await first[Symbol.asyncDispose]();

    const later = silent();
    const second = query({ prompt: twoMessages(), options: setUp([say('one'), say('two')]).options });
    await second.next();
    const set = second.setMcpServers({ silent: later.server });
    set.catch(() => {});
    await later.asked;
    await second[Symbol.asyncDispose]();
    await expect(set).rejects.toMatchObject({ code: 'channel.closed' });
  });

  test('and tools that no model can be told of are left out by name', async () => {
    const tools = [add, tool('odd', '', { 'a b': z.string() }, async () => text(''))];
    const { options, model } = setUp([say('done'), say('again')], {
      mcpServers: { 'Some Drive': createSdkMcpServer({ name: 'drive', tools }) },
    });
    const lines = await collectMessages(query({ prompt: twoMessages(), options }));
    expect(model.requests[0]?.tools?.map(({ name }) => name)).toEqual(['mcp__Some_Drive__add']);
    expect(told(lines)).toEqual([expect.stringMatching(/MCP server Some Drive: its tool "odd" is left out/)]);
  });

  test.each([
    [
      { type: 'http', url: 'https://x.test' },
      /options\.mcpServers\.x is a server of type 'http', which a later version serves/,
    ],
    [{ type: 'sse', url: 'https://x.test' }, /of type 'sse', which a later version/],
    [{ command: 'x' }, /of type 'stdio', which a later version/],
    [{ type: 'claudeai-proxy', url: 'https://x.test', id: '1' }, /has no meaning here/],
    [{ type: 'sdk', name: 'x' }, /has no instance with connect\(\) and close\(\)/],
    [{ type: 'carrier-pigeon' }, /has the type "carrier-pigeon"/],
    ['x', /takes a server's configuration/],
  ])('case %# is refused by name, at once', (config, message) => {
    const { options } = setUp([], { mcpServers: { x: config as never } });
    expect(() => query({ prompt: 'go', options })).toThrow(message);
  });

  test('and none at all is no error', async () => {
    const { options } = setUp([say('done')], { mcpServers: {}, strictMcpConfig: true });
    const lines = await collectMessages(query({ prompt: 'go', options }));
    expect(lines[0]).toMatchObject({ mcp_servers: [] });
  });
});

describe('a session that has had a server', () => {
  test('is gone on with where the server is, and refused by its name where it is not', async () => {
    const { options } = setUp([say('one'), say('two')], { mcpServers: { calc } });
    const [first] = await collectMessages(query({ prompt: 'go', options }));
    const resume = first?.session_id ?? '';
    const lines = await collectMessages(query({ prompt: 'on', options: { ...options, resume } }));
    expect(lines.at(-1)).toMatchObject({ result: 'two' });
    const { mcpServers: _, ...without } = options;
    await expect(collectMessages(query({ prompt: 'on', options: { ...without, resume } }))).rejects.toMatchObject({
      code: 'session.config_mismatch',
      message: expect.stringContaining('MCP server "calc"'),
    });
  });

  test.each([[{}], [{ idempotentHint: true, readOnlyHint: true }]])(
    'never makes a call again that was cut off, whatever its server hints (%j)',
    async (annotations) => {
      const started = Promise.withResolvers<void>();
      const over = Promise.withResolvers<void>();
      let calls = 0;
      const charge = async () => {
        calls += 1;
        started.resolve();
        await over.promise;
        return text('charged');
      };
      const server = only('charge', charge, { annotations });
      const { options, home } = setUp([call('mcp__s__charge'), say('done'), say('seen')], server);
      const lines = collectMessages(query({ prompt: 'charge', options }));
      await started.promise;
      // The disk as it is while the handler is at work.
      const stored = join(home, 'sessions');
      const kept = `${home}-kept`;
      await cp(stored, kept, { recursive: true });
      over.resolve();
      const [init] = await lines;
      await rm(stored, { recursive: true });
      await rename(kept, stored);
      const resume = init?.session_id ?? '';
      const resumed = query({ prompt: nothing(), options: { ...options, resume, unfinished: 'continue' } });
      const [result] = callResults(await collectMessages(resumed));
      expect(calls).toBe(1);
      expect(result).toMatchObject({ is_error: true, content: expect.stringMatching(/not known|unknown|may have/i) });
    },
  );
});

async function* oneMessage() {
  yield userSays('go');
}

async function* twoMessages() {
  yield userSays('go');
  yield { ...userSays('again'), priority: 'later' as const };
}

async function* nothing(): AsyncGenerator<never> {}
