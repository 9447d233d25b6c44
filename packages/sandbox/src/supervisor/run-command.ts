import type { CommandOptions, Execution } from '@rondo/runtime';
import type { LocalSandboxOptions } from '../local-sandbox-options.ts';
import { createOutputCollector, type OutputCollector } from '../output/output-collector.ts';
import { createMarker, markerVariable } from './command-marker.ts';
import { watchProcessTree, type ProcessTree } from './process-tree.ts';
import { startShell, type ShellProcess } from './start-shell.ts';

type Ending = 'exit' | 'timeout' | 'abort';

interface Exit {
  readonly exitCode: number | null;
  readonly signal: string | null;
}

const defaultGraceMs = 500;
const defaultFileLimit = 4 * 1024 ** 3;
/** Everything is gone by then; only a process stuck in the kernel keeps the shell's exit from being reported. */
const exitWaitMs = 500;
const drainWaitMs = 250;

/**
 * Runs one shell line and returns when it has exited, not when its output ends: a child in the background may hold that
 * open for ever. Nothing that it started is left. From timeout or abort to the return it takes less than 5 s.
 */
export async function runCommand(
  command: string,
  options: CommandOptions,
  settings: LocalSandboxOptions,
): Promise<Execution> {
  const started = performance.now();
  if (options.signal.aborted) return notStarted;
  const marker = createMarker(options.env[markerVariable] ?? process.env[markerVariable]);
  let run: { shell: ShellProcess; tree: ProcessTree; exited: Promise<Exit>; output: OutputCollector } | undefined;
  await startShell(command, {
    shell: settings.shell,
    cwd: options.cwd,
    env: { ...options.env, [markerVariable]: marker.value },
    onStart: (shell) => {
      const graceMs = settings.graceMs ?? defaultGraceMs;
      run = {
        shell,
        tree: watchProcessTree({ root: shell.pid, marker: marker.id, graceMs }),
        exited: new Promise((resolve) => shell.once('exit', (exitCode, signal) => resolve({ exitCode, signal }))),
        output: readOutput(shell, options, settings),
      };
    },
  });
  if (run === undefined) throw new Error('a started shell was not announced');

  const { shell, tree, exited, output } = run;
  const ending = await firstEnding(exited, options);
  const ended = await tree.end();
  const exit = await within(exitWaitMs, exited);
  await drain(shell, tree);
  const collected = await output.finish();
  return {
    exitCode: exit?.exitCode ?? null,
    signal: exit === undefined ? 'SIGKILL' : exit.signal,
    ...collected,
    timedOut: ending === 'timeout',
    aborted: ending === 'abort',
    // Unless it had exited by itself, the shell was one of them.
    endedProcesses: Math.max(0, ending === 'exit' ? ended : ended - 1),
    durationMs: performance.now() - started,
  };
}

const notStarted: Execution = {
  exitCode: null,
  signal: null,
  stdout: '',
  stderr: '',
  outputBytes: 0,
  outputTruncated: false,
  timedOut: false,
  aborted: true,
  endedProcesses: 0,
  durationMs: 0,
};

function readOutput(
  { stdout, stderr }: ShellProcess,
  options: CommandOptions,
  settings: LocalSandboxOptions,
): OutputCollector {
  const output = createOutputCollector({
    ...options,
    fileLimit: settings.outputFileLimit ?? defaultFileLimit,
    onDrain: () => {
      stdout.resume();
      stderr.resume();
    },
  });
  const take = (stream: 'stdout' | 'stderr') => (chunk: Buffer) => {
    if (output.write(stream, chunk)) return;
    stdout.pause();
    stderr.pause();
  };
  stdout.on('data', take('stdout')).on('error', () => undefined);
  stderr.on('data', take('stderr')).on('error', () => undefined);
  return output;
}

async function firstEnding(exited: Promise<Exit>, { signal, timeoutMs }: CommandOptions): Promise<Ending> {
  const { promise, resolve } = Promise.withResolvers<Ending>();
  const abort = () => resolve('abort');
  const timer = setTimeout(() => resolve('timeout'), timeoutMs);
  signal.addEventListener('abort', abort, { once: true });
  // It may have aborted while the shell was being started.
  if (signal.aborted) abort();
  try {
    return await Promise.race([promise, exited.then((): Ending => 'exit')]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  }
}

/** Reads what is still in the pipes. They end by themselves, unless somebody who cannot be found holds them open. */
async function drain(shell: ShellProcess, tree: ProcessTree): Promise<void> {
  const ended = Promise.all([shell.stdout, shell.stderr].map(streamEnd));
  if ((await within(drainWaitMs, ended)) !== undefined) return;
  await tree.endHolders();
  await within(drainWaitMs * 4, ended);
  shell.stdout.destroy();
  shell.stderr.destroy();
}

function streamEnd(stream: ShellProcess['stdout']): Promise<true> {
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
