import { spawn, type ChildProcess } from 'node:child_process';
import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';

/** A running shell with closed input and piped output. */
export type ShellProcess = ChildProcess & {
  readonly pid: number;
  readonly stdout: Readable;
  readonly stderr: Readable;
};

export interface StartShellOptions {
  readonly shell: string | undefined;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Called in the moment the shell runs, before it can have been waited for. */
  readonly onStart: (shell: ShellProcess) => void;
}

/** Longest single argument that Linux passes to a program, less a page for what goes with it. */
const longestCommand = 127 * 1024;

/**
 * Starts a shell line in a session of its own, with /dev/null as its input.
 * @throws RondoError `sandbox.unavailable` when the folder, the line or the shell make that impossible.
 */
export async function startShell(command: string, options: StartShellOptions): Promise<ShellProcess> {
  const bytes = Buffer.byteLength(command);
  if (bytes > longestCommand) {
    await refuse(
      `the command has ${bytes} bytes, a shell takes at most ${longestCommand}; write it to a file and run that`,
    );
  }
  if (command.includes('\0')) await refuse('the command holds a NUL character, which no shell line can');
  const folder = await stat(options.cwd).catch(() => undefined);
  if (folder?.isDirectory() !== true) await refuse(`the folder ${options.cwd} to run the command in does not exist`);

  const shells = options.shell === undefined ? ['bash', 'sh'] : [options.shell];
  let failure: unknown;
  for (const shell of shells) {
    try {
      return await spawnShell(shell, command, options);
    } catch (error) {
      failure = error;
      if (!isMissing(error)) break;
    }
  }
  const reason = failure instanceof Error ? failure.message : String(failure);
  return refuse(`the shell (${shells.join(' or ')}) could not be started: ${reason}`, failure);
}

async function spawnShell(shell: string, command: string, options: StartShellOptions): Promise<ShellProcess> {
  const child = spawn(shell, ['-c', command], {
    cwd: options.cwd,
    env: options.env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (isRunning(child)) {
    options.onStart(child);
    return child;
  }
  return new Promise((_, reject) => child.once('error', reject));
}

function isRunning(child: ChildProcess): child is ShellProcess {
  return child.pid !== undefined && child.stdout !== null && child.stderr !== null;
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

async function refuse(message: string, cause?: unknown): Promise<never> {
  const { RondoError } = await import('@rondo/protocol');
  throw new RondoError('sandbox.unavailable', message, { cause });
}
