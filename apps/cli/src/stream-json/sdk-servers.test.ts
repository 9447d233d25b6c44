import { type ModelServer, startModelServer, text, toolCall } from '@rondo/providers/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createWorkplace, type Workplace } from '../testing/spawn-rondo.ts';
import { type Line, startStdioClient, type StdioClient } from '../testing/stdio-client.ts';

// Each test starts processes of its own; a busy machine takes its time with them.
vi.setConfig({ testTimeout: 90_000 });

let place: Workplace;
let server: ModelServer | undefined;
beforeEach(() => {
  place = createWorkplace();
});
afterEach(async () => {
  await server?.close();
  place[Symbol.dispose]();
});

const inputSchema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const initializeResult = {
  protocolVersion: '2025-06-18',
  capabilities: { tools: {} },
  serverInfo: { name: 'weather', version: '1.0.0' },
};
const toolsListResult = { tools: [{ name: 'temperature', description: 'how warm it is', inputSchema }] };

async function start(call: { readonly answered: string }): Promise<StdioClient> {
  server = await startModelServer({
    script: [[toolCall('mcp__weather__temperature', { city: 'Bern' })], text(call.answered)],
  });
  const env = place.env({ ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'key' });
  return startStdioClient(['--model=sonnet', '--allowedTools=mcp__weather'], { cwd: place.project, env });
}

/** Answers as the server, until a tool was called. */
async function serve(client: StdioClient, result: object): Promise<string[]> {
  const methods: string[] = [];
  for (;;) {
    const { request_id: id, message, server_name: name } = await client.asked('mcp_message');
    expect(name).toBe('weather');
    const { id: messageId, method } = message as { id?: unknown; method: string };
    methods.push(method);
    const results: Record<string, object> = {
      initialize: initializeResult,
      'tools/list': toolsListResult,
      'tools/call': result,
    };
    const reply =
      messageId === undefined
        ? { jsonrpc: '2.0', result: {}, id: 0 }
        : { jsonrpc: '2.0', id: messageId, result: results[method] ?? {} };
    client.answer(id, { mcp_response: reply });
    if (method === 'tools/call') return methods;
  }
}

const warm = { content: [{ type: 'text', text: '7 degrees' }] };

test("tools of the client's program are called through it, and a manifest spares the handshake", async () => {
  await using client = await start({ answered: 'It is cold.' });
  const manifests = { weather: { initializeResult, toolsListResult } };
  const initialized = client.control('initialize', { sdkMcpServers: ['weather'], sdkMcpServerManifests: manifests });
  client.say('how warm is it?');
  expect(await serve(client, warm)).toEqual(['tools/call']);
  expect(await client.line('result')).toMatchObject({ result: 'It is cold.' });
  await initialized;
  expect(await client.control('mcp_status')).toMatchObject({
    response: { mcpServers: [{ name: 'weather', status: 'connected' }] },
  });
  client.end();
  expect((await client.exit).exitCode).toBe(0);
  const init = client.lines.find((line) => line['subtype'] === 'init');
  expect(init?.['tools']).toContain('mcp__weather__temperature');
  expect(JSON.stringify(client.lines)).toContain('7 degrees');
});

test('without a manifest the handshake goes through the client too', async () => {
  await using client = await start({ answered: 'It is cold.' });
  void client.control('initialize', { sdkMcpServers: ['weather'] }).catch(() => {});
  client.say('how warm is it?');
  const methods = await serve(client, warm);
  expect(methods).toEqual(expect.arrayContaining(['initialize', 'tools/list', 'tools/call']));
  await client.line('result');
  client.end();
  await client.exit;
});

test('a server that the client brings later is there in the next turn', async () => {
  await using client = await start({ answered: 'It is cold.' });
  await client.control('initialize', {});
  const set = client.control('mcp_set_servers', { servers: { weather: { type: 'sdk', name: 'weather' } } });
  const serving = serve(client, warm);
  expect(await set).toMatchObject({ response: { added: ['weather'], removed: [], errors: {} } });
  client.say('how warm is it?');
  await serving;
  expect(await client.line('result')).toMatchObject({ result: 'It is cold.' });
  expect(await client.control('mcp_reconnect', { serverName: 'nobody' })).toMatchObject({
    subtype: 'error',
    error: 'Server not found: nobody',
  });
  client.end();
  await client.exit;
});

test('a client that is gone has no tools any more', async () => {
  await using client = await start({ answered: 'No answer.' });
  const manifests = { weather: { initializeResult, toolsListResult } };
  await client.control('initialize', { sdkMcpServers: ['weather'], sdkMcpServerManifests: manifests });
  client.say('how warm is it?');
  await client.asked('mcp_message');
  client.end();
  expect((await client.exit).exitCode).toBe(0);
  const results = client.lines.filter((line) => line['type'] === 'user');
  expect(JSON.stringify(results)).toContain('the client is gone');
  expect((client.lines.at(-1) as Line)['type']).toBe('result');
});
