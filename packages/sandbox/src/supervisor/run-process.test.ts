import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isRondoError } from '@rondo/protocol';
import { describe, expect, it } from 'vitest';
import { runProcess, type RunProcessOptions } from './run-process.ts';

const path = process.env['PATH'] ?? '/usr/bin:/bin';

function run(command: RunProcessOptions['command'], options: Partial<RunProcessOptions> = {}) {
  return runProcess({
    command,
    cwd: tmpdir(),
    env: { PATH: path },
    timeoutMs: 60_000,
    signal: new AbortController().signal,
    outputLimit: 10_000,
    graceMs: 100,
    ...options,
  });
}

function isRunning(text: string): boolean {
  return readdirSync('/proc').some((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ').includes(text);
    } catch {
      return false;
    }
  });
}

it('reads its input to the end, then finds it closed', async () => {
  const input = JSON.stringify({ text: 'é\u2028\n' });
  expect(await run('cat; echo "$?" >&2', { input })).toMatchObject({
    stdout: input,
    stderr: '0\n',
    exitCode: 0,
    signal: null,
    droppedBytes: { stdout: 0, stderr: 0 },
  });
  expect(await run('cat')).toMatchObject({ stdout: '', exitCode: 0 });
  expect(await run('cat /dev/stdin', { input: 'again' })).toMatchObject({ stdout: 'again', exitCode: 0 });
});

it('may exit without reading a long input, or read it after its parent has gone on', async () => {
  const input = 'x'.repeat(5_000_000);
  expect(await run('exit 3', { input })).toMatchObject({ exitCode: 3, timedOut: false, aborted: false });
  expect(await run('exec 0<&-; echo closed', { input })).toMatchObject({ stdout: 'closed\n', exitCode: 0 });
  expect(await run('sleep 0.1; wc -c', { input })).toMatchObject({ stdout: '5000000\n' });
});

it('runs no start-up files of a shell, whatever its input is', async () => {
  const home = await mkdtemp(join(tmpdir(), 'rondo-home-'));
  await writeFile(join(home, '.bashrc'), 'echo started-up\n');
  for (const input of [undefined, 'text']) {
    const env = { PATH: path, HOME: home };
    expect(await run('cat; echo done', { env, ...(input === undefined ? {} : { input }) })).toMatchObject({
      stdout: `${input ?? ''}done\n`,
    });
  }
  await rm(home, { recursive: true });
});

it('runs a program with arguments that no shell reads', async () => {
  const outcome = await run({ program: 'printf', args: ['%s|', '$HOME', 'a b', '`id`', ''] });
  expect(outcome).toMatchObject({ stdout: '$HOME|a b|`id`||', exitCode: 0 });
});

it('keeps the beginning of each stream, whole characters of it, and says how much it dropped', async () => {
  const pieces: string[] = [];
  const outcome = await run(`printf '€€€'; head -c 5000000 /dev/zero | tr '\\0' e >&2`, {
    outputLimit: 8,
    onOutput: (stream, piece) => stream === 'stdout' && pieces.push(piece),
  });
  expect(outcome).toMatchObject({ stdout: '€€', stderr: 'eeeeeeee', exitCode: 0 });
  expect(outcome.droppedBytes).toEqual({ stdout: 1, stderr: 4_999_992 });
  expect(pieces.join('')).toBe('€€€');
});

it('ends as timed out or aborted, never as an exit, and tells signals from exits', async () => {
  expect(await run('sleep 7130', { timeoutMs: 100 })).toMatchObject({ timedOut: true, aborted: false, exitCode: null });
  const controller = new AbortController();
  const aborted = run('echo up; sleep 7131', { signal: controller.signal, onOutput: () => controller.abort() });
  expect(await aborted).toMatchObject({ aborted: true, timedOut: false, stdout: 'up\n' });
  expect(await run('kill -SEGV $$')).toMatchObject({ signal: 'SIGSEGV', exitCode: null, timedOut: false });
  expect(await run('true', { signal: AbortSignal.abort() })).toMatchObject({ aborted: true, exitCode: null });
  expect(await run('no-such-program-7132')).toMatchObject({ exitCode: 127 });
});

it('is refused when it cannot start', async () => {
  const refusal = run({ program: '/no/such/program' }).catch((error: unknown) => error);
  expect(isRondoError(await refusal, 'sandbox.unavailable')).toBe(true);
});

describe.skipIf(process.platform !== 'linux')('nothing of it is left', () => {
  it.each([
    ['in the background with its output open', 'sleep 7133 & echo ok', 'sleep 7133'],
    [
      'forked twice into a session of its own',
      '(setsid sh -c "sleep 7134 & exec sleep 7134" >/dev/null 2>&1 &); echo ok',
      'sleep 7134',
    ],
    [
      'deaf to SIGTERM, with the input still open',
      `bash -c "trap '' TERM; sleep 7135; sleep 7135" & echo ok`,
      'sleep 7135',
    ],
  ])('%s', async (_name, command, left) => {
    const outcome = await run(command, { input: 'x'.repeat(1_000_000) });
    expect(outcome).toMatchObject({ stdout: 'ok\n', exitCode: 0, timedOut: false });
    expect(outcome.endedProcesses).toBeGreaterThanOrEqual(1);
    expect(isRunning(left)).toBe(false);
  });
});
