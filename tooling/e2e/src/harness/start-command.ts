import { type ChildProcess, spawn } from 'node:child_process';
import type { ModelServer } from '@rondo/providers/testing';
import { inject } from 'vitest';
import type { Place } from './place.ts';

export interface CommandOptions {
  readonly place: Place;
  readonly args: readonly string[];
  readonly server?: Pick<ModelServer, 'url'>;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The project folder unless said. */
  readonly cwd?: string;
  /** Piped in and closed; without it standard input is empty. */
  readonly input?: string;
}

export interface CommandExit {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface RunningCommand {
  readonly child: ChildProcess;
  readonly exit: Promise<CommandExit>;
  /** Resolves once that text is on standard output; rejects when the command ends without it. */
  printed(text: string): Promise<void>;
}

/** Starts the command in a process of its own. */
export function startCommand({ args, ...options }: CommandOptions): RunningCommand {
  return startProgram([inject('builtCommand'), ...args], options);
}

/** Runs the command to its end. */
export function runCommand(options: CommandOptions): Promise<CommandExit> {
  return startCommand(options).exit;
}

/** Starts Node in a process of its own. */
export function startProgram(
  argv: readonly string[],
  { place, server, env = {}, cwd = place.project, input }: Omit<CommandOptions, 'args'>,
): RunningCommand {
  const child = spawn(process.execPath, [...argv], {
    cwd,
    env: place.env({ ...(server === undefined ? {} : { ANTHROPIC_BASE_URL: server.url }), ...env }),
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  const { stdout, stderr } = child;
  if (stdout === null || stderr === null) throw new Error('a pipe is missing');
  child.stdin?.end(input);
  const said = { stdout: '', stderr: '' };
  const waiting = new Set<() => void>();
  stdout.setEncoding('utf8').on('data', (piece: string) => {
    said.stdout += piece;
    for (const look of waiting) look();
  });
  stderr.setEncoding('utf8').on('data', (piece: string) => (said.stderr += piece));
  const exit = new Promise<CommandExit>((resolve) => {
    child.once('close', (exitCode, signal) => resolve({ ...said, exitCode, signal }));
  });
  return {
    child,
    exit,
    printed: (text) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (said.stdout.includes(text)) resolve();
        };
        waiting.add(look);
        look();
        void exit.then((end) => reject(new Error(`the command ended without ${text}: ${JSON.stringify(end)}`)));
      }),
  };
}
