import { McpServer as McpServerOne } from '@modelcontextprotocol/sdk/server/mcp.js';
import { McpServer as McpServerTwo } from '@modelcontextprotocol/server';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { connectServer } from './connect-server.ts';
import type { McpConnection } from './mcp-connection.ts';
import type { McpServer, McpTransport } from './mcp-server.ts';

const clientInfo = { name: 'rondo', version: '0.0.0' };
const never = new AbortController().signal;

const reach = (instance: McpServer, signal = never): Promise<McpConnection> =>
  connectServer({ type: 'sdk', name: 'test', instance }, { signal, clientInfo });

interface Calls {
  aborted?: () => void;
  started?: () => void;
}

/** The same server, by both generations of the protocol's own library. */
const makers = {
  'of the library 1.x': (calls: Calls = {}): McpServer & { withTool(name: string): void } => {
    const server = new McpServerOne({ name: 'one', version: '1.2.3' });
    server.registerTool('double', { description: 'Doubles', inputSchema: { n: z.number() } }, ({ n }) => ({
      content: [{ type: 'text', text: String(2 * n) }],
    }));
    server.registerTool('hang', { inputSchema: {} }, (_args, { signal }) => {
      signal.addEventListener('abort', () => calls.aborted?.());
      calls.started?.();
      return new Promise(() => {});
    });
    server.registerTool('ask', { inputSchema: {} }, async () => {
      const answer = await server.server.elicitInput({
        message: 'who?',
        requestedSchema: { type: 'object', properties: {} },
      });
      return { content: [{ type: 'text', text: answer.action }] };
    });
    return Object.assign(server, {
      withTool: (name: string) => void server.registerTool(name, { inputSchema: {} }, () => ({ content: [] })),
    });
  },
  'of the library 2.x': (calls: Calls = {}): McpServer & { withTool(name: string): void } => {
    const server = new McpServerTwo({ name: 'one', version: '1.2.3' });
    server.registerTool('double', { description: 'Doubles', inputSchema: z.object({ n: z.number() }) }, ({ n }) => ({
      content: [{ type: 'text', text: String(2 * n) }],
    }));
    server.registerTool('hang', { inputSchema: z.object({}) }, (_args, { mcpReq }) => {
      mcpReq.signal.addEventListener('abort', () => calls.aborted?.());
      calls.started?.();
      return new Promise(() => {});
    });
    server.registerTool('ask', { inputSchema: z.object({}) }, async (_args, { mcpReq }) => {
      const answer = await mcpReq.elicitInput({ message: 'who?', requestedSchema: { type: 'object', properties: {} } });
      return { content: [{ type: 'text', text: answer.action }] };
    });
    return Object.assign(server, {
      withTool: (name: string) =>
        void server.registerTool(name, { inputSchema: z.object({}) }, () => ({ content: [] })),
    });
  },
};

