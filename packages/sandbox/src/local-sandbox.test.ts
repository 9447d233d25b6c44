import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { readdirSync, readFileSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { outputGap, type CommandOptions } from '@rondo/runtime';
import { isRondoError } from '@rondo/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLocalSandbox } from './local-sandbox.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rondo-sandbox-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const sandbox = createLocalSandbox({ graceMs: 100 });
const path = process.env['PATH'] ?? '/usr/bin:/bin';

function run(command: string, options: Partial<CommandOptions> = {}) {
  const signal = new AbortController().signal;
  return sandbox.exec(command, {
    cwd: folder,
    env: { PATH: path },
    signal,
    timeoutMs: 60_000,
    outputLimit: 30_000,
    ...options,
  });
}

/** Live processes whose command line holds the text. Each test sleeps for a number of seconds of its own. */
function processesNaming(text: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      if (!/^\d+$/.test(pid) || !readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ').includes(text))
        return false;
      return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
    } catch {
      return false;
    }
  });
}

describe('a command', () => {
  it('gives its streams, its exit code and the folder and environment it was given, and nothing else', async () => {
    const execution = await run('pwd; echo "$GREETING" >&2; env | cut -d= -f1 | sort | tr "\\n" " "; exit 3', {
      env: { PATH: path, GREETING: 'hello' },
    });
    expect(execution).toMatchObject({ exitCode: 3, signal: null, stderr: 'hello\n', timedOut: false, aborted: false });
    expect(execution.stdout).toBe(`${folder}\nGREETING PATH PWD RONDO_COMMAND SHLVL _ `);
    expect(execution).toMatchObject({ outputTruncated: false, endedProcesses: 0 });
  });

  it('finds its input closed', async () => {
    expect(await run('cat; echo "cat: $?"')).toMatchObject({ stdout: 'cat: 0\n', exitCode: 0 });
  });

  it('reads a signal as such', async () => {
    expect(await run('kill -KILL $$')).toMatchObject({ exitCode: null, signal: 'SIGKILL', timedOut: false });
  });

  it('is refused with the reason when it cannot start', async () => {
    const reason = (promise: Promise<unknown>) =>
      promise.then(
        () => '',
        (error: unknown) => (isRondoError(error, 'sandbox.unavailable') ? error.message : String(error)),
      );
    expect(await reason(run('true', { cwd: join(folder, 'absent') }))).toContain('absent');
    expect(await reason(run(`echo ${'x'.repeat(200_000)}`))).toContain('write it to a file');
    expect(await reason(run('echo a\0b'))).toContain('NUL');
    const odd = createLocalSandbox({ shell: join(folder, 'no-shell') });
    const options = { cwd: folder, env: {}, signal: new AbortController().signal, timeoutMs: 1000, outputLimit: 100 };
    expect(await reason(odd.exec('true', options))).toContain('no-shell');
  });

  it('does not start when it is aborted already', async () => {
    const execution = await run('touch started', { signal: AbortSignal.abort() });
    expect(execution).toMatchObject({ aborted: true, exitCode: null });
    await expect(stat(join(folder, 'started'))).rejects.toThrow('ENOENT');
  });
});

describe.skipIf(process.platform !== 'linux')('nothing survives', () => {
  it.each([
    ['a child in the background that holds the output', 'sleep 7101 & echo ok', '7101', 1],
    ['a child in a session of its own', 'setsid sleep 7102 & echo ok', '7102', 1],
    ['a child that ignores SIGTERM', `bash -c "trap '' TERM; while :; do sleep 7103; done" & echo ok`, '7103', 1],
    [
      'a daemon, forked twice, without stdio',
      '(setsid sh -c "sleep 7104 & exec sleep 7104" </dev/null >/dev/null 2>&1 &) ; echo ok',
      '7104',
      1,
    ],
    ['a stopped child', 'sleep 7105 & kill -STOP $! ; echo ok', '7105', 1],
    ['a child without the environment that holds the output', 'env -i setsid sleep 7106 & echo ok', '7106', undefined],
    ['many at once', 'for i in $(seq 40); do (setsid sleep 7107 &) ; done; echo ok', '7107', 40],
  ])('of %s', async (_name, command, number, ended) => {
    const execution = await run(command);
    expect(execution).toMatchObject({ stdout: 'ok\n', exitCode: 0, timedOut: false });
    expect(processesNaming(`sleep ${number}`)).toEqual([]);
    if (ended !== undefined) expect(execution.endedProcesses).toBeGreaterThanOrEqual(ended);
  });

  it('of a command that is over its time, whatever it forked and however often it forks', async () => {
    const forking =
      'trap "" TERM; (setsid env -i sleep 7110 &); while :; do (setsid sleep 7110 &); (sleep 7110 &); sleep 0.01; done';
    const execution = await run(forking, { timeoutMs: 300 });
    expect(execution).toMatchObject({ timedOut: true, aborted: false, signal: 'SIGKILL', exitCode: null });
    expect(processesNaming('sleep 7110')).toEqual([]);
  });

  it('of a child without marker whose parent still runs when the command is aborted', async () => {
    const controller = new AbortController();
    const execution = await run('(env -i setsid sleep 7111 >/dev/null 2>&1; true) & echo ready; wait', {
      signal: controller.signal,
      onOutput: () => controller.abort(),
    });
    expect(execution).toMatchObject({ aborted: true, timedOut: false, stdout: 'ready\n' });
    expect(processesNaming('sleep 7111')).toEqual([]);
  });

  it('and a command that ends itself on SIGTERM may say so', async () => {
    const execution = await run('trap "echo cleaned; exit 9" TERM; echo up; while :; do sleep 0.02; done', {
      timeoutMs: 200,
    });
    expect(execution).toMatchObject({ timedOut: true, exitCode: 9, stdout: 'up\ncleaned\n' });
  });

  it('of other commands is touched', async () => {
    const controller = new AbortController();
    const up = Promise.withResolvers<void>();
    const other = run('echo up; sleep 7112', { signal: controller.signal, onOutput: () => up.resolve() });
    const bystander = spawn('sleep', ['7113'], { detached: true, stdio: 'ignore' });
    await up.promise;
    await run('sleep 7114 & true');
    expect(processesNaming('sleep 7114')).toEqual([]);
    expect(processesNaming('sleep 7112')).not.toEqual([]);
    expect(processesNaming('sleep 7113')).toEqual([String(bystander.pid)]);
    controller.abort();
    expect(await other).toMatchObject({ aborted: true });
    bystander.kill();
  });
});

