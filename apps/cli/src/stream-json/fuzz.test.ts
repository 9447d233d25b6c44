import { startModelServer, text } from '@rondo/providers/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createWorkplace, runRondo, type Workplace } from '../testing/spawn-rondo.ts';
import { baseline, type Line, startStdioClient } from '../testing/stdio-client.ts';

// Each test starts processes of its own; a busy machine takes its time with them.
vi.setConfig({ testTimeout: 90_000 });

let place: Workplace;
beforeEach(() => {
  place = createWorkplace();
});
afterEach(() => place[Symbol.dispose]());

/** The same numbers in every run. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const words = [
  '',
  'default',
  'plan',
  '\ud800',
  '\u2028',
  '__proto__',
  'constructor',
  'sonnet',
  'x'.repeat(70_000),
  '/',
];
const keys = [
  'mode',
  'model',
  'settings',
  'servers',
  'serverName',
  'enabled',
  'task_id',
  'message',
  'server_name',
  'hooks',
];
const subtypes = [
  'initialize',
  'interrupt',
  'set_permission_mode',
  'set_max_thinking_tokens',
  'apply_flag_settings',
  'mcp_set_servers',
  'mcp_status',
  'mcp_toggle',
  'mcp_message',
  'rewind_files',
  'stop_task',
  'toString',
  'nonsense',
];

function anything(next: (below: number) => number, depth = 0): unknown {
  switch (next(depth > 3 ? 5 : 7)) {
    case 0:
      return null;
    case 1:
      return next(2) === 0;
    case 2:
      return [0, -1, 1.5, 1e308][next(4)];
    case 3:
    case 4:
      return words[next(words.length)];
    case 5:
      return Array.from({ length: next(4) }, () => anything(next, depth + 1));
    default:
      return Object.fromEntries(
        Array.from({ length: next(4) }, () => [keys[next(keys.length)], anything(next, depth + 1)]),
      );
  }
}

test.each([1, 2, 3])(
  'whatever frames come, each request has one answer and the session works on (seed %d)',
  async (seed) => {
    const next = numbers(seed);
    await using server = await startModelServer({ script: [text('still here')] });
    const env = place.env({ ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'key' });
    await using client = startStdioClient(['--model=sonnet'], { cwd: place.project, env });
    await client.control('initialize', {});
    const ids: string[] = [];
    for (let count = 0; count < 150; count += 1) {
      const fields = anything(next);
      const frames: object[] = [
        { type: 'control_response', response: anything(next) },
        { type: 'control_cancel_request', request_id: anything(next) },
        { type: anything(next), more: anything(next) },
        { type: 'control_request', request_id: anything(next) === null ? 7 : null, request: anything(next) },
      ];
      client.write(frames[next(frames.length)] ?? {});
      const id = `fuzz-${count}`;
      ids.push(id);
      const request = { ...(typeof fields === 'object' ? fields : {}), subtype: subtypes[next(subtypes.length)] };
      client.write({ type: 'control_request', request_id: id, request });
    }
    // What was changed on the way is put back, so that the turn is one of this script.
    await client.control('set_permission_mode', { mode: 'default' });
    await client.control('mcp_set_servers', { servers: {} });
    client.say('are you there?');
    expect(await client.line('result')).toMatchObject({ result: 'still here' });
    client.end();
    expect((await client.exit).exitCode).toBe(0);
    const answers = client.lines
      .filter((line) => line['type'] === 'control_response')
      .map((line) => (line['response'] as Line)['request_id'])
      .filter((id) => String(id).startsWith('fuzz-'));
    expect(answers).toHaveLength(ids.length);
    expect(new Set(answers)).toEqual(new Set(ids));
  },
);

const user = JSON.stringify({ type: 'user', message: { role: 'user', content: 'hi' }, parent_tool_use_id: null });

test.each([
  ['a line that was cut', user.slice(0, -9)],
  ['a list', '[]'],
  ['bytes that are no text', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d])],
  ['a user line without a message', '{"type":"user"}'],
])('%s is told and ends the process', async (_what, input) => {
  const env = place.env({ ANTHROPIC_API_KEY: 'key' });
  const options = { cwd: place.project, env, input: input as string };
  const { exitCode, stdout, stderr } = await runRondo([...baseline, '--model=sonnet'], options);
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
  expect(stderr).toMatch(/standard input/);
});
