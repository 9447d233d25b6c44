import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { RondoError } from '@rondo/protocol/values';
import type { Options } from '../options/options.ts';
import { fileIsThere, namesFile, peerCommand } from './peer-command.ts';
import { peerEnvironment } from './peer-environment.ts';
import type { SpawnedProcess } from './spawned-process.ts';

/** How a process ended; `error` when it never ran. */
export interface PeerExit {
  readonly code?: number | null;
  readonly signal?: NodeJS.Signals | null;
  readonly error?: RondoError;
}

export interface PeerProcess {
  readonly process: SpawnedProcess;
  readonly exited: Promise<PeerExit>;
}

/**
 * Starts what the options name, itself or by the program's own function. `signal` aborts when the process has to go.
 * @throws RondoError when there is nothing to start.
 */
export function startPeerProcess(options: Options, signal: AbortSignal): PeerProcess {
  const { command, args, path } = peerCommand(options);
  const env = peerEnvironment(options);
  const { cwd, spawnClaudeCodeProcess } = options;
  if (spawnClaudeCodeProcess !== undefined) {
    const process = spawnClaudeCodeProcess({ command, args, ...(cwd === undefined ? {} : { cwd }), env, signal });
    return { process, exited: exitOf(process, (error) => failedToLaunch(path, error)) };
  }
  if (namesFile(path) && !fileIsThere(path, cwd)) throw notFound(path);
  // The runtime of this process needs no PATH to be found.
  const isOwn = command === 'node' && options.executable === undefined;
  const child = spawn(isOwn ? process.execPath : command, args, {
    cwd,
    env,
    stdio: ['pipe', 'pipe', 'pipe'],
    windowsHide: true,
  });
  return { process: child, exited: exitOf(child, (error) => launchProblem(path, cwd, error)) };
}

function exitOf(process: SpawnedProcess, problem: (error: Error) => RondoError): Promise<PeerExit> {
  const { promise, resolve } = Promise.withResolvers<PeerExit>();
  process.on('exit', (code, signal) => resolve({ code, signal }));
  process.on('error', (error) => {
    // One that runs says by its exit how it ended; a signal that was aborted is told here as well.
    if (error.name !== 'AbortError') resolve({ error: problem(error) });
  });
  if (process.exitCode !== null) resolve({ code: process.exitCode, signal: null });
  return promise;
}

function launchProblem(path: string, cwd: string | undefined, error: Error): RondoError {
  if (cwd !== undefined && !existsSync(cwd)) {
    return failedToLaunch(path, new Error(`its folder ${cwd} does not exist`, { cause: error }));
  }
  return 'code' in error && error.code === 'ENOENT' && !namesFile(path) ? notFound(path) : failedToLaunch(path, error);
}

function notFound(path: string): RondoError {
  return new RondoError(
    'input.invalid',
    `native binary not found at ${path}: options.pathToClaudeCodeExecutable has to name a program that is there.`,
    { details: { option: 'pathToClaudeCodeExecutable', path } },
  );
}

function failedToLaunch(path: string, error: Error): RondoError {
  return new RondoError('channel.closed', `the program at ${path} exists but failed to launch: ${error.message}`, {
    cause: error,
    retryable: false,
    details: { path },
  });
}
