import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { temporaryToolContext } from '@rondo/runtime/testing';
import { describe, expect, it } from 'vitest';
import { type RipgrepOptions, runRipgrep } from './run-ripgrep.ts';

/** Stands for ripgrep: any program that writes. */
function shell(line: string, changes: Partial<RipgrepOptions> = {}): RipgrepOptions {
  return {
    program: '/bin/sh',
    args: ['-c', line],
    cwd: '/',
    env: { PATH: process.env['PATH'] ?? '/bin:/usr/bin' },
    signal: new AbortController().signal,
    deadline: performance.now() + 60_000,
    onOutput: () => 'more',
    ...changes,
  };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // One that nobody has waited for yet is dead all the same.
    return process.platform !== 'linux' || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}

async function pidIn(file: string): Promise<number> {
  while (!existsSync(file) || readFileSync(file, 'utf8') === '') await setImmediate();
  return Number(readFileSync(file, 'utf8'));
}

describe('a run', () => {
  it('with an engine that may try for ever is bound by the kernel too, should nobody be left to end it', async () => {
    const limit = async (...more: readonly string[]): Promise<string> => {
      let output = '';
      const onOutput = (chunk: Buffer): 'more' => {
        output += chunk.toString();
        return 'more';
      };
      await runRipgrep(
        shell('', { args: ['-c', 'ulimit -t', ...more], onOutput, deadline: performance.now() + 1_500 }),
      );
      return output.trim();
    };
    const bound = Number(await limit('--pcre2'));
    expect(bound).toBeLessThanOrEqual(2 * availableParallelism() + 1);
    expect(await limit()).not.toBe(String(bound));
  });

  it('gives all output and what went wrong', async () => {
    let output = '';
    const line = `printf 'out\\n'; echo 'rg: ./a: b: Permission denied (os error 13)' >&2; echo 'rg: ./c: gone' >&2; exit 2`;
    const end = await runRipgrep(
      shell(line, {
        onOutput: (chunk) => {
          output += chunk.toString();
          return 'more';
        },
      }),
    );
    expect(output).toBe('out\n');
    const failures = ['./a: b: Permission denied (os error 13)', './c: gone'];
    expect(end).toEqual({ ending: 'finished', failures, failureCount: 2 });
  });

  it('tells a refusal from single failures, and keeps little of many', async () => {
    const refused = `printf 'rg: regex parse error:\\n    (\\n    ^\\nerror: unclosed group\\n' >&2; exit 2`;
    expect(await runRipgrep(shell(refused))).toMatchObject({
      refusal: 'regex parse error:\n    (\n    ^\nerror: unclosed group',
      failures: [],
    });
    const hint = `echo 'rg: No files were searched' >&2; exit 1`;
    expect(await runRipgrep(shell(hint))).toEqual({ ending: 'finished', failures: [], failureCount: 0 });
    const many = `i=0; while [ $i -lt 5000 ]; do echo "rg: ./$i: Permission denied"; i=$((i+1)); done >&2; head -c 1000000 /dev/zero >&2; exit 2`;
    const end = await runRipgrep(shell(many));
    expect(end.failures).toHaveLength(100);
    expect(end.failureCount).toBe(5000);
  });

  it('ends when the output is enough, though it has no end', async () => {
    await using tool = await temporaryToolContext();
    const file = join(tool.folder, 'pid');
    let chunks = 0;
    const end = await runRipgrep(
      shell(`echo $$ > ${file}; exec yes`, { onOutput: () => ((chunks += 1) === 3 ? 'enough' : 'more') }),
    );
    expect(end.ending).toBe('enough');
    expect(chunks).toBe(3);
    expect(isAlive(await pidIn(file))).toBe(false);
  });

  it('ends when time is over, with what there was by then', async () => {
    const end = await runRipgrep(shell('exec sleep 7300', { deadline: performance.now() }));
    expect(end).toEqual({ ending: 'timeout', failures: [], failureCount: 0 });
  });

  it('is gone when it is cancelled, however little it cares', async () => {
    await using tool = await temporaryToolContext();
    const file = join(tool.folder, 'pid');
    const stop = new AbortController();
    const line = `trap '' TERM INT HUP; echo $$ > ${file}; while :; do :; done`;
    const run = runRipgrep(shell(line, { signal: stop.signal }));
    const pid = await pidIn(file);
    expect(isAlive(pid)).toBe(true);
    stop.abort(new Error('stopped'));
    await expect(run).rejects.toThrow('stopped');
    expect(isAlive(pid)).toBe(false);
    await expect(runRipgrep(shell(`echo > ${file}2`, { signal: stop.signal }))).rejects.toThrow('stopped');
    expect(existsSync(`${file}2`)).toBe(false);
  });

  it('is gone when its reader fails', async () => {
    await using tool = await temporaryToolContext();
    const file = join(tool.folder, 'pid');
    const onOutput = () => {
      throw new Error('reader failed');
    };
    await expect(runRipgrep(shell(`echo $$ > ${file}; exec yes`, { onOutput }))).rejects.toThrow('reader failed');
    expect(isAlive(await pidIn(file))).toBe(false);
  });

  it('says when it cannot start or was ended from outside', async () => {
    await using tool = await temporaryToolContext();
    await expect(runRipgrep(shell('', { program: join(tool.folder, 'rg') }))).rejects.toThrow('could not be started');
    writeFileSync(join(tool.folder, 'file'), '');
    await expect(runRipgrep(shell('', { cwd: join(tool.folder, 'file') }))).rejects.toThrow('could not be started');
    await expect(runRipgrep(shell('kill -9 $$'))).rejects.toThrow('ended from outside by SIGKILL');
  });
});
