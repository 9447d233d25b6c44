import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { outputGap, type CommandOptions, type Execution, type Sandbox } from '@rondo/runtime';
import { temporaryToolContext } from '@rondo/runtime/testing';
import { describe, expect, it } from 'vitest';
import { bash } from './bash.ts';

const done: Execution = {
  exitCode: 0,
  signal: null,
  stdout: '',
  stderr: '',
  outputBytes: 0,
  outputTruncated: false,
  timedOut: false,
  aborted: false,
  endedProcesses: 0,
  durationMs: 1,
};

/** Runs nothing, and ends as it is told. */
function sandboxThat(
  ends: Partial<Execution> | ((options: CommandOptions) => Promise<Partial<Execution>>),
  enforced: readonly string[] = [],
) {
  const calls: { command: string; options: CommandOptions }[] = [];
  const sandbox: Sandbox = {
    async exec(command, options) {
      calls.push({ command, options });
      return { ...done, ...(typeof ends === 'function' ? await ends(options) : ends) };
    },
    describe: () => ({ name: 'test', enforced }),
  };
  return { sandbox, calls };
}

describe('Bash', () => {
  it('runs the line in the session folder with the session environment alone', async () => {
    await using tool = await temporaryToolContext();
    const { sandbox, calls } = sandboxThat({ stdout: 'out\n\n', stderr: 'warning\n' });
    const context = tool.context({ sandbox, env: { PATH: '/bin' }, callId: '../odd/id' });
    const result = await bash.run({ command: 'make' }, context);
    expect(calls[0]).toMatchObject({
      command: 'make',
      options: { cwd: tool.folder, env: { PATH: '/bin' }, timeoutMs: 120_000, outputLimit: 30_000 },
    });
    expect(calls[0]?.options.outputPath).toBe(`${context.outputDirectory}/tool-results/___odd_id.txt`);
    expect(result).toEqual({
      content: 'out\nwarning',
      structured: { stdout: 'out\n\n', stderr: 'warning\n', interrupted: false, isImage: false },
    });
  });

  it.each([
    [{ timeout: 1000 }, 1000],
    [{ timeout: 9_999_999 }, 600_000],
  ])('takes a time of %o as %i', async (time, timeoutMs) => {
    await using tool = await temporaryToolContext();
    const { sandbox, calls } = sandboxThat({});
    const result = await bash.run({ command: 'true', ...time }, tool.context({ sandbox }));
    expect(calls[0]?.options.timeoutMs).toBe(timeoutMs);
    expect(result.content).toBe('[The command ended without output.]');
  });

  it.each<[string, Partial<Execution>, string]>([
    ['a failure', { exitCode: 3, stdout: 'a\n', stderr: 'b\n' }, 'Exit code 3\na\nb'],
    ['a signal', { exitCode: null, signal: 'SIGKILL' }, 'Exit code 137'],
    [
      'time',
      { exitCode: null, signal: 'SIGTERM', timedOut: true, stdout: 'a' },
      'Exit code 143\na\n[The command timed out after 2 s and was ended with everything it started.]',
    ],
    [
      'an end on SIGTERM',
      { exitCode: 0, timedOut: true },
      'Exit code 0\n[The command timed out after 2 s and was ended with everything it started.]',
    ],
    [
      'an interrupt',
      { exitCode: null, signal: 'SIGTERM', aborted: true },
      'Exit code 143\n[The command was interrupted and ended with everything it started.]',
    ],
  ])('reads %s as an error', async (_name, ends, content) => {
    await using tool = await temporaryToolContext();
    const { sandbox } = sandboxThat(ends);
    const result = await bash.run({ command: 'x', timeout: 2000 }, tool.context({ sandbox }));
    expect(result).toMatchObject({ content, isError: true, structured: { interrupted: ends.aborted ?? false } });
  });

  it('says where the rest of a long output is', async () => {
    await using tool = await temporaryToolContext();
    const { sandbox } = sandboxThat(async ({ outputPath = '' }) => {
      await mkdir(dirname(outputPath), { recursive: true });
      await writeFile(outputPath, 'x'.repeat(99_000));
      return {
        stdout: `head\n${outputGap}\ntail`,
        outputTruncated: true,
        outputBytes: 99_000,
        outputPath,
        omittedFromLine: 2,
      };
    });
    const context = tool.context({ sandbox });
    const result = await bash.run({ command: 'x' }, context);
    const path = `${context.outputDirectory}/tool-results/${context.callId}.txt`;
    expect(result.content).toBe(
      `head\n${outputGap}\ntail\n[Shortened: all 99000 bytes of output are in ${path}. What is left out begins there in line 2: Read it with offset: 2.]`,
    );
    expect(result.structured).toMatchObject({ persistedOutputPath: path, persistedOutputSize: 99_000 });
    const lost = sandboxThat({ stdout: 'head', outputTruncated: true, outputBytes: 99_000 });
    expect((await bash.run({ command: 'x' }, tool.context(lost))).content).toContain('could not be kept');
  });

  it('tells of processes that were left in the background', async () => {
    await using tool = await temporaryToolContext();
    const { sandbox } = sandboxThat({ stdout: 'ok\n', endedProcesses: 2 });
    expect((await bash.run({ command: 'x &' }, tool.context({ sandbox }))).content).toBe(
      'ok\n[2 processes that it left in the background were ended.]',
    );
  });

  it('says what the sandbox refused, to the model with the way on, to those who watch without', async () => {
    await using tool = await temporaryToolContext();
    const { sandbox } = sandboxThat({
      exitCode: 1,
      stderr: 'no\n',
      refusals: ['The sandbox refused it.', 'Ask for more.'],
    });
    const result = await bash.run({ command: 'x' }, tool.context({ sandbox }));
    expect(result.content).toBe('Exit code 1\nno\n[The sandbox refused it. Ask for more.]');
    expect(result.notices).toEqual(['The sandbox refused it.']);
  });

  it('runs where the policy says, in the folders that the session has now', async () => {
    await using tool = await temporaryToolContext();
    const { sandbox, calls } = sandboxThat({}, ['writing outside']);
    const additionalDirectories = ['/elsewhere'];
    await bash.run({ command: 'x' }, tool.context({ sandbox, sandboxed: true, additionalDirectories }));
    expect(calls[0]?.options).toMatchObject({ outside: false, folders: [tool.folder, '/elsewhere'] });
    const open = { ...sandbox, canRunOutside: true };
    const escape = { command: 'x', dangerouslyDisableSandbox: true };
    expect(bash.access(escape)).toEqual({ command: 'x', unsandboxed: true });
    await expect(bash.run(escape, tool.context({ sandbox: open, sandboxed: true }))).rejects.toThrow(
      'not allowed here',
    );
    await bash.run(escape, tool.context({ sandbox: open, sandboxed: false }));
    expect(calls[1]?.options).toMatchObject({ outside: true });
  });

  it('refuses what it does not do instead of doing something else', async () => {
    await using tool = await temporaryToolContext();
    const open = sandboxThat({});
    await expect(bash.run({ command: 'x', run_in_background: true }, tool.context(open))).rejects.toThrow(
      'not available yet',
    );
    const closed = sandboxThat({}, ['writing outside']);
    const escape = { command: 'x', dangerouslyDisableSandbox: true };
    await expect(bash.run(escape, tool.context(closed))).rejects.toThrow('not allowed here');
    expect([...open.calls, ...closed.calls]).toEqual([]);
    expect((await bash.run(escape, tool.context(open))).structured).toMatchObject({ dangerouslyDisableSandbox: true });
  });

  it('shows the newest output as progress, not each piece', async () => {
    await using tool = await temporaryToolContext();
    const { sandbox } = sandboxThat((options) => {
      for (let piece = 0; piece < 10_000; piece += 1) options.onOutput?.(`${'x'.repeat(100)}\n`);
      return Promise.resolve({});
    });
    await bash.run({ command: 'x' }, tool.context({ sandbox }));
    expect(tool.progress[0]).toEqual({ output: `${'x'.repeat(100)}\n` });
    expect(tool.progress.length).toBeLessThan(1000);
  });
});
