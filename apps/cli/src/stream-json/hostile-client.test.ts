import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type ModelServer, startModelServer, type Step, text, toolCall } from '@rondo/providers/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createWorkplace, type Workplace } from '../testing/spawn-rondo.ts';
import { startStdioClient, type StdioClient } from '../testing/stdio-client.ts';

// Each test starts processes of its own; a busy machine takes its time with them.
vi.setConfig({ testTimeout: 90_000 });

let place: Workplace;
let server: ModelServer;
beforeEach(() => {
  place = createWorkplace();
});
afterEach(async () => {
  await server?.close();
  place[Symbol.dispose]();
});

async function start(steps: readonly Step[], argv: readonly string[] = []): Promise<StdioClient> {
  server = await startModelServer({ script: steps });
  const env = place.env({ ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'key' });
  return startStdioClient(['--model=sonnet', ...argv], { cwd: place.project, env });
}

/** Deeper than any code of JavaScript that goes down by calling itself. */
const deep = (levels = 50_000): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;

const asks = '--permission-prompt-tool=stdio';

/** Nothing that goes through it would come to an end: whoever sends it is told so, and nothing more is done. */
async function expectRefused(client: StdioClient, line: string): Promise<void> {
  client.writeRaw(`${line}\n`);
  const { exitCode, stderr } = await client.exit;
  expect({ exitCode, isSaid: stderr.includes('of standard input is nested deeper') }).toEqual({
    exitCode: 1,
    isSaid: true,
  });
  expect(stderr.length).toBeLessThan(1_000);
  expect(existsSync(join(place.project, 'a'))).toBe(false);
}

test.each([
  ['request', `{"type":"control_request","request_id":"r","request":{"subtype":${deep()}}}`],
  ['message', `{"type":"user","message":{"role":"user","content":${deep()}}}`],
])('a %s that is nested without end ends the process', async (_what, line) => {
  await using client = await start([]);
  await expectRefused(client, line);
});

test('an answer to a question that is nested without end lets nothing run', async () => {
  await using client = await start([[toolCall('Bash', { command: 'touch a' })]], [asks]);
  client.say('go');
  const { request_id: id } = await client.asked('can_use_tool');
  const answer = `{"behavior":"allow","updatedInput":{"command":"touch a","b":${deep()}}}`;
  const response = `{"subtype":"success","request_id":"${id}","response":${answer}}`;
  await expectRefused(client, `{"type":"control_response","response":${response}}`);
});

test('an answer of a hook that is nested without end lets nothing run', async () => {
  await using client = await start([[toolCall('Bash', { command: 'touch a' })]], ['--allowedTools=Bash']);
  void client.control('initialize', { hooks: { PreToolUse: [{ hookCallbackIds: ['h'] }] } });
  client.say('go');
  const { request_id: id } = await client.asked('hook_callback');
  const response = `{"subtype":"success","request_id":"${id}","response":${deep()}}`;
  await expectRefused(client, `{"type":"control_response","response":${response}}`);
});

test.each<[string, object]>([
  ['permissions that are none', { behavior: 'allow', updatedPermissions: [7] }],
  [
    'a mode that nobody consented to',
    {
      behavior: 'allow',
      updatedPermissions: [{ type: 'setMode', mode: 'bypassPermissions', destination: 'session' }],
    },
  ],
  ['rules of no kind', { behavior: 'allow', updatedPermissions: [{ type: 'addRules', rules: 'all' }] }],
  ['a word for an interrupt', { behavior: 'deny', message: 'no', interrupt: 'yes' }],
  ['a deny without a message', { behavior: 'deny' }],
  ['a message that is no text', { behavior: 'deny', message: 7 }],
])('an answer with %s lets nothing run, and is one', async (_what, answer) => {
  await using client = await start([[toolCall('Bash', { command: 'touch a' })], text('on')], [asks]);
  client.say('go');
  const { request_id: id } = await client.asked('can_use_tool');
  client.answer(id, answer);
  expect(await client.line('result')).toMatchObject({ result: 'on', permission_denials: [{ tool_name: 'Bash' }] });
  client.end();
  expect((await client.exit).exitCode).toBe(0);
  expect(existsSync(join(place.project, 'a'))).toBe(false);
});

/** Denies the next call, if that is asked about. */
async function denyNext(client: StdioClient): Promise<void> {
  const asked = await client.asked('can_use_tool').catch(() => undefined);
  if (asked !== undefined) client.answer(asked.request_id, { behavior: 'deny', message: 'no' });
}

const rule = { toolName: 'Bash', ruleContent: '((' };

test.each<[string, object]>([
  ['a rule that cannot be read', { type: 'addRules', rules: [rule], behavior: 'allow', destination: 'session' }],
  ['a place that there is not', { type: 'setMode', mode: 'plan', destination: 'userSettings' }],
  ['a folder that there is not', { type: 'addDirectories', directories: ['/none'], destination: 'session' }],
])('an answer that sets %s is one, and bypasses nothing', async (_what, update) => {
  const call = (name: string) => [toolCall('Bash', { command: `touch ${name}` })];
  await using client = await start([call('a'), call('b'), text('on')], [asks]);
  client.say('go');
  const { request_id: id } = await client.asked('can_use_tool');
  client.answer(id, { behavior: 'allow', updatedPermissions: [update] });
  void denyNext(client);
  expect(await client.next('the result', ({ type }) => type === 'result')).toMatchObject({ result: 'on' });
  client.end();
  expect((await client.exit).exitCode).toBe(0);
  expect(existsSync(join(place.project, 'b'))).toBe(false);
});

