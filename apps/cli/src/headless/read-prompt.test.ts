import { spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test, vi } from 'vitest';

// Each test starts processes of its own; a busy machine takes its time with them.
vi.setConfig({ testTimeout: 60_000 });

/** Reads a prompt in a process of its own and prints what it got, and whether a silent pipe was noticed. */
function reading(argument: string | undefined, patienceMs: number, stdin: 'pipe' | 'ignore' | number) {
  const module = new URL('read-prompt.ts', import.meta.url).href;
  const program = `
    import { readPrompt } from '${module}';
    const options = ${JSON.stringify({ argument, patienceMs })};
    let silent = false;
    try {
      const prompt = await readPrompt({ ...options, onSilentPipe: () => { silent = true; } });
      process.stdout.write(JSON.stringify({ prompt, silent }));
    } catch (error) {
      process.stdout.write(JSON.stringify({ code: error.code }));
    }
  `;
  const child = spawn(process.execPath, ['--conditions=@rondo/source', '--input-type=module', '-e', program], {
    stdio: [stdin, 'pipe', 'inherit'],
  });
  const { stdout } = child;
  if (stdout === null) throw new Error('no pipe');
  return { stdin: child.stdin, outcome: text(stdout).then((json) => JSON.parse(json) as unknown) };
}

const long = 60_000;

test('a pipe is the prompt, or follows it', async () => {
  const alone = reading(undefined, long, 'pipe');
  alone.stdin?.end('from the pipe\n');
  const both = reading('explain', long, 'pipe');
  both.stdin?.end('from the pipe\n');
  expect(await alone.outcome).toEqual({ prompt: 'from the pipe', silent: false });
  expect(await both.outcome).toEqual({ prompt: 'explain\n\nfrom the pipe', silent: false });
});

test('nothing anywhere is no prompt', async () => {
  const piped = reading(' ', long, 'pipe');
  piped.stdin?.end(' \n');
  expect(await piped.outcome).toEqual({ silent: false });
  expect(await reading(undefined, long, 'ignore').outcome).toEqual({ silent: false });
});

test('a file is read as a pipe is', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'rondo-prompt-'));
  const file = join(folder, 'prompt.txt');
  writeFileSync(file, 'from a file');
  const descriptor = openSync(file, 'r');
  expect(await reading('explain', long, descriptor).outcome).toEqual({
    prompt: 'explain\n\nfrom a file',
    silent: false,
  });
  closeSync(descriptor);
  rmSync(folder, { recursive: true });
});

test('an open pipe that says nothing does not hold up a prompt that is there', async () => {
  const child = reading('go on', 1, 'pipe');
  expect(await child.outcome).toEqual({ prompt: 'go on', silent: true });
});

test('a slow pipe is read to its end once it has begun', async () => {
  const child = reading('explain', long, 'pipe');
  child.stdin?.write('first ');
  child.stdin?.end('last');
  expect(await child.outcome).toEqual({ prompt: 'explain\n\nfirst last', silent: false });
});

test('more than a prompt may hold is refused', async () => {
  const child = reading(undefined, long, 'pipe');
  child.stdin?.on('error', () => {});
  child.stdin?.end('x'.repeat(11 * 1024 * 1024));
  expect(await child.outcome).toEqual({ code: 'input.invalid' });
});
