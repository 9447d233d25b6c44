import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startModelServer, type Step, text, toolCall } from '@rondo/providers/testing';
import { createRuntime } from '@rondo/runtime';
import { createFileStore } from '@rondo/runtime/node';
import { recordingTool, say, scriptedModel, sha256, stall, temporaryBinding } from '@rondo/runtime/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  createWorkplace,
  type RondoOptions,
  rondoProgram,
  runRondo,
  spawnRondo,
  type Workplace,
} from '../testing/spawn-rondo.ts';
import { spawnTerminal, type Terminal } from '../testing/spawn-terminal.ts';

// Each test starts processes of its own; a busy machine takes its time with them.
vi.setConfig({ testTimeout: 60_000 });

const id = '0b54a5f2-93a7-4c5e-8d7e-2f1c6a9b0d11';
const enter = '\r';

let place: Workplace;
beforeEach(() => {
  place = createWorkplace();
});
afterEach(() => place[Symbol.dispose]());

const optionsFor = (url: string): RondoOptions => ({
  cwd: place.project,
  env: place.env({ ANTHROPIC_BASE_URL: url, NO_COLOR: '1' }),
});

/** A session whose process was killed while the model was speaking. */
async function killedInText(): Promise<void> {
  const held = Promise.withResolvers<void>();
  await using server = await startModelServer({ script: [text(['begun', held.promise])] });
  const run = spawnRondo(['-p', 'the first prompt', '--session-id', id], optionsFor(server.url));
  await server.request(0);
  run.child.kill('SIGKILL');
  await run.exit;
  held.resolve();
}

/** A session whose process was killed while a person was being asked. */
async function killedInQuestion(command: string): Promise<void> {
  await using server = await startModelServer({ script: [[toolCall('Bash', { command })]] });
  await using terminal = sitDown(['the first prompt', '--session-id', id], server.url);
  await terminal.waitFor('n [reason]: ');
  terminal.kill('SIGKILL');
  await terminal.exited;
}

function sitDown(argv: readonly string[], url: string): Terminal {
  const { cwd, env } = optionsFor(url);
  return spawnTerminal(process.execPath, [...rondoProgram, ...argv], { cwd, env });
}

async function rondo(script: readonly Step[], argv: readonly string[]) {
  await using server = await startModelServer({ script });
  const exit = await runRondo(argv, optionsFor(server.url));
  return { ...exit, requests: server.requests.map((request) => request.text) };
}

test('--continue with a prompt settles what was cut off and goes on', async () => {
  await killedInText();
  const next = await rondo([text('the second answer')], ['--continue', '-p', 'the second prompt']);
  expect(next).toMatchObject({ stdout: 'the second answer\n', stderr: '', exitCode: 0 });
  expect(next.requests[0]).toContain('the first prompt');
});

test('--resume without a prompt works on the turn that was cut off', async () => {
  await killedInText();
  const { stdout, exitCode } = await rondo([text('the whole answer')], ['--resume', id, '-p']);
  expect({ stdout, exitCode }).toEqual({ stdout: 'the whole answer\n', exitCode: 0 });
  const again = await rondo([], ['--resume', id, '-p']);
  expect(again).toMatchObject({ stdout: '', exitCode: 1 });
  expect(again.stderr).toContain('no unfinished turn');
});

test('--resume without a prompt runs nothing while a question is open, and names it', async () => {
  await killedInQuestion('touch made');
  const { stdout, stderr, exitCode } = await rondo([], ['--resume', id, '-p', '--output-format', 'json']);
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(/question [0-9a-f-]{36}: /);
  expect(JSON.parse(stdout)).toMatchObject({ type: 'result', is_error: true, session_id: id });
  expect(existsSync(join(place.project, 'made'))).toBe(false);
});

test('on a terminal the open question is asked again, and its answer works on', async () => {
  await killedInQuestion('touch made');
  await using server = await startModelServer({ script: [text('Made it.')] });
  await using terminal = sitDown(['--resume', id], server.url);
  await terminal.waitFor('> the first prompt');
  await terminal.waitFor('? Bash touch made');
  await terminal.waitFor('n [reason]: ');
  terminal.type(`y${enter}`);
  await terminal.waitFor('Made it.');
  await terminal.waitFor('> ');
  expect(readFileSync(join(place.project, 'made'), 'utf8')).toBe('');
});

test('on a terminal a turn that was cut off goes on when the person says so', async () => {
  await killedInText();
  await using server = await startModelServer({ script: [text('The whole answer.')] });
  await using terminal = sitDown(['--continue'], server.url);
  await terminal.waitFor('did not finish');
  await terminal.waitFor('s stops it here: ');
  terminal.type(`c${enter}`);
  await terminal.waitFor('The whole answer.');
  await terminal.waitFor('> ');
});

test('a turn of an agent with tools of its own is left alone, and a copy of its session is offered', async () => {
  await using own = await temporaryBinding({
    agent: { name: 'shop', fingerprint: 'shop/1' },
    model: scriptedModel([[say('let me see'), stall()]]),
    tools: [recordingTool({ name: 'order' })],
  });
  const runtime = createRuntime({ store: createFileStore({ home: place.home }), sha256 });
  const bindingId = runtime.bind({ ...own.binding, cwd: place.project });
  await runtime.createSession({ bindingId, sessionId: id });
  await runtime.startTurn({ sessionId: id, bindingId, content: [{ type: 'text', text: 'order' }] });
  await runtime.close();

  const model = ['--model', 'sonnet'];
  const resumed = await rondo([], ['--resume', id, '-p', ...model]);
  expect(resumed.stderr).toContain('order');
  expect(resumed).toMatchObject({ stdout: '', exitCode: 1 });
  const next = await rondo([], ['--continue', '-p', 'next', ...model]);
  expect(next).toMatchObject({ stdout: '', exitCode: 1 });
  expect(next.stderr).toMatch(/order.*--fork-session/s);
  expect(await rondo([text('copied')], ['--continue', '--fork-session', '-p', 'next', ...model])).toMatchObject({
    stdout: 'copied\n',
    exitCode: 0,
  });
});
