import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createSdkMcpServer } from './create-sdk-mcp-server.ts';
import type { McpMessage, McpServer, McpTransport } from './mcp-server-config.ts';
import { tool, type ToolHandlerExtra } from './tool.ts';

const double = tool(
  'double',
  'Doubles',
  { n: z.number() },
  async ({ n }) => ({ content: [{ type: 'text', text: String(2 * n) }], structuredContent: { doubled: 2 * n } }),
  { annotations: { readOnlyHint: true, title: 'Double it' }, _meta: { 'vendor/x': 1 } },
);

async function connected(instance: McpServer, elicits = false) {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: 'test', version: '1' }, { capabilities: elicits ? { elicitation: {} } : {} });
  if (elicits) client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: { ok: true } }));
  await instance.connect(theirs);
  await client.connect(ours);
  return client;
}

/** Messages to a server, and what it says to them. */
async function wire(instance: McpServer) {
  const heard: McpMessage[] = [];
  let wake = (): void => {};
  const transport: McpTransport = {
    start: async () => {},
    async send(message) {
      heard.push(message);
      wake();
    },
    async close() {
      transport.onclose?.();
    },
  };
  await instance.connect(transport);
  return {
    heard,
    transport,
    say: (message: McpMessage) => transport.onmessage?.(message),
    async until(count: number) {
      while (heard.length < count) await new Promise<void>((resolve) => (wake = resolve));
    },
  };
}

describe('a server of this program, to a client of the protocol’s own library', () => {
  test('says who it is, lists its tools and answers calls', async () => {
    const { instance } = createSdkMcpServer({ name: 'calc', version: '2.1.0', tools: [double] });
    const client = await connected(instance);
    expect(client.getServerVersion()).toEqual({ name: 'calc', version: '2.1.0' });
    const { tools } = await client.listTools();
    expect(tools).toMatchObject([
      {
        name: 'double',
        title: 'Double it',
        description: 'Doubles',
        inputSchema: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
        annotations: { readOnlyHint: true },
        _meta: { 'vendor/x': 1 },
      },
    ]);
    expect(await client.callTool({ name: 'double', arguments: { n: 4 } })).toMatchObject({
      content: [{ type: 'text', text: '8' }],
      structuredContent: { doubled: 8 },
    });
    expect(await client.callTool({ name: 'double', arguments: {} })).toMatchObject({ isError: true });
    await expect(client.callTool({ name: 'nothing' })).rejects.toThrow(/no tool nothing/);
    await client.ping();
    await client.close();
  });

  test('serves many connections at once', async () => {
    const { instance } = createSdkMcpServer({ name: 'calc', tools: [double] });
    const clients = await Promise.all(Array.from({ length: 20 }, () => connected(instance)));
    const answers = await Promise.all(
      clients.map((client, n) => client.callTool({ name: 'double', arguments: { n } })),
    );
    expect(answers).toMatchObject(answers.map((_, n) => ({ structuredContent: { doubled: 2 * n } })));
    await instance.close();
    await expect(clients[0]?.ping()).rejects.toThrow();
  });

  test('asks it, tells it, and hears when a call is given up', async () => {
    const started = Promise.withResolvers<void>();
    const aborted = Promise.withResolvers<void>();
    const { instance } = createSdkMcpServer({
      name: 's',
      tools: [
        tool('ask', '', {}, async (_args, extra) => {
          const { sendRequest } = extra as ToolHandlerExtra;
          const answer = await sendRequest({
            method: 'elicitation/create',
            params: { message: 'sure?', requestedSchema: { type: 'object', properties: {} } },
          });
          return { content: [{ type: 'text', text: JSON.stringify(answer) }] };
        }),
        tool('hang', '', {}, (_args, extra) => {
          const { signal } = extra as ToolHandlerExtra;
          signal.addEventListener('abort', () => aborted.resolve());
          started.resolve();
          return new Promise(() => {});
        }),
      ],
    });
    const client = await connected(instance, true);
    expect(await client.callTool({ name: 'ask' })).toMatchObject({
      content: [{ text: JSON.stringify({ action: 'accept', content: { ok: true } }) }],
    });
    const controller = new AbortController();
    const call = client.callTool({ name: 'hang' }, undefined, { signal: controller.signal });
    await started.promise;
    controller.abort('enough');
    await expect(call).rejects.toThrow();
    await aborted.promise;
    await client.close();
  });
});

describe('a server of this program, on the wire', () => {
  test('answers every request once, also those that are none', async () => {
    const { instance } = createSdkMcpServer({ name: 's', tools: [double] });
    const { say, heard, until } = await wire(instance);
    say({ jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '2024-11-05' } });
    say({ jsonrpc: '2.0', id: 2, method: 'initialize', params: { protocolVersion: '1999-01-01' } });
    say({ jsonrpc: '2.0', id: 'three', method: 'resources/list' });
    say({ jsonrpc: '2.0', id: 4, method: 'tools/call', params: { arguments: {} } });
    say({ jsonrpc: '2.0', id: 5, method: 'tools/call', params: { name: 'double', arguments: [] } });
    say({ jsonrpc: '2.0', method: 'notifications/initialized' });
    say({ jsonrpc: '2.0', id: 6 });
    say({ odd: true });
    await until(7);
    const answers = new Map(heard.map((message) => [message['id'], message]));
    expect(answers.get(1)).toMatchObject({ result: { protocolVersion: '2024-11-05' } });
    expect(answers.get(2)).toMatchObject({ result: { protocolVersion: '2025-11-25' } });
    expect(answers.get('three')).toMatchObject({ error: { code: -32601 } });
    expect(answers.get(4)).toMatchObject({ error: { code: -32602 } });
    expect(answers.get(5)).toMatchObject({ error: { code: -32602 } });
    expect(answers.get(6)).toMatchObject({ error: { code: -32600 } });
    expect(answers.get(null)).toMatchObject({ error: { code: -32600 } });
    expect(heard).toHaveLength(7);
  });

  test('answers with an error where a handler gives what is no JSON', async () => {
    const { instance } = createSdkMcpServer({
      name: 's',
      tools: [tool('big', '', {}, async () => ({ content: [], structuredContent: { big: 1n } }))],
    });
    const { say, heard, until } = await wire(instance);
    say({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'big' } });
    await until(1);
    expect(heard).toMatchObject([{ id: 1, error: { code: -32603 } }]);
  });

  test('stops its calls when the connection ends, and says nothing more', async () => {
    const started = Promise.withResolvers<AbortSignal>();
    const { instance } = createSdkMcpServer({
      name: 's',
      tools: [
        tool('hang', '', {}, (_args, extra) => {
          started.resolve((extra as ToolHandlerExtra).signal);
          return new Promise(() => {});
        }),
      ],
    });
    const { say, heard, transport } = await wire(instance);
    say({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'hang' } });
    const signal = await started.promise;
    await transport.close();
    expect(signal.aborted).toBe(true);
    expect(heard).toEqual([]);
  });
});

test('two tools of one name, and a server without one, are refused at once', () => {
  expect(() => createSdkMcpServer({ name: 's', tools: [double, double] })).toThrow(/two tools of the name double/);
  expect(() => createSdkMcpServer({ name: ' ' })).toThrow(/name must be/);
});
