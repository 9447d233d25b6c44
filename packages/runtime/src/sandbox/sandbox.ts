export interface CommandOptions {
  readonly cwd: string;
  /** The whole environment of the command; nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** After this the command's whole tree is ended and the execution reads `timedOut`. */
  readonly timeoutMs: number;
  /** Most characters of both streams together kept in memory; the whole is in `outputPath`, where one was given. */
  readonly outputLimit: number;
  /** Where the whole output goes once it is over the limit. */
  readonly outputPath?: string;
  /** Called with pieces of output as they come, for progress. */
  readonly onOutput?: (piece: string) => void;
  /** The session's folders at this time, which an isolated command may write; those that the sandbox was made with unless said. */
  readonly folders?: readonly string[];
  /** The policy lets it run outside. A sandbox that was not made to be left isolates it all the same. */
  readonly outside?: boolean;
}

/** How a command ended. Its output is decoded as UTF-8 with split characters kept whole. */
export interface Execution {
  /** Null when a signal ended it. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** Head and tail of a stream, around `outputGap`, when the limit was too small for it. */
  readonly stdout: string;
  readonly stderr: string;
  /** Bytes written by the command, both streams. */
  readonly outputBytes: number;
  readonly outputTruncated: boolean;
  /** The file with the whole output, when it was needed and written. */
  readonly outputPath?: string;
  /** The line of that file, from 1, with which what is missing from `stdout` and `stderr` begins. */
  readonly omittedFromLine?: number;
  readonly timedOut: boolean;
  readonly aborted: boolean;
  /** Processes that outlived the command and were ended. */
  readonly endedProcesses: number;
  readonly durationMs: number;
  /** What the sandbox seems to have refused, each with the way to more, for the model. */
  readonly refusals?: readonly string[];
}

/** What really holds on this machine, for people and for `doctor`. */
export interface SandboxDescription {
  readonly name: string;
  /** What commands may not do. Empty: nothing is enforced. */
  readonly enforced: readonly string[];
  /** What a person might take to be enforced, and is not. */
  readonly notEnforced?: readonly string[];
}

/** Where commands run. */
export interface Sandbox {
  /**
   * Runs a shell line with standard input closed. Resolves when the command itself has exited, or was ended by timeout
   * or abort, and every process it started is gone. Rejects only when the shell could not be started.
   */
  exec(command: string, options: CommandOptions): Promise<Execution>;
  /**
   * Variables for the environment of a program that a tool starts by itself, no command of the model's. By them it is found
   * and ended when this process died without ending it.
   */
  processMark?(): Promise<Readonly<Record<string, string>>>;
  /** `outside` has the effect that it names. */
  readonly canRunOutside?: boolean;
  describe(): SandboxDescription;
}
