import type { Readable, Writable } from 'node:stream';

/** What is to be started, for `spawnClaudeCodeProcess`. */
export interface SpawnOptions {
  command: string;
  args: string[];
  cwd?: string;
  env: Record<string, string | undefined>;
  /**
   * Aborts when the process has to go: about two seconds after its input was closed. It does not abort at the moment of
   * `options.abortController`; listen to that one yourself where it matters.
   */
  signal: AbortSignal;
}

/** A process that speaks over its standard streams, wherever it runs. A `ChildProcess` is one. */
export interface SpawnedProcess {
  stdin: Writable;
  stdout: Readable;
  /** What it says to a person. Rondo's own: a `ChildProcess` has it, and errors then quote it. */
  stderr?: Readable | null;
  readonly killed: boolean;
  readonly exitCode: number | null;
  kill(signal: NodeJS.Signals): boolean;
  on(event: 'exit', listener: (code: number | null, signal: NodeJS.Signals | null) => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  once(event: 'exit', listener: (code: number | null, signal: NodeJS.Signals | null) => void): unknown;
  once(event: 'error', listener: (error: Error) => void): unknown;
  off(event: 'exit', listener: (code: number | null, signal: NodeJS.Signals | null) => void): unknown;
  off(event: 'error', listener: (error: Error) => void): unknown;
}