test('an answer that would allow every call answers nothing: it is said, and the question can be put again', async () => {
  await using client = await start([[toolCall('Bash', { command: 'touch a' })], text('on')], [asks]);
  await client.control('initialize', {});
  client.say('go');
  const { request_id: id } = await client.asked('can_use_tool');
  const update = { type: 'addRules', rules: [{ toolName: '*' }], behavior: 'allow', destination: 'session' };
  client.answer(id, { behavior: 'allow', updatedPermissions: [update] });
  expect(await client.line('system', 'informational')).toMatchObject({
    content: expect.stringContaining('stays open') as string,
  });
  const again = client.asked('can_use_tool');
  await client.control('initialize', {});
  expect((await again).request_id).toBe(id);
  client.answer(id, { behavior: 'deny', message: 'no' });
  expect(await client.line('result')).toMatchObject({ result: 'on', permission_denials: [{ tool_name: 'Bash' }] });
  client.end();
  expect((await client.exit).exitCode).toBe(0);
  expect(existsSync(join(place.project, 'a'))).toBe(false);
});

test('answers given twice, and by two sides at once, count once', async () => {
  await using client = await start([[toolCall('Bash', { command: 'touch a' })], text('on')], [asks]);
  client.say('go');
  const { request_id: id } = await client.asked('can_use_tool');
  client.answer(id, { behavior: 'deny', message: 'no' });
  client.answer(id, { behavior: 'allow' });
  const result = await client.line('result');
  expect(result).toMatchObject({ result: 'on', permission_denials: [{ tool_name: 'Bash' }] });
  client.answer(id, { behavior: 'allow' });
  client.end();
  expect((await client.exit).exitCode).toBe(0);
});

test('a message behind end_input is not taken, and that is told', async () => {
  await using client = await start([text('one')]);
  client.say('first');
  await client.line('result');
  await client.control('end_input');
  client.say('second');
  client.end();
  const { exitCode, stderr } = await client.exit;
  expect(exitCode).toBe(0);
  expect(server.requests).toHaveLength(1);
  // It may be over before it has read the message.
  if (stderr !== '') expect(stderr).toContain('end_input');
});

test.each([[{}], [[{}]], [7], [['Be brief.', 7]]])('a system prompt that is %j is refused', async (systemPrompt) => {
  await using client = await start([]);
  expect(await client.control('initialize', { systemPrompt })).toMatchObject({
    subtype: 'error',
    error: expect.stringContaining('systemPrompt') as string,
  });
  expect((await client.exit).exitCode).toBe(2);
});

test('initialize said twice at once is answered twice, the same', async () => {
  await using client = await start([text('one')]);
  const [one, two] = await Promise.all([client.control('initialize', {}), client.control('initialize', {})]);
  expect({ ...one, request_id: '' }).toEqual({ ...two, request_id: '' });
  client.say('go');
  expect(await client.line('result')).toMatchObject({ result: 'one' });
});

test('servers that a second initialize names for the first time are an error', async () => {
  await using client = await start([]);
  await client.control('initialize', { sdkMcpServers: [] });
  expect(await client.control('initialize', { sdkMcpServers: ['late'] })).toMatchObject({
    subtype: 'error',
    error: expect.stringContaining('late') as string,
  });
});

test('a client that reads late has each of its requests answered once', async () => {
  await using client = await start([]);
  await client.control('initialize', {});
  client.child.stdout?.pause();
  const ids = Array.from({ length: 5_000 }, (_, index) => `late-${index}`);
  for (const id of ids) client.write({ type: 'control_request', request_id: id, request: { subtype: 'mcp_status' } });
  client.end();
  client.child.stdout?.resume();
  expect((await client.exit).exitCode).toBe(0);
  const answers = client.lines.map(({ response }) => (response as { request_id?: string } | undefined)?.request_id);
  expect(answers.filter((id) => id?.startsWith('late-'))).toEqual(ids);
});

const served = { hooks: {}, sdkMcpServers: ['mine'] };

test.each<[string, readonly string[], object, string]>([
  ['its server is asked for tools', [], served, 'mcp_message'],
  ['its hook is asked', [], { hooks: { UserPromptSubmit: [{ hookCallbackIds: ['h'] }] } }, 'hook_callback'],
  [
    'its store is asked for the session',
    ['--session-mirror', '--resume=0b54a5f2-93a7-4c5e-8d7e-2f1c6a9b0d11'],
    { sessionStore: { projectKey: 'p', listSessions: false, listSubkeys: false } },
    'session_store_load',
  ],
])('a client that says nonsense while %s is left at once', async (_when, argv, initialize, asked) => {
  await using client = await start([], argv);
  void client.control('initialize', initialize).catch(() => {});
  client.say('go');
  await client.asked(asked);
  client.writeRaw('nonsense\n');
  const { exitCode, stderr } = await client.exit;
  expect(exitCode).toBe(1);
  expect(stderr).toContain('standard input is no JSON');
  expect(server.requests).toEqual([]);
});

test.each(['{"type":"user","message"', '{"type":"control_request","request_id":"1"'])(
  'an input that ends within %s runs nothing more',
  async (half) => {
    await using client = await start([[toolCall('Bash', { command: 'touch a' })]], [asks]);
    client.say('go');
    await client.asked('can_use_tool');
    client.writeRaw(half);
    client.end();
    const { exitCode, stderr } = await client.exit;
    expect(exitCode).toBe(1);
    expect(stderr).toContain('Line 2 of standard input is no JSON');
    expect(existsSync(join(place.project, 'a'))).toBe(false);
  },
);
