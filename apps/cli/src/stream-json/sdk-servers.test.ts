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

interface Conversation {
  readonly answered?: string;
  readonly argv?: readonly string[];
}

async function start({ answered, argv = ['--allowedTools=mcp__weather'] }: Conversation = {}): Promise<StdioClient> {
  const call = [toolCall('mcp__weather__temperature', { city: 'Bern' })];
  server = await startModelServer({ script: answered === undefined ? [call] : [call, text(answered)] });
  const env = place.env({ ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'key' });
  return startStdioClient(['--model=sonnet', ...argv], { cwd: place.project, env });
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

test('a question about a call says which server the tool is of, and that it wants a person', async () => {
  const argv = ['--allowedTools=mcp__weather', '--permission-prompt-tool=stdio'];
  await using client = await start({ answered: 'It is cold.', argv });
  const _meta = { 'vendor/requiresUserInteraction': true };
  const tools = toolsListResult.tools.map((tool) => ({ ...tool, _meta }));
  const manifests = { weather: { initializeResult, toolsListResult: { tools } } };
  await client.control('initialize', { sdkMcpServers: ['weather'], sdkMcpServerManifests: manifests });
  client.say('how warm is it?');
  const asked = await client.asked('can_use_tool');
  expect(asked).toMatchObject({
    tool_name: 'mcp__weather__temperature',
    mcp_server: { name: 'weather', source: 'sdk' },
    requires_user_interaction: true,
  });
  expect(asked).not.toHaveProperty('agent_id');
  client.answer(asked.request_id, { behavior: 'deny', message: 'no' });
  await client.line('result');
  client.end();
  await client.exit;
});

const requested = { message: 'which city?', requestedSchema: { type: 'object', properties: {} } };

/** A call of the tool, during which the server asks the person; the ID of the call's request, and the question. */
async function elicited(client: StdioClient) {
  const manifests = { weather: { initializeResult, toolsListResult } };
  await client.control('initialize', { sdkMcpServers: ['weather'], sdkMcpServerManifests: manifests });
  client.say('how warm is it?');
  const call = await client.asked('mcp_message');
  // The server counts its requests by itself: under the same ID as the call.
  const { id } = call['message'] as { id: unknown };
  const message = { jsonrpc: '2.0', id, method: 'elicitation/create', params: requested };
  expect(await client.control('mcp_message', { server_name: 'weather', message })).toMatchObject({
    subtype: 'success',
  });
  const question = await client.asked('elicitation');
  expect(question).toMatchObject({
    mcp_server_name: 'weather',
    message: requested.message,
    requested_schema: requested.requestedSchema,
  });
  return { call, id, question };
}

const success = (response: unknown) => ({ subtype: 'success', response });
test.each([
  [success({ action: 'accept', content: { city: 'Bern' } }), { action: 'accept', content: { city: 'Bern' } }],
  [success({ action: 'accept' }), { action: 'accept' }],
  [success({ action: 'cancel' }), { action: 'cancel' }],
  [success({ action: 'decline' }), { action: 'decline' }],
  [success({ action: 'accept', content: ['Bern'] }), { action: 'decline' }],
  [success({ action: 'accept', content: 'Bern' }), { action: 'decline' }],
  [success({ action: true }), { action: 'decline' }],
  [success({ behavior: 'allow' }), { action: 'decline' }],
  [success('accept'), { action: 'decline' }],
  [{ subtype: 'error', error: 'it broke' }, { action: 'decline' }],
  [{ subtype: 'maybe', response: { action: 'accept' } }, { action: 'decline' }],
])('what a server asks of the person is put to the client: %j', async (response, heard) => {
  await using client = await start({ answered: 'It is cold.' });
  const { call, id, question } = await elicited(client);
  client.write({ type: 'control_response', response: { ...response, request_id: question.request_id } });
  const reply = await client.asked('mcp_message');
  expect(reply['message']).toMatchObject({ id, result: heard });
  client.answer(reply.request_id, { mcp_response: { jsonrpc: '2.0', id: 0, result: {} } });
  client.answer(call.request_id, { mcp_response: { jsonrpc: '2.0', id, result: warm } });
  expect(await client.line('result')).toMatchObject({ result: 'It is cold.' });
  client.end();
  await client.exit;
  expect(JSON.stringify(client.lines)).toContain('7 degrees');
});

test('an interrupted call takes back what its server asked of the person', async () => {
  await using client = await start();
  const { question } = await elicited(client);
  await client.control('interrupt');
  await client.line('result');
  client.end();
  await client.exit;
  const cancels = client.lines.filter((line) => line['type'] === 'control_cancel_request');
  expect(cancels).toContainEqual({ type: 'control_cancel_request', request_id: question.request_id });
});

test('a client that leaves while its person is asked has accepted nothing', async () => {
  await using client = await start({ answered: 'It is cold.' });
  await elicited(client);
  client.end();
  expect((await client.exit).exitCode).toBe(0);
  expect(JSON.stringify(client.lines)).toContain('the client is gone');
});
