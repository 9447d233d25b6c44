import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ModelServer, startModelServer, type Step, status, text, toolCall } from '@rondo/providers/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createWorkplace, runRondo, type Workplace } from '../testing/spawn-rondo.ts';
import { baseline, type Line, startStdioClient, type StdioClient } from '../testing/stdio-client.ts';

// Each test starts processes of its own; a busy machine takes its time with them.
vi.setConfig({ testTimeout: 90_000 });

const id = '0b54a5f2-93a7-4c5e-8d7e-2f1c6a9b0d11';
const uuids = [1, 2, 3].map((n) => `0b54a5f2-93a7-4c5e-8d7e-2f1c6a9b0d2${n}`);
const asks = '--permission-prompt-tool=stdio';

let place: Workplace;
let server: ModelServer;
beforeEach(() => {
  place = createWorkplace();
});
afterEach(async () => {
  await server?.close();
  place[Symbol.dispose]();
});

/** The command at work for a client, with a model that plays the steps. */
async function start(
  steps: readonly Step[],
  argv: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<StdioClient> {
  server = await startModelServer({ script: steps });
  return startStdioClient(['--model=sonnet', ...argv], { cwd: place.project, env: environment(env) });
}

function environment(more: Readonly<Record<string, string>> = {}) {
  return place.env({ ANTHROPIC_BASE_URL: server?.url ?? 'http://127.0.0.1:9', ANTHROPIC_API_KEY: 'key', ...more });
}

/** What a line is, in two words at most. */
function kinds(lines: readonly Line[]): string[] {
  return lines.flatMap((line) => {
    if (line['type'] === 'keep_alive') return [];
    const { request, response } = line as { request?: Line; response?: Line };
    const what = line['subtype'] ?? request?.['subtype'] ?? response?.['subtype'] ?? line['state'];
    return [line['type'], what === 'session_state_changed' ? line['state'] : what].filter(Boolean).join(' ');
  });
}

test('a prompt that comes with initialize is worked on after it; the end of input ends the process', async () => {
  await using client = await start([text('hello')]);
  const initialized = client.control('initialize', { systemPrompt: ['Be brief.'] });
  client.say('hi');
  const { response, ...beside } = await initialized;
  expect(beside).toMatchObject({ pending_permission_requests: [], pending_user_dialog_requests: [] });
  expect(response).toMatchObject({
    commands: [],
    agents: [],
    output_style: 'default',
    available_output_styles: ['default'],
    pid: client.child.pid,
    claude_code_version: expect.any(String) as string,
    current_permission_mode: 'default',
    session_state: expect.any(String) as string,
    account: { apiKeySource: 'ANTHROPIC_API_KEY' },
  });
  expect((response as { models: unknown[] }).models.length).toBeGreaterThan(0);
  expect(await client.line('result')).toMatchObject({ subtype: 'success', result: 'hello', is_error: false });
  client.end();
  expect(await client.exit).toMatchObject({ exitCode: 0, stderr: '' });
  expect(kinds(client.lines).filter((kind) => !kind.startsWith('control'))).toEqual([
    'system init',
    'assistant',
    'result success',
  ]);
  expect(server.requests[0]?.text).toContain('Be brief.');
});

test('it works without initialize, and counts the last result', async () => {
  await using client = await start([text('one'), status(400, { type: 'invalid_request_error' })]);
  client.say('first');
  expect(await client.line('result')).toMatchObject({ result: 'one' });
  client.say('second');
  expect(await client.line('result')).toMatchObject({ is_error: true });
  client.end();
  expect((await client.exit).exitCode).toBe(1);
});

test('states are told to who asks for them, around questions, and end idle', async () => {
  await using client = await start([[toolCall('Bash', { command: 'touch made' })], text('Made it.')], [asks], {
    CLAUDE_CODE_SDK_READS_SESSION_STATE: '1',
  });
  void client.control('initialize', {}).catch(() => {});
  client.say('make it', { uuid: uuids[0] });
  const asked = await client.asked('can_use_tool');
  expect(asked).toMatchObject({
    tool_name: 'Bash',
    display_name: expect.any(String) as string,
    input: { command: 'touch made' },
    permission_suggestions: [{ type: 'addRules', behavior: 'allow', destination: 'localSettings' }],
    decision_reason: expect.any(String) as string,
    decision_reason_type: expect.any(String) as string,
    tool_use_id: expect.any(String) as string,
  });
  client.answer(asked.request_id, { behavior: 'allow', updatedInput: { command: 'touch other' } });
  await client.line('system', 'session_state_changed');
  await client.line('result');
  client.end();
  await client.exit;
  expect(existsSync(join(place.project, 'other'))).toBe(true);
  expect(existsSync(join(place.project, 'made'))).toBe(false);
  const told = kinds(client.lines).filter((kind) => kind !== 'control_response success');
  expect(told).toEqual([
    'command_lifecycle queued',
    'system running',
    'command_lifecycle started',
    'system init',
    'assistant',
    'system requires_action',
    'control_request can_use_tool',
    'system running',
    'user',
    'assistant',
    'result success',
    'command_lifecycle completed',
    'system idle',
  ]);
  const states = client.lines.filter((line) => line['subtype'] === 'session_state_changed');
  expect(states.every((line) => line['sdk_host_only'] === true)).toBe(true);
});

test('only a clear yes lets a call run', async () => {
  const call = (name: string) => [toolCall('Bash', { command: `touch ${name}` })];
  await using client = await start([call('a'), call('b'), call('c'), text('Nothing done.')], [asks]);
  client.say('go');
  const first = await client.asked('can_use_tool');
  client.answer(first.request_id, { behavior: 'deny', message: 'not a' });
  client.answer((await client.asked('can_use_tool')).request_id, { behavior: 'maybe' });
  const third = await client.asked('can_use_tool');
  const error = { subtype: 'error', request_id: third.request_id, error: 'canUseTool callback is not provided.' };
  client.write({ type: 'control_response', response: error });
  const result = await client.line('result');
  expect((result['permission_denials'] as unknown[]).length).toBe(3);
  client.end();
  await client.exit;
  for (const name of ['a', 'b', 'c']) expect(existsSync(join(place.project, name))).toBe(false);
  expect(JSON.stringify(client.lines)).toContain('canUseTool callback is not provided.');
  expect(JSON.stringify(client.lines)).toContain('"content":"not a"');
});

test('an interrupt is acknowledged first, takes its question back, and the next message runs', async () => {
  await using client = await start([[toolCall('Bash', { command: 'touch a' })], text('on')], [asks]);
  client.say('go', { uuid: uuids[0] });
  const asked = await client.asked('can_use_tool');
  expect(await client.control('interrupt')).toMatchObject({ subtype: 'success', response: { still_queued: [] } });
  const result = await client.line('result');
  expect(result).toMatchObject({ is_error: true, subtype: 'error_during_execution', terminal_reason: 'aborted_tools' });
  const lines = kinds(client.lines);
  expect(lines.indexOf('control_response success')).toBeLessThan(lines.indexOf('result error_during_execution'));
  expect(client.lines).toContainEqual({ type: 'control_cancel_request', request_id: asked.request_id });
  client.answer(asked.request_id, { behavior: 'allow' });
  client.say('on', { uuid: uuids[1] });
  expect(await client.line('result')).toMatchObject({ result: 'on' });
  client.end();
  expect(await client.exit).toMatchObject({ exitCode: 0 });
  expect(existsSync(join(place.project, 'a'))).toBe(false);
  expect(ways(client, uuids[0])).toEqual(['queued', 'started', 'cancelled']);
  expect(ways(client, uuids[1])).toEqual(['queued', 'started', 'completed']);
});

function ways(client: StdioClient, uuid: string | undefined): unknown[] {
  return client.lines.filter((line) => line['command_uuid'] === uuid).map((line) => line['state']);
}

test('an interrupt that takes back what waits leaves nothing to run', async () => {
  await using client = await start([[toolCall('Bash', { command: 'touch a' })]], [asks]);
  client.say('go', { uuid: uuids[0] });
  await client.asked('can_use_tool');
  client.say('later', { uuid: uuids[1], priority: 'later' });
  await client.next('queued', (line) => line['command_uuid'] === uuids[1] && line['state'] === 'queued');
  expect(await client.control('interrupt', { cancel_queued: true })).toMatchObject({
    response: { still_queued: [], cancelled: [uuids[1]] },
  });
  await client.line('result');
  client.end();
  await client.exit;
  expect(ways(client, uuids[1])).toEqual(['queued', 'cancelled']);
});

test('user messages are replayed where that is asked for, with the uuids that they came with', async () => {
  await using client = await start([text('one')], ['--replay-user-messages']);
  client.say('first', { uuid: uuids[0] });
  await client.line('result');
  client.end();
  await client.exit;
  expect(client.lines.filter((line) => line['isReplay'] === true)).toMatchObject([
    { type: 'user', uuid: uuids[0], message: { role: 'user' } },
  ]);
});

test('hooks are the functions of the client', async () => {
  await using client = await start([[toolCall('Bash', { command: 'touch a' })], text('no')]);
  const hooks = {
    PreToolUse: [{ matcher: 'Bash', hookCallbackIds: ['hook_0'], timeout: 20 }],
    UserPromptSubmit: [{ hookCallbackIds: ['hook_1'] }],
  };
  const initialized = client.control('initialize', { hooks });
  client.say('go');
  const submit = await client.asked('hook_callback');
  expect(submit).toMatchObject({ callback_id: 'hook_1', input: { hook_event_name: 'UserPromptSubmit', prompt: 'go' } });
  expect(submit['tool_use_id']).toEqual(expect.any(String));
  client.answer(submit.request_id, {});
  const before = await client.asked('hook_callback');
  expect(before).toMatchObject({
    callback_id: 'hook_0',
    input: { hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_input: { command: 'touch a' } },
  });
  expect(before['tool_use_id']).toBe((before['input'] as Line)['tool_use_id']);
  const hookSpecificOutput = {
    hookEventName: 'PreToolUse',
    permissionDecision: 'deny',
    permissionDecisionReason: 'the hook says no',
  };
  client.answer(before.request_id, { hookSpecificOutput });
  await client.line('result');
  await initialized;
  client.end();
  await client.exit;
  expect(JSON.stringify(client.lines)).toContain('the hook says no');
  expect(existsSync(join(place.project, 'a'))).toBe(false);
});

test.each(['late', 'gone', 'failing'])('a hook whose client is %s denies the call', async (how) => {
  await using client = await start([[toolCall('Bash', { command: 'touch a' })], text('no')], ['--allowedTools=Bash']);
  const hooks = { PreToolUse: [{ hookCallbackIds: ['hook_0'], timeout: how === 'late' ? 0.2 : 60 }] };
  const initialized = client.control('initialize', { hooks });
  client.say('go');
  const { request_id } = await client.asked('hook_callback');
  await initialized;
  if (how === 'gone') client.end();
  if (how === 'failing')
    client.write({ type: 'control_response', response: { subtype: 'error', request_id, error: 'it broke' } });
  if (how === 'late') expect(await client.line('control_cancel_request')).toMatchObject({ request_id });
  await client.line('result');
  client.end();
  await client.exit;
  expect(existsSync(join(place.project, 'a'))).toBe(false);
});

test('a question whose client goes away stays open, and the next client that resumes is asked again', async () => {
  const call = [toolCall('Bash', { command: 'touch made' })];
  await using first = await start([call, text('Made it.')], [asks, `--session-id=${id}`]);
  const hooks = { PostToolUse: [{ hookCallbackIds: ['hook_0'] }] };
  await first.control('initialize', { hooks });
  first.say('make it');
  const asked = await first.asked('can_use_tool');
  first.end();
  const { exitCode, stderr } = await first.exit;
  expect({ exitCode, named: stderr.includes(asked.request_id) }).toEqual({ exitCode: 1, named: true });
  expect(kinds(first.lines).some((kind) => kind.startsWith('result'))).toBe(false);

  const again = startStdioClient(['--model=sonnet', asks, `--resume=${id}`], {
    cwd: place.project,
    env: environment(),
  });
  await using second = again;
  const renamed = { PostToolUse: [{ hookCallbackIds: ['hook_7'] }] };
  const { pending_permission_requests: pending } = await second.control('initialize', { hooks: renamed });
  expect(pending).toMatchObject([
    { type: 'control_request', request_id: asked.request_id, request: { subtype: 'can_use_tool', tool_name: 'Bash' } },
  ]);
  expect(await second.control('initialize', { hooks: renamed })).toMatchObject({
    pending_permission_requests: [{ request_id: asked.request_id }],
  });
  second.answer(asked.request_id, { behavior: 'allow' });
  const hook = await second.asked('hook_callback');
  expect(hook['callback_id']).toBe('hook_7');
  second.answer(hook.request_id, {});
  expect(await second.line('result')).toMatchObject({ result: 'Made it.' });
  second.end();
  expect((await second.exit).exitCode).toBe(0);
  expect(existsSync(join(place.project, 'made'))).toBe(true);
});

test('SIGTERM stops a running command and the process', async () => {
  const command = 'echo $$ > pid; exec tail -f /dev/null';
  await using client = await start(
    [[toolCall('Bash', { command })]],
    ['--allowedTools=Bash', '--settings={"sandbox":{"enabled":false}}'],
  );
  client.say('go');
  await client.line('assistant');
  const file = join(place.project, 'pid');
  await vi.waitUntil(() => existsSync(file) && readFileSync(file, 'utf8').trim() !== '', {
    timeout: 30_000,
    interval: 20,
  });
  client.child.kill('SIGTERM');
  expect((await client.exit).exitCode).toBe(143);
  const leaving = client.lines.filter((line) => line['subtype'] === 'worker_shutting_down');
  expect(leaving).toMatchObject([{ type: 'system', reason: 'host_exit', session_id: client.lines[0]?.['session_id'] }]);
  const told = kinds(client.lines);
  expect(told.indexOf('system worker_shutting_down')).toBeLessThan(told.indexOf('result error_during_execution'));
  expect(() => process.kill(Number(readFileSync(file, 'utf8')), 0)).toThrow('ESRCH');
});

test('SIGTERM leaves a question open', async () => {
  await using client = await start([[toolCall('Bash', { command: 'touch a' })]], [asks, `--session-id=${id}`]);
  client.say('go');
  const { request_id } = await client.asked('can_use_tool');
  client.child.kill('SIGTERM');
  const { exitCode, stderr } = await client.exit;
  expect(exitCode).toBe(143);
  expect(stderr).toContain(request_id);
  expect(kinds(client.lines)).toContain('system worker_shutting_down');
});

test('a signal before there is a session says nothing', async () => {
  await using client = await start([]);
  await client.control('background_tasks');
  client.child.kill('SIGINT');
  expect(await client.exit).toMatchObject({ exitCode: 130 });
  expect(kinds(client.lines)).toEqual(['control_response success']);
});

test('SIGTERM while a hook is asked runs nothing', async () => {
  await using client = await start([[toolCall('Bash', { command: 'touch a' })]], [`--session-id=${id}`]);
  const hooks = { PreToolUse: [{ hookCallbackIds: ['hook_0'] }] };
  await client.control('initialize', { hooks });
  client.say('go');
  await client.asked('hook_callback');
  client.child.kill('SIGTERM');
  expect((await client.exit).exitCode).toBe(143);
  expect(existsSync(join(place.project, 'a'))).toBe(false);
});

test('a session that is not there is a result and an exit code', async () => {
  server = await startModelServer({ script: [] });
  await using client = startStdioClient([`--resume=${id}`], { cwd: place.project, env: environment() });
  const answer = await client.control('initialize', {});
  expect(answer).toMatchObject({ subtype: 'error', error: expect.any(String) as string });
  const { exitCode, stderr } = await client.exit;
  expect(exitCode).toBe(1);
  expect(stderr).toContain(id);
  const result = client.lines.find((line) => line['type'] === 'result');
  expect(result).toMatchObject({ subtype: 'error_during_execution', is_error: true, num_turns: 0, session_id: id });
});

test.each([
  [['--session-id=abc'], '--session-id takes a UUID'],
  [['--json-schema={'], '--json-schema takes a JSON object'],
  [['--mcp-config', 'nowhere.json'], '--mcp-config is neither JSON nor a file'],
  [['--settings', 'nowhere.json'], '--settings is neither JSON nor a file'],
  [['a prompt'], 'messages come on standard input'],
])('%j is refused on stderr, with nothing on stdout', async (argv, problem) => {
  const { exitCode, stdout, stderr } = await runRondo([...baseline, ...argv], {
    cwd: place.project,
    env: environment(),
    input: '',
  });
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  expect(stderr).toContain(problem);
});

test('a session ID that is taken is wrong usage', async () => {
  await using client = await start([text('one')], [`--session-id=${id}`]);
  client.say('first');
  await client.line('result');
  client.end();
  await client.exit;
  await using again = startStdioClient(['--model=sonnet', `--session-id=${id}`], {
    cwd: place.project,
    env: environment(),
  });
  again.say('second');
  expect(await again.exit).toMatchObject({ exitCode: 2, stdout: '' });
});

test('what is unknown or empty is tolerated: flags with a word, effort, turns, frames', async () => {
  const argv = [
    '--frobnicate',
    'value',
    '--new=1',
    '--effort=extreme',
    '--max-turns=0',
    '--tools=',
    '--setting-sources=',
  ];
  await using client = await start([text('one')], argv);
  client.writeRaw('\n\r\n');
  client.write({ type: 'keep_alive' }, { type: 'news', of: 'later' }, {}, { type: 'control_request' });
  client.write({ type: 'control_cancel_request', request_id: 'nobody' });
  client.write({ type: 'control_response', response: { subtype: 'success', request_id: 'nobody' } });
  client.write({ type: 'control_response', response: 7 });
  client.say('hi');
  expect(await client.line('result')).toMatchObject({ result: 'one' });
  client.end();
  const { exitCode, stderr } = await client.exit;
  expect(exitCode).toBe(0);
  for (const flag of ['--frobnicate', '--new', '--effort', '--max-turns']) expect(stderr).toContain(flag);
  expect(JSON.parse(server.requests[0]?.text ?? '{}')).not.toHaveProperty('tools.0');
});

test('what is no line of JSON ends it, with a word on stderr', async () => {
  await using client = await start([[toolCall('Bash', { command: 'touch a' })]], [asks]);
  client.say('go');
  await client.asked('can_use_tool');
  client.writeRaw('{"type":"user",\n');
  const { exitCode, stderr } = await client.exit;
  expect(exitCode).toBe(1);
  expect(stderr).toContain('Line 2 of standard input is no JSON');
});

test('nothing said is nothing done', async () => {
  await using client = await start([]);
  client.end();
  expect(await client.exit).toEqual({ exitCode: 0, stdout: '', stderr: '' });
});

test('every subtype answers once, whatever its fields are', async () => {
  await using client = await start([text('one')]);
  client.say('hi');
  await client.line('result');
  const subtypes = [
    'set_permission_mode',
    'set_model',
    'set_max_thinking_tokens',
    'apply_flag_settings',
    'mcp_set_servers',
    'mcp_reconnect',
    'mcp_toggle',
    'mcp_message',
    'rewind_files',
    'stop_task',
    'get_context_usage',
    'constructor',
    '__proto__',
  ];
  const fields = [
    { model: 1 },
    { mode: 7, model: [], max_thinking_tokens: 'x', settings: 1, servers: null, serverName: {} },
  ];
  for (const subtype of subtypes)
    for (const each of fields)
      expect(await client.control(subtype, each)).toMatchObject({ error: expect.any(String) as string });
  expect(await client.control('get_context_usage')).toEqual({
    subtype: 'error',
    request_id: expect.any(String) as string,
    error: 'Unsupported control request subtype: get_context_usage',
    error_code: 'unsupported_request',
  });
  expect(await client.control('background_tasks')).toMatchObject({ subtype: 'success', response: {} });
  expect(await client.control('mcp_status')).toMatchObject({ subtype: 'success', response: { mcpServers: [] } });
  client.end();
  expect((await client.exit).exitCode).toBe(0);
});

test('the mode, the model and the thinking can be changed between turns', async () => {
  await using client = await start([text('one'), text('two')]);
  await client.control('initialize', {});
  client.say('first');
  await client.line('result');
  expect(await client.control('set_permission_mode', { mode: 'plan' })).toMatchObject({ response: { mode: 'plan' } });
  expect(await client.line('system', 'status')).toMatchObject({ permissionMode: 'plan' });
  const lines = kinds(client.lines);
  expect(lines.lastIndexOf('control_response success')).toBeLessThan(lines.lastIndexOf('system status'));
  const refused = await client.control('set_permission_mode', { mode: 'bypassPermissions' });
  expect(refused).toMatchObject({ subtype: 'error', error_code: 'bypass_not_launched' });
  expect(await client.control('set_model', { model: 'haiku' })).toMatchObject({
    response: { model: expect.stringContaining('haiku') as string },
  });
  expect(await client.control('set_max_thinking_tokens', { max_thinking_tokens: null })).toEqual({
    subtype: 'success',
    request_id: expect.any(String) as string,
  });
  expect(
    await client.control('apply_flag_settings', { settings: { permissions: { deny: ['Bash'] } } }),
  ).not.toHaveProperty('response');
  client.say('second');
  expect(await client.line('system', 'init')).toMatchObject({
    permissionMode: 'plan',
    model: expect.stringContaining('haiku') as string,
  });
  await client.line('result');
  client.end();
  await client.exit;
});

test('a question nobody answers is denied where a time is set', async () => {
  const call = [toolCall('Bash', { command: 'touch a' })];
  await using client = await start([call, text('no')], [asks, '--permission-timeout=0.2']);
  client.say('go');
  const { request_id } = await client.asked('can_use_tool');
  expect(await client.line('control_cancel_request')).toMatchObject({ request_id });
  expect(await client.line('result')).toMatchObject({ permission_denials: [{ tool_name: 'Bash' }] });
  client.end();
  await client.exit;
});

test('a reader that leaves ends it', async () => {
  await using client = await start([[toolCall('Bash', { command: 'touch a' })]], [asks]);
  client.say('go');
  await client.asked('can_use_tool');
  client.child.stdout?.destroy();
  void client.control('mcp_status').catch(() => {});
  void client.control('mcp_status').catch(() => {});
  expect((await client.exit).exitCode).toBe(141);
});

test('pieces of any size, and characters that others take for the end of a line', async () => {
  const said = 'caf\u00e9 \u{1f600} \u2028 \u2029 \r\n "';
  await using client = await start([text(said)], ['--replay-user-messages']);
  const message = { role: 'user', content: said };
  const bytes = Buffer.from(`${JSON.stringify({ type: 'user', message, parent_tool_use_id: null })}\r\n`);
  for (const byte of bytes) client.writeRaw(Uint8Array.of(byte));
  expect(await client.line('user')).toMatchObject({ isReplay: true, message: { content: said } });
  expect(await client.line('result')).toMatchObject({ result: said });
  client.end();
  const { stdout } = await client.exit;
  expect(stdout).not.toMatch(/[\u2028\u2029\ufffd]/);
});

test('-p beside it changes nothing, and text is the input that it was', async () => {
  server = await startModelServer({ script: [text('one'), text('two')] });
  const line = JSON.stringify({ type: 'user', message: { role: 'user', content: 'hi' }, parent_tool_use_id: null });
  const options = { cwd: place.project, env: environment() };
  const streamed = await runRondo(['-p', ...baseline, '--model=sonnet'], { ...options, input: line });
  expect(streamed.exitCode).toBe(0);
  expect(streamed.stdout).toContain('"result":"one"');
  const printed = await runRondo(['-p', 'hi', '--input-format=text', '--model=sonnet', '--effort=low'], options);
  expect(printed).toMatchObject({ exitCode: 0, stdout: 'two\n' });
});

test('managed settings and settings of a file reach the session', async () => {
  const file = join(place.project, 'more.json');
  writeFileSync(file, JSON.stringify({ permissions: { allow: ['Bash'] } }));
  const argv = ['--settings', file, '--managed-settings', '{"permissions":{"deny":["Bash(touch *)"]}}'];
  await using client = await start([[toolCall('Bash', { command: 'touch a' })], text('no')], argv);
  client.say('go');
  expect(await client.line('result')).toMatchObject({ permission_denials: [{ tool_name: 'Bash' }] });
  client.end();
  await client.exit;
  expect(existsSync(join(place.project, 'a'))).toBe(false);
});
