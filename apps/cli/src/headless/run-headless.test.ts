import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { reply, startModelServer, status, type Step, text, toolCall } from '@rondo/providers/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createWorkplace, type RondoExit, runRondo, spawnRondo, type Workplace } from '../testing/spawn-rondo.ts';

// Each test starts processes of its own; a busy machine takes its time with them.
vi.setConfig({ testTimeout: 60_000 });

let place: Workplace;
beforeEach(() => {
  place = createWorkplace();
});
afterEach(() => place[Symbol.dispose]());

const key = 'sk-test-0123456789abcdef';

async function rondo(script: readonly Step[], argv: readonly string[], input?: string): Promise<RondoExit> {
  await using server = await startModelServer({ script });
  return await runRondo(argv, {
    cwd: place.project,
    env: place.env({ ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: key, CLAUDE_CODE_MAX_RETRIES: '0' }),
    ...(input === undefined ? {} : { input }),
  });
}

interface Line {
  type: string;
  subtype?: string;
  session_id: string;
  is_error?: boolean;
  result?: string;
  errors?: string[];
}
const lines = (stdout: string): Line[] =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);

test('text: the answer and a newline, and not a byte more', async () => {
  expect(await rondo([text('hello')], ['-p', 'hi'])).toEqual({ stdout: 'hello\n', stderr: '', exitCode: 0 });
});

test('json: the result object alone', async () => {
  const { stdout, exitCode } = await rondo([text('hello')], ['-p', 'hi', '--output-format', 'json']);
  expect(lines(stdout)).toMatchObject([{ type: 'result', subtype: 'success', is_error: false, result: 'hello' }]);
  expect(exitCode).toBe(0);
});

test('stream-json: every message, the init line first and the result last', async () => {
  const script = [[toolCall('Read', { file_path: join(place.project, 'note.txt') })], text('done')];
  writeFileSync(join(place.project, 'note.txt'), 'remember\n');
  const { stdout } = await rondo(script, ['read it', '--output-format=stream-json', '--verbose']);
  expect(lines(stdout).map(({ type }) => type)).toEqual(['system', 'assistant', 'user', 'assistant', 'result']);
});

test('what is piped in follows the prompt', async () => {
  await using server = await startModelServer({ script: [text('ok')] });
  const env = place.env({ ANTHROPIC_BASE_URL: server.url });
  await runRondo(['-p', 'explain'], { cwd: place.project, env, input: 'some output\n' });
  expect(server.requests[0]?.text).toContain('explain\\n\\nsome output');
});

test('an error of the model is one message on stderr and exit code 1', async () => {
  const refused = status(401, { message: 'invalid x-api-key' });
  const { stdout, stderr, exitCode } = await rondo([refused], ['-p', 'hi']);
  expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 1 });
  expect(stderr).toMatch(/^rondo: .*ANTHROPIC_API_KEY/);
  expect(stderr).not.toContain(key);
});

test('without a key the error names the ways on', async () => {
  const { stderr, exitCode } = await runRondo(['-p', 'hi'], { cwd: place.project, env: place.env({}) });
  expect(stderr).toMatch(/ANTHROPIC_API_KEY.*rondo demo/s);
  expect(exitCode).toBe(1);
});

test('a limit that was reached is an error result', async () => {
  const script = [[toolCall('Bash', { command: 'echo one' })]];
  const { stdout, stderr, exitCode } = await rondo(script, ['-p', 'hi', '--max-turns=1']);
  expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 1 });
  expect(stderr).toMatch(/limit of 1/);
});

test('a call that nobody allowed does not run, and the answer goes on', async () => {
  const script = [[toolCall('Bash', { command: 'touch made' })], text('I was not allowed.')];
  const { stdout, stderr, exitCode } = await rondo(script, ['-p', 'hi', '--verbose']);
  expect({ stdout, exitCode }).toEqual({ stdout: 'I was not allowed.\n', exitCode: 0 });
  expect(stderr).toMatch(/• Bash touch made\n {2}✗ not allowed: /);
  expect(stderr).toContain('see --allowedTools');
  expect(() => readFileSync(join(place.project, 'made'))).toThrow('ENOENT');
});

test('a call that a rule allows runs', async () => {
  const script = [[toolCall('Bash', { command: 'touch made' })], text('Done.')];
  await rondo(script, ['-p', '--allowedTools', 'Bash(touch made)', '--', 'hi']);
  expect(readFileSync(join(place.project, 'made'), 'utf8')).toBe('');
});

test('a session goes on: --continue, --resume, and a copy by --fork-session', async () => {
  const json = ['--output-format', 'json'];
  const [first] = lines((await rondo([text('one')], ['-p', 'a', ...json])).stdout);
  const id = first?.session_id ?? '';
  const [second] = lines((await rondo([text('two')], ['-p', 'b', '--continue', ...json])).stdout);
  const [third] = lines((await rondo([text('three')], ['-p', 'c', '--resume', id.slice(0, 8), ...json])).stdout);
  const [fork] = lines((await rondo([text('four')], ['-p', 'd', '-r', id, '--fork-session', ...json])).stdout);
  expect([second?.session_id, third?.session_id]).toEqual([id, id]);
  expect(fork?.session_id).not.toBe(id);
});

