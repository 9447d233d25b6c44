import { spawn, type ChildProcess } from 'node:child_process';
import { availableParallelism } from 'node:os';
import type { Readable } from 'node:stream';
import { ToolError } from '@rondo/runtime';
import { readComplaints, type Complaints } from './read-complaints.ts';

export interface RipgrepOptions {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** All that the program sees of the environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Open files that the program gets as its descriptors 3, 4 and so on. */
  readonly files?: readonly number[];
  readonly signal: AbortSignal;
  /** From when on, by `performance.now()`, it is ended. */
  readonly deadline: number;
  /** Gets the output as it comes. When it says `enough`, the program is ended. */
  readonly onOutput: (chunk: Buffer) => 'more' | 'enough';
}

export interface RipgrepEnd extends Complaints {
  readonly ending: 'finished' | 'enough' | 'timeout';
}

/** How long a killed process may take to be gone. One that is stuck in the kernel takes longer; it is left to that. */
const goneMs = 50;

/**
 * Runs ripgrep to its end, or kills it: when the output is enough, time is over, or the signal aborts.
 * @throws ToolError when it cannot run; the signal's reason.
 */
export async function runRipgrep(options: RipgrepOptions): Promise<RipgrepEnd> {
  const { signal, deadline, onOutput } = options;
  signal.throwIfAborted();
  const child = start(options);
  const { promise: ended, resolve, reject } = Promise.withResolvers<'finished' | 'enough' | 'timeout' | 'abort'>();
  const complaints = readComplaints(child.stderr);
  const gone = new Promise<void>((done) => child.once('exit', () => done()));
  let isEnough = false;
  child.stdout.on('data', (chunk: Buffer) => {
    if (isEnough) return;
    try {
      isEnough = onOutput(chunk) === 'enough';
    } catch (error) {
      isEnough = true;
      reject(error);
    }
    if (isEnough) resolve('enough');
  });
  child.once('error', (error) => reject(startError(options.program, error)));
  child.once('close', () => resolve('finished'));
  const onAbort = (): void => resolve('abort');
  signal.addEventListener('abort', onAbort, { once: true });
  const timer = setTimeout(() => resolve('timeout'), Math.max(0, deadline - performance.now()));
  try {
    const ending = await ended;
    if (ending === 'finished') return { ending, ...finishedComplaints(child, complaints()) };
    await kill(child, gone);
    signal.throwIfAborted();
    return { ending: ending === 'enough' ? 'enough' : 'timeout', ...complaints() };
  } catch (error) {
    await kill(child, gone);
    throw error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}

type Ripgrep = ChildProcess & { readonly stdout: Readable; readonly stderr: Readable };

function start(options: RipgrepOptions): Ripgrep {
  const { program, cwd, env, files = [] } = options;
  const [started, ...args] = boundCommand(options);
  try {
    const child = spawn(started, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe', ...files] });
    if (hasOutput(child)) return child;
  } catch (error) {
    throw startError(program, error);
  }
  throw startError(program, new Error('it has no output'));
}

/**
 * PCRE2 may try for years, and would do so alone were this process killed in the meantime: the kernel ends it once it
 * has had all processors until the deadline. Ripgrep's own engine takes time in proportion to what it reads.
 */
function boundCommand({ program, args, deadline }: RipgrepOptions): readonly [string, ...string[]] {
  if (!args.includes('--pcre2') || process.platform === 'win32') return [program, ...args];
  const seconds = Math.ceil(Math.max(0, deadline - performance.now()) / 1_000) * availableParallelism() + 1;
  return ['/bin/sh', '-c', `ulimit -t ${seconds}; exec "$0" "$@"`, program, ...args];
}

function hasOutput(child: ChildProcess): child is Ripgrep {
  return child.stdout !== null && child.stderr !== null;
}

function startError(program: string, error: unknown): ToolError {
  const reason = error instanceof Error ? error.message : String(error);
  return new ToolError(`ripgrep (${program}) could not be started: ${reason}.`, { cause: error });
}

async function kill(child: Ripgrep, gone: Promise<void>): Promise<void> {
  child.stdout.destroy();
  child.stderr.destroy();
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<void>((done) => {
    timer = setTimeout(done, goneMs);
  });
  await Promise.race([gone, late]);
  clearTimeout(timer);
}

/** Exit code 2 tells of a fault, of one file or of the whole run; only the latter names no path. */
function finishedComplaints({ exitCode, signalCode }: Ripgrep, complaints: Complaints): Complaints {
  if (signalCode !== null) {
    throw new ToolError(
      `ripgrep was ended from outside by ${signalCode}, perhaps for want of memory. Search a smaller folder, or fewer files by glob or type.`,
    );
  }
  const { refusal, ...rest } = complaints;
  return exitCode === 0 || exitCode === 1 || refusal === undefined ? rest : complaints;
}