describe.each(Object.entries(makers))('a server %s', (_name, make) => {
  test('says who it is, what tools it has, and answers calls', async () => {
    const connection = await reach(make());
    expect(connection.serverInfo).toEqual({ name: 'one', version: '1.2.3' });
    expect(connection.tools.map(({ name }) => name)).toEqual(['double', 'hang', 'ask']);
    expect(connection.tools[0]).toMatchObject({
      description: 'Doubles',
      inputSchema: { type: 'object', properties: { n: { type: 'number' } } },
    });
    expect(await connection.callTool('double', { n: 21 }, { signal: never })).toMatchObject({
      content: [{ type: 'text', text: '42' }],
    });
    await connection.close();
  });

  test('checks arguments before its handler and names the field', async () => {
    const connection = await reach(make());
    const answer = await connection
      .callTool('double', { n: 'two' }, { signal: never })
      .catch((error: unknown) => error);
    expect(JSON.stringify(answer) + String(answer)).toMatch(/\bn\b/);
    await connection.close();
  });

  test('hears that nobody waits any more', async () => {
    const aborted = Promise.withResolvers<void>();
    const started = Promise.withResolvers<void>();
    const connection = await reach(make({ aborted: aborted.resolve, started: started.resolve }));
    const controller = new AbortController();
    const answer = connection.callTool('hang', {}, { signal: controller.signal });
    await started.promise;
    controller.abort(new Error('interrupted'));
    await expect(answer).rejects.toThrow();
    await aborted.promise;
    await connection.close();
  });

  test('that asks something of the person is declined', async () => {
    const connection = await reach(make());
    expect(await connection.callTool('ask', {}, { signal: never })).toMatchObject({ content: [{ text: 'decline' }] });
    await connection.close();
  });

  test('asks the person of the one session that it works for, and nobody where it works for two', async () => {
    const started = Promise.withResolvers<void>();
    const connection = await reach(make({ started: started.resolve }));
    const asked: unknown[] = [];
    const elicit = async (params: unknown) => {
      asked.push(params);
      return { action: 'accept', content: {} };
    };
    const mine = { signal: never, elicit };
    expect(await connection.callTool('ask', {}, mine)).toMatchObject({ content: [{ text: 'accept' }] });
    expect(asked).toMatchObject([{ message: 'who?' }]);
    const other = new AbortController();
    const hanging = connection.callTool(
      'hang',
      {},
      { signal: other.signal, elicit: async () => ({ action: 'accept' }) },
    );
    await started.promise;
    expect(await connection.callTool('ask', {}, mine)).toMatchObject({ content: [{ text: 'decline' }] });
    expect(asked).toHaveLength(1);
    other.abort(new Error('enough'));
    await expect(hanging).rejects.toThrow('enough');
    await connection.close();
  });

  test('takes back what it asked of the person when the call is over', async () => {
    const connection = await reach(make());
    const call = new AbortController();
    const [asked, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const calling = connection.callTool(
      'ask',
      {},
      {
        signal: call.signal,
        async elicit(_params, { signal }) {
          signal.addEventListener('abort', () => over.resolve());
          asked.resolve();
          await over.promise;
          return { action: 'decline' };
        },
      },
    );
    await asked.promise;
    call.abort(new Error('enough'));
    await expect(calling).rejects.toThrow('enough');
    await over.promise;
    await connection.close();
  });

  test('serves a hundred sessions at once, and the last one that leaves closes it', async () => {
    const server = make();
    const connections = await Promise.all(Array.from({ length: 100 }, () => reach(server)));
    const answers = await Promise.all(
      connections.map((connection, n) => connection.callTool('double', { n }, { signal: never })),
    );
    expect(answers).toMatchObject(answers.map((_, n) => ({ content: [{ text: String(2 * n) }] })));
    const [first, ...others] = connections;
    await Promise.all(others.map((connection) => connection.close()));
    await Promise.all(others.map((connection) => connection.close()));
    expect(first?.status).toBe('connected');
    await first?.close();
    expect(first?.status).toBe('failed');
    const again = await reach(server);
    expect(again.status).toBe('connected');
    await again.close();
  });

  test('that goes away is lost: calls fail at once, and it can be reached anew', async () => {
    const server = make();
    const connection = await reach(server);
    await server.close();
    expect(connection.status).toBe('failed');
    expect(connection.error).toMatch(/closed/);
    await expect(connection.callTool('double', { n: 1 }, { signal: never })).rejects.toThrow(/closed/);
    const again = await reach(server);
    expect(again.status).toBe('connected');
    expect(await again.callTool('double', { n: 1 }, { signal: never })).toMatchObject({ content: [{ text: '2' }] });
    await again.close();
  });

  test('may change its tools', async () => {
    const server = make();
    const connection = await reach(server);
    server.withTool('late');
    await expect.poll(() => connection.tools.map(({ name }) => name)).toContain('late');
    await connection.close();
  });
});

const unanswered = Symbol('unanswered');

describe('a server that misbehaves', () => {
  /** @param answers by method; a method without one is never answered. */
  function scripted(answers: Record<string, (params: Record<string, unknown>) => unknown>): McpServer {
    let transport: McpTransport | undefined;
    return {
      async connect(to) {
        transport = to;
        to.onmessage = ({ id, method, params }) => {
          const answer = answers[String(method)];
          if (id === undefined || answer === undefined) return;
          const result = answer((params ?? {}) as Record<string, unknown>);
          if (result !== unanswered) to.send({ jsonrpc: '2.0', id, result }).catch(() => {});
        };
        await to.start();
      },
      async close() {
        await transport?.close();
      },
    };
  }
  const initialize = (): unknown => ({
    protocolVersion: '2025-06-18',
    capabilities: { tools: {} },
    serverInfo: { name: 'script', version: '1' },
  });

  test('and never answers is given up', async () => {
    const controller = new AbortController();
    const reaching = reach(scripted({}), controller.signal);
    controller.abort(new Error('it took too long'));
    await expect(reaching).rejects.toThrow('it took too long');
  });

  test('and answers to nothing but the handshake is given up', async () => {
    const controller = new AbortController();
    const asked = Promise.withResolvers<void>();
    const server = scripted({
      initialize,
      'tools/list'() {
        asked.resolve();
        return new Promise(() => {});
      },
    });
    const reaching = reach(server, controller.signal);
    await asked.promise;
    controller.abort(new Error('it took too long'));
    await expect(reaching).rejects.toThrow();
  });

  test('and throws when it is connected to is named with its error', async () => {
    const server: McpServer = {
      connect: () => Promise.reject(new Error('no room')),
      close: () => Promise.resolve(),
    };
    await expect(reach(server)).rejects.toThrow('no room');
    await expect(reach(server)).rejects.toThrow('no room');
  });

  test('and closes as soon as it is reached has failed', async () => {
    const server = scripted({
      initialize,
      'tools/list'() {
        void server.close();
        return { tools: [] };
      },
    });
    await expect(reach(server)).rejects.toThrow(/closed/);
  });

  test.each<[string, Parameters<typeof scripted>[0], RegExp]>([
    [
      'speaks another version',
      { initialize: () => ({ protocolVersion: '1999-01-01' }) },
      /a version .* not understood: "1999/,
    ],
    ['answers with nothing', { initialize: () => null }, /a version .* not understood/],
    ['lists what is no list', { initialize, 'tools/list': () => ({ tools: 'all' }) }, /list of tools is none/],
    [
      'lists without an end',
      { initialize, 'tools/list': ({ cursor }) => ({ tools: [], nextCursor: `${Number(cursor ?? 0) + 1}` }) },
      /has no end/,
    ],
  ])('and %s is named with what is wrong', async (_what, answers, message) => {
    await expect(reach(scripted(answers))).rejects.toThrow(message);
  });

  test('and describes its tools badly has those that have a name', async () => {
    const odd = { name: 'odd', title: 3, description: [], annotations: { readOnlyHint: 'yes', title: 4 }, _meta: 5 };
    const connection = await reach(
      scripted({ initialize, 'tools/list': () => ({ tools: [null, 3, {}, { name: 7 }, odd], nextCursor: 9 }) }),
    );
    expect(connection.tools).toEqual([{ name: 'odd', inputSchema: undefined, annotations: {} }]);
    await connection.close();
  });

  test('and lists its tools in three pages has all of them', async () => {
    const names = ['a', 'b', 'c'];
    const connection = await reach(
      scripted({
        initialize,
        'tools/list'({ cursor }) {
          const page = Number(cursor ?? 0);
          const tools = [{ name: names[page], inputSchema: { type: 'object' } }];
          return page < 2 ? { tools, nextCursor: String(page + 1) } : { tools };
        },
      }),
    );
    expect(connection.tools.map(({ name }) => name)).toEqual(names);
    await connection.close();
  });

  test('and has no tools has none', async () => {
    const connection = await reach(
      scripted({
        initialize: () => ({ ...(initialize() as object), capabilities: {} }),
      }),
    );
    expect(connection.tools).toEqual([]);
    await connection.close();
  });
});
