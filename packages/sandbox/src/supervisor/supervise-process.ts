import { createMarker, markerVariable } from './command-marker.ts';
import { openInputFile } from './input-file.ts';
import { watchProcessTree, type ProcessTree } from './process-tree.ts';
import { recordRuntime } from './runtime-record.ts';
import { startProcess, type Program, type StartedProcess } from './start-process.ts';

export type OutputStream = 'stdout' | 'stderr';

export interface SuperviseOptions {
  /** The first that exists is run. */
  readonly programs: readonly [Program, ...Program[]];
  readonly cwd: string;
  /** The whole environment; nothing is inherited but the mark by which the process is found again. */
  readonly env: Readonly<Record<string, string>>;
  /** What it reads from its input, which is closed after it. Absent: closed from the start. */
  readonly input?: string | undefined;
  readonly descriptors?: readonly number[];
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** From SIGTERM to SIGKILL. 500 unless said. */
  readonly graceMs?: number | undefined;
  /**
   * The started process is only a shell around the real one, which would go without grace if it were asked to end: it ends
   * by itself.
   */
  readonly isWrapper?: boolean;
  /** Takes the output as it comes. False: stop reading until `resume` is called. */
  readonly take: (stream: OutputStream, chunk: Buffer, resume: () => void) => boolean;
}

/** How a process ended. */
export interface SupervisedExit {
  /** Null when a signal ended it. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly timedOut: boolean;
  readonly aborted: boolean;
  /** Processes that outlived it and were ended. */
  readonly endedProcesses: number;
  readonly durationMs: number;
}

type Ending = 'exit' | 'timeout' | 'abort';

interface Run {
  readonly child: StartedProcess;
  readonly tree: ProcessTree;
  readonly exited: Promise<{ readonly exitCode: number | null; readonly signal: string | null }>;
}

const defaultGraceMs = 500;
/** Everything is gone by then; only a process stuck in the kernel keeps the exit from being reported. */
const exitWaitMs = 500;
const drainWaitMs = 250;

/**
 * Runs one process and returns when it has exited, not when its output ends: a child in the background may hold that
 * open for ever. Nothing that it started is left. From timeout or abort to the return it takes less than 5 s.
 * @throws RondoError `sandbox.unavailable` when it could not be started.
 */
export async function superviseProcess(options: SuperviseOptions): Promise<SupervisedExit> {
  const started = performance.now();
  if (options.signal.aborted) return notStarted;
  const run = await start(options);
  const ending = await firstEnding(run.exited, options);
  const ended = await run.tree.end();
  const exit = await within(exitWaitMs, run.exited);
  await drain(run);
  return {
    exitCode: exit?.exitCode ?? null,
    signal: exit === undefined ? 'SIGKILL' : exit.signal,
    timedOut: ending === 'timeout',
    aborted: ending === 'abort',
    // Unless it had exited by itself, it was one of them.
    endedProcesses: Math.max(0, ending === 'exit' ? ended : ended - 1),
    durationMs: performance.now() - started,
  };
}

const notStarted: SupervisedExit = {
  exitCode: null,
  signal: null,
  timedOut: false,
  aborted: true,
  endedProcesses: 0,
  durationMs: 0,
};

async function start(options: SuperviseOptions): Promise<Run> {
  recordRuntime();
  const { env, graceMs = defaultGraceMs, isWrapper } = options;
  const marker = createMarker(env[markerVariable] ?? process.env[markerVariable]);
  const input = options.input === undefined ? undefined : await openInputFile(options.input);
  let run: Run | undefined;
  const starting = startProcess({
    ...options,
    env: { ...env, [markerVariable]: marker.value },
    input: input?.fd,
    onStart: (child) => {
      run = {
        child,
        tree: watchProcessTree({ root: child.pid, marker: marker.id, graceMs, spareRoot: isWrapper === true }),
        exited: new Promise((resolve) => child.once('exit', (exitCode, signal) => resolve({ exitCode, signal }))),
      };
      readOutput(child, options.take);
    },
  });
  try {
    await starting;
  } finally {
    await input?.close();
  }
  if (run === undefined) throw new Error('a started process was not announced');
  return run;
}

function readOutput({ stdout, stderr }: StartedProcess, take: SuperviseOptions['take']): void {
  const resume = () => {
    stdout.resume();
    stderr.resume();
  };
  const taker = (stream: OutputStream) => (chunk: Buffer) => {
    if (take(stream, chunk, resume)) return;
    stdout.pause();
    stderr.pause();
  };
  stdout.on('data', taker('stdout')).on('error', () => undefined);
  stderr.on('data', taker('stderr')).on('error', () => undefined);
}

async function firstEnding(exited: Promise<unknown>, { signal, timeoutMs }: SuperviseOptions): Promise<Ending> {
  const { promise, resolve } = Promise.withResolvers<Ending>();
  const abort = () => resolve('abort');
  const timer = setTimeout(() => resolve('timeout'), timeoutMs);
  signal.addEventListener('abort', abort, { once: true });
  // It may have aborted while the process was being started.
  if (signal.aborted) abort();
  try {
    return await Promise.race([promise, exited.then((): Ending => 'exit')]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  }
}

/** Reads what is still in the pipes. They end by themselves, unless somebody who cannot be found holds them open. */
async function drain({ child, tree }: Run): Promise<void> {
  const ended = Promise.all([child.stdout, child.stderr].map(streamEnd));
  if ((await within(drainWaitMs, ended)) !== undefined) return;
  await tree.endHolders();
  await within(drainWaitMs * 4, ended);
  child.stdout.destroy();
  child.stderr.destroy();
}

function streamEnd(stream: StartedProcess['stdout']): Promise<true> {
  return new Promise((resolve) => {
    if (stream.closed || stream.readableEnded) resolve(true);
    else stream.once('close', () => resolve(true));
  });
}

async function within<Value>(milliseconds: number, promise: Promise<Value>): Promise<Value | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), milliseconds);
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
