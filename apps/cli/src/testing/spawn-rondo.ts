import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What Node is given to run the command from its sources. */
export const rondoProgram = ['--conditions=@rondo/source', fileURLToPath(new URL('../main.ts', import.meta.url))];

/** Stripping the types of some two hundred files takes longer than most tests: it is done once for all processes. */
const compileCache = fileURLToPath(new URL('../../node_modules/.cache/compile', import.meta.url));

/** A home and a project folder of a test's own, gone with it. */
export interface Workplace extends Disposable {
  readonly home: string;
  readonly project: string;
  /** What the command sees of the environment: no key and no address but those given, no server of the machine. */
  env(more: Readonly<Record<string, string>>): Record<string, string | undefined>;
}

export function createWorkplace(): Workplace {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'rondo-cli-')));
  const home = join(folder, 'home');
  const project = join(folder, 'project');
  mkdirSync(project);
  return {
    home,
    project,
    env: (more) => ({
      PATH: process.env['PATH'],
      HOME: folder,
      RONDO_HOME: home,
      IS_SANDBOX: '1',
      RONDO_LOCAL_SERVERS: 'none',
      NODE_COMPILE_CACHE: compileCache,
      ...more,
    }),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

export interface RondoOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Piped in and closed; without it standard input is empty. */
  readonly input?: string;
}

export interface RondoExit {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number | null;
}

/** The command in a process of its own. */
export interface RondoProcess {
  readonly child: ChildProcess;
  readonly exit: Promise<RondoExit>;
}

export function spawnRondo(argv: readonly string[], { cwd, env, input }: RondoOptions): RondoProcess {
  const child = spawn(process.execPath, [...rondoProgram, ...argv], {
    cwd,
    env,
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  const { stdout, stderr } = child;
  if (stdout === null || stderr === null) throw new Error('a pipe is missing');
  child.stdin?.end(input);
  const printed = { stdout: '', stderr: '' };
  stdout.setEncoding('utf8').on('data', (piece: string) => (printed.stdout += piece));
  stderr.setEncoding('utf8').on('data', (piece: string) => (printed.stderr += piece));
  const exit = new Promise<RondoExit>((resolve) => {
    child.once('close', (exitCode) => resolve({ ...printed, exitCode }));
  });
  return { child, exit };
}

export function runRondo(argv: readonly string[], options: RondoOptions): Promise<RondoExit> {
  return spawnRondo(argv, options).exit;
}