describe('output', () => {
  it('keeps characters whole however they arrive', async () => {
    const pieces: string[] = [];
    const split = `printf '\\xe2'; sleep 0.05; printf '\\x82\\xac\\xf0\\x9f'; sleep 0.05; printf '\\x98\\x80'`;
    const execution = await run(split, { onOutput: (piece) => pieces.push(piece) });
    expect(execution.stdout).toBe('€😀');
    expect(pieces.join('')).toBe('€😀');
  });

  it('over the limit keeps head and tail, the whole in the file, and says where the gap begins', async () => {
    const outputPath = join(folder, 'deep', 'whole.txt');
    const execution = await run('seq 100000', { outputLimit: 1000, outputPath });
    const whole = Array.from({ length: 100_000 }, (_, index) => `${index + 1}\n`).join('');
    expect(await readFile(outputPath, 'utf8')).toBe(whole);
    expect((await stat(outputPath)).mode & 0o777).toBe(0o600);
    expect(execution).toMatchObject({ outputTruncated: true, outputPath, outputBytes: whole.length });
    const [head = '', tail = ''] = execution.stdout.split(`${outputGap}\n`);
    expect(head.length + tail.length).toBeLessThanOrEqual(1000);
    expect(whole.startsWith(head)).toBe(true);
    expect(whole.endsWith(tail)).toBe(true);
    expect(execution.omittedFromLine).toBe(head.split('\n').length);
  });

  it('writes no file when all of it fits, and none is asked for when there is no path', async () => {
    const outputPath = join(folder, 'unneeded.txt');
    // 450 characters each, more bytes than the limit has characters.
    const execution = await run(`printf '€%.0s' $(seq 450); printf '€%.0s' $(seq 450) >&2`, {
      outputLimit: 1000,
      outputPath,
    });
    expect(execution.stdout).toBe('€'.repeat(450));
    expect(execution.stderr).toBe('€'.repeat(450));
    expect(execution.outputTruncated).toBe(false);
    await expect(stat(outputPath)).rejects.toThrow('ENOENT');
    const without = await run('seq 1000', { outputLimit: 100 });
    expect(without).toMatchObject({ outputTruncated: true, exitCode: 0 });
    expect(without.outputPath).toBeUndefined();
  });

  it('stops the file at its limit and says so in it', async () => {
    const small = createLocalSandbox({ outputFileLimit: 5000 });
    const outputPath = join(folder, 'limited.txt');
    const signal = new AbortController().signal;
    const execution = await small.exec('yes | head -c 1000000', {
      cwd: folder,
      env: { PATH: path },
      signal,
      timeoutMs: 60_000,
      outputLimit: 100,
      outputPath,
    });
    expect(execution).toMatchObject({ outputBytes: 1_000_000, outputPath, exitCode: 0 });
    expect(await readFile(outputPath, 'utf8')).toBe(
      `${'y\n'.repeat(2500)}\n[output after the first 5000 bytes was not kept]\n`,
    );
  });

  it('survives a file that cannot be written', async () => {
    // A folder that is a file.
    const outputPath = join(process.execPath, 'out.txt');
    const execution = await run('seq 100000', { outputLimit: 100, outputPath });
    expect(execution).toMatchObject({ outputTruncated: true, exitCode: 0, outputBytes: 588_895 });
    expect(execution.outputPath).toBeUndefined();
  });

  it('of any size needs bounded memory', async () => {
    const before = process.resourceUsage().maxRSS;
    const execution = await run('yes | head -c 100M');
    expect(execution).toMatchObject({ outputBytes: 100 * 1024 ** 2, exitCode: 0, outputTruncated: true });
    expect(process.resourceUsage().maxRSS - before).toBeLessThan(60 * 1024);
  }, 60_000);
});

it('gives programs of tools a mark of this runtime, a new one each', async () => {
  const marks = await Promise.all([sandbox.processMark?.(), sandbox.processMark?.()]);
  const values = marks.map((mark) => mark?.['RONDO_COMMAND'] ?? '');
  for (const value of values) expect(value).toMatch(new RegExp(`:${process.pid}:\\d+:[0-9a-f-]{36}$`));
  expect(new Set(values).size).toBe(2);
});
