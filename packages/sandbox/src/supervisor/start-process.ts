import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';

/** A running process with piped output. */
export type StartedProcess = ChildProcess & {
  readonly pid: number;
  readonly stdout: Readable;
  readonly stderr: Readable;
};

/** A program with its arguments, as no shell reads them. */
export interface Program {
  readonly program: string;
  readonly args?: readonly string[];
}

export interface StartProcessOptions {
  /** The first that exists is started. */
  readonly programs: readonly [Program, ...Program[]];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** An open file that is its input; /dev/null unless given. */
  readonly input?: number | undefined;
  /** Files that it gets open as well, from descriptor 3 on. */
  readonly descriptors?: readonly number[];
  /** Called in the moment the process runs, before it can have been waited for. */
  readonly onStart: (child: StartedProcess) => void;
}

/** Longest single argument that Linux passes to a program, less a page for what goes with it. */
const longestArgument = 127 * 1024;

/** The shells that run a line, the preferred one first. */
export function shellPrograms(line: string, shell: string | undefined): readonly [Program, ...Program[]] {
  const args = ['-c', line];
  if (shell !== undefined) return [{ program: shell, args }];
  return [
    { program: 'bash', args },
    { program: 'sh', args },
  ];
}

/**
 * Starts a program in a session of its own.
 * @throws RondoError `sandbox.unavailable` when the folder, an argument or the program make that impossible.
 */
export async function startProcess(options: StartProcessOptions): Promise<void> {
  const { programs, cwd } = options;
  for (const argument of programs[0].args ?? []) await checkArgument(argument);
  const folder = await stat(cwd).catch(() => undefined);
  if (folder?.isDirectory() !== true) await refuse(`the folder ${cwd} to run the command in does not exist`);

  let failure: unknown;
  for (const program of programs) {
    try {
      return await spawnProgram(program, options);
    } catch (error) {
      failure = error;
      if (!isMissing(error)) break;
    }
  }
  const reason = failure instanceof Error ? failure.message : String(failure);
  const names = programs.map(({ program }) => program).join(' or ');
  return refuse(`${names} could not be started: ${reason}`, failure);
}

async function checkArgument(argument: string): Promise<void> {
  const bytes = Buffer.byteLength(argument);
  if (bytes > longestArgument) {
    await refuse(
      `the command has ${bytes} bytes, a program takes at most ${longestArgument}; write it to a file and run that`,
    );
  }
  if (argument.includes('\0')) await refuse('the command holds a NUL character, which no argument of a program can');
}

async function spawnProgram({ program, args = [] }: Program, options: StartProcessOptions): Promise<void> {
  const { cwd, env, input = 'ignore', descriptors = [], onStart } = options;
  const stdio: StdioOptions = [input, 'pipe', 'pipe', ...descriptors];
  const child = spawn(program, args, { cwd, env, detached: true, stdio });
  if (isRunning(child)) {
    onStart(child);
    return;
  }
  await new Promise((_, reject) => child.once('error', reject));
}

function isRunning(child: ChildProcess): child is StartedProcess {
  return child.pid !== undefined && child.stdout !== null && child.stderr !== null;
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

async function refuse(message: string, cause?: unknown): Promise<never> {
  const { RondoError } = await import('@rondo/protocol');
  throw new RondoError('sandbox.unavailable', message, { cause });
}
