import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { watchMemory } from './watch-memory.ts';

/** What one process cost. Memory is the largest resident set; undefined where the system does not tell. */
export interface ProcessCost {
  readonly startedAt: bigint;
  readonly wallMs: number;
  readonly cpuMs: number;
  readonly peakBytes: number | undefined;
  readonly stdout: string;
}

export interface Supervisor extends Disposable {
  /** Runs a program to its end. @throws when it exits with anything but 0. */
  run(command: readonly string[], env?: Readonly<Record<string, string>>): Promise<ProcessCost>;
}

/**
 * A shell that waits, runs what it is told and reports what the system accounted to that one child. Why a shell: Node
 * does not tell a parent its children's CPU time, and a hook inside the child would be measured with it. The shell is
 * up before the clock starts, so starting it is nobody's time. `time` reads the kernel's account of the finished child,
 * all threads, to the millisecond.
 */
const script = String.raw`
TIMEFORMAT='%3R %3U %3S'
while IFS= read -r command; do
  { time eval "$command" >"$BENCH_FOLDER/stdout" 2>"$BENCH_FOLDER/stderr" </dev/null; } 2>"$BENCH_FOLDER/time"
  printf '%s\n' "$?"
done
`;

export interface SupervisorOptions {
  /** For what programs print, and the shell's account. */
  readonly folder: string;
  /** Where the programs run. */
  readonly cwd: string;
  /** All that they see of the environment. */
  readonly env: Readonly<Record<string, string>>;
}

export function startSupervisor({ folder, cwd, env }: SupervisorOptions): Supervisor {
  // Its input is a socket, which bash takes for a login from afar, for which it would read the user's start-up file.
  const shell = spawn('bash', ['--norc', '-c', script], {
    env: { ...env, BENCH_FOLDER: folder },
    cwd,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const codes = createInterface({ input: shell.stdout })[Symbol.asyncIterator]();
  const output = (name: string): Promise<string> => readFile(path.join(folder, name), 'utf8');

  return {
    async run(command, own = {}) {
      const line = [
        ...Object.entries(own).map(([name, value]) => `${name}=${quote(value)}`),
        ...command.map(quote),
      ].join(' ');
      using memory = watchMemory(() => childOf(shell));
      const startedAt = process.hrtime.bigint();
      shell.stdin.write(`${line}\n`);
      const { value: code, done } = await codes.next();
      if (done === true) throw new Error('The bench runs its programs from bash, and bash ended.');
      if (code !== '0')
        throw new Error(`${line}\nexited with code ${code}:\n${await output('stderr')}${await output('stdout')}`);
      return {
        startedAt,
        ...accounted(await output('time')),
        peakBytes: memory.peakBytes,
        stdout: await output('stdout'),
      };
    },
    [Symbol.dispose]() {
      shell.stdin.end();
    },
  };
}

function accounted(times: string): { wallMs: number; cpuMs: number } {
  const [wall = Number.NaN, user = Number.NaN, system = Number.NaN] = times
    .trim()
    .replaceAll(',', '.')
    .split(' ')
    .map(Number);
  if (Number.isNaN(wall + user + system)) throw new Error(`bash's time said ${JSON.stringify(times)}.`);
  return { wallMs: wall * 1_000, cpuMs: (user + system) * 1_000 };
}

/** The shell's only child, while there is one. */
function childOf(shell: ChildProcess): string | undefined {
  try {
    const children = readFileSync(`/proc/${shell.pid}/task/${shell.pid}/children`, 'latin1').trim();
    return children === '' ? undefined : children;
  } catch {
    return undefined;
  }
}

function quote(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
