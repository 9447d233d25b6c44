import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { shellLines } from '../../testing/shell-lines.ts';
import { analyzeShellLine } from './analyze-shell-line.ts';
import type { ShellCommand } from './shell-line.ts';

/** The programs themselves tell whether their flags are read as they read them. */
const programs = [
  'env',
  'xargs',
  'find',
  'timeout',
  'nice',
  'nohup',
  'setsid',
  'stdbuf',
  'ionice',
  'taskset',
  'flock',
  'bash',
  'sh',
  'cat',
];
const places = programs.map((name) =>
  ['/usr/bin/', '/bin/'].map((folder) => folder + name).find((path) => existsSync(path)),
);
const areHere = process.platform === 'linux' && places.every((place) => place !== undefined);

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'real-shell-'));
  for (const [index, name] of programs.entries()) {
    const place = places[index];
    if (place !== undefined) symlinkSync(place, join(folder, name));
  }
  const stub = `#!${join(folder, 'sh')}\nprintf '%s\\n' "\${0##*/}" >> "$LOG"\n`;
  for (const name of ['canary', 'bystander']) writeFileSync(join(folder, name), stub, { mode: 0o755 });
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** Runs the lines, each in a shell of its own, where there is nothing but these programs. True: it ran `canary`. */
async function run(lines: readonly string[]): Promise<boolean[]> {
  const each = 'at=0; for line; do export LOG="log-$at"; (eval "$line") <<< a >out 2>&1; at=$((at + 1)); done';
  const shell = spawn(join(folder, 'bash'), ['--norc', '-c', each, 'bash', ...lines], {
    cwd: folder,
    env: { PATH: folder, FUNCNEST: '10' },
    stdio: 'ignore',
  });
  await once(shell, 'close');
  return lines.map((_, at) => {
    const log = join(folder, `log-${at}`);
    return existsSync(log) && readFileSync(log, 'utf8').includes('canary');
  });
}

function judged(line: string): 'certain' | 'perhaps' | 'unclear' | 'unseen' {
  const { commands, unclear } = analyzeShellLine(line);
  const behind = (command: ShellCommand): ShellCommand[] => [command, ...command.runs.flatMap(behind)];
  const certain = commands.flatMap(behind);
  const isCanary = ({ words }: ShellCommand): boolean => /(?:^|\/)canary$/.test(words[0] ?? '');
  if (certain.some(isCanary)) return 'certain';
  if (certain.some(({ mayRun = [] }) => mayRun.flatMap(behind).some(isCanary))) return 'perhaps';
  return unclear !== undefined || certain.some((command) => command.unclear !== undefined) ? 'unclear' : 'unseen';
}

test.skipIf(!areHere)(
  'what the wrappers really run, the analysis sees, whatever form their flags have',
  { timeout: 120_000 },
  async () => {
    const lines = shellLines('real-wrappers');
    const ran = await run(lines);
    expect(lines.filter((line, at) => ran[at] === true && judged(line) !== 'certain')).toEqual([]);
    // A row that does not run it is no test of anything. Which of a few do depends on the machine's version of them.
    expect(lines.filter((_, at) => ran[at] === false).length).toBeLessThan(8);
  },
);