test('a session that is not there: stderr, and a result for programs', async () => {
  const id = '0b54a5f2-93a7-4c5e-8d7e-2f1c6a9b0d11';
  const { stdout, stderr, exitCode } = await rondo([], ['-p', 'a', '--resume', id, '--output-format', 'json']);
  expect(lines(stdout)).toMatchObject([
    {
      type: 'result',
      subtype: 'error_during_execution',
      is_error: true,
      session_id: id,
      errors: [expect.stringContaining(id)],
    },
  ]);
  expect(stderr).toContain(id);
  expect(exitCode).toBe(1);
});

test('nothing is kept when nothing should be', async () => {
  await rondo([text('one')], ['-p', 'a', '--no-session-persistence']);
  const { stderr, exitCode } = await rondo([], ['-p', 'b', '--continue']);
  expect(stderr).toMatch(/no session/);
  expect(exitCode).toBe(1);
});

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('%s in the middle of a text: the turn is interrupted and the session goes on', async (signal, code) => {
  const held = Promise.withResolvers<void>();
  await using server = await startModelServer({ script: [text(['begun', held.promise, 'never']), text('again')] });
  const env = place.env({ ANTHROPIC_BASE_URL: server.url });
  const options = { cwd: place.project, env };
  const run = spawnRondo(['-p', 'a', '--output-format', 'stream-json', '--include-partial-messages'], options);
  await untilPrinted(run.child, 'begun');
  run.child.kill(signal);
  const { stdout, stderr, exitCode } = await run.exit;
  held.resolve();
  expect(exitCode).toBe(code);
  const result = lines(stdout).at(-1);
  expect(result).toMatchObject({ type: 'result', subtype: 'error_during_execution' });
  expect(stderr).toContain(`rondo --resume ${result?.session_id}`);
  const next = await runRondo(['-p', 'b', '--resume', result?.session_id ?? ''], options);
  expect(next).toMatchObject({ stdout: 'again\n', exitCode: 0 });
});

test('SIGINT while a command runs: it and all it started are gone', async () => {
  const told = join(place.project, 'told');
  spawnSync('mkfifo', [told]);
  const command = 'sleep 600 & echo $$ $! > told; wait';
  const calls = reply([toolCall('Bash', { command })]);
  await using server = await startModelServer({ script: [calls] });
  const run = spawnRondo(['-p', 'a', '--allowedTools', 'Bash', '--output-format', 'json'], {
    cwd: place.project,
    env: place.env({ ANTHROPIC_BASE_URL: server.url }),
  });
  const pids = (await readFile(told, 'utf8')).trim().split(' ').map(Number);
  expect(pids.filter(isRunning)).toHaveLength(2);
  run.child.kill('SIGINT');
  expect((await run.exit).exitCode).toBe(130);
  expect(pids.filter(isRunning)).toEqual([]);
});

test('a reader that leaves ends the run quietly', async () => {
  const held = Promise.withResolvers<void>();
  await using server = await startModelServer({ script: [text(['begun', held.promise, 'never'])] });
  const run = spawnRondo(['-p', 'a', '--output-format', 'stream-json', '--include-partial-messages'], {
    cwd: place.project,
    env: place.env({ ANTHROPIC_BASE_URL: server.url }),
  });
  await untilPrinted(run.child, 'begun');
  run.child.stdout?.destroy();
  held.resolve();
  expect((await run.exit).exitCode).toBe(141);
});

test('a debug file tells everything but the key', async () => {
  const file = join(place.project, 'debug.jsonl');
  const echo = [[toolCall('Bash', { command: `echo ${key}` })], text(`the key is ${key}`)];
  const { stdout } = await rondo(echo, ['-p', 'a', '--allowedTools', 'Bash', '--debug-file', file]);
  const debug = readFileSync(file, 'utf8');
  expect(debug).toContain('"event":"start"');
  expect(debug).toContain('"event":"end"');
  expect(`${debug}${stdout}`).not.toContain(key);
});

test.each([
  [['-p'], 'No prompt'],
  [['-p', '--resume'], '--resume needs a session'],
])('wrong usage is told on stderr with exit code 2: %j', async (argv, message) => {
  const { stdout, stderr, exitCode } = await rondo([], argv);
  expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 2 });
  expect(stderr).toMatch(/^rondo: /);
  expect(stderr).toContain(message);
});

/** A process that has ended may stay in the table until init collects it. */
function isRunning(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
  return stdout.trim() !== '' && !stdout.trim().startsWith('Z');
}

function untilPrinted(child: ReturnType<typeof spawnRondo>['child'], wanted: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let printed = '';
    child.stdout?.on('data', (piece: Buffer) => {
      printed += String(piece);
      if (printed.includes(wanted)) resolve();
    });
    child.once('exit', () => reject(new Error(`ended without ${wanted}: ${printed}`)));
  });
}

test('a tool that is to answer questions and is of no server is refused, with the servers there are', async () => {
  const { stdout, stderr, exitCode } = await rondo([], ['-p', '--permission-prompt-tool', 'mcp__auth__prompt', 'hi']);
  expect([stdout, exitCode]).toEqual(['', 2]);
  expect(stderr).toContain('--permission-prompt-tool: there is no tool mcp__auth__prompt; there are no servers.');
});
