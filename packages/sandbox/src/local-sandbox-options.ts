export interface LocalSandboxOptions {
  /** The shell to run lines with. `bash`, or `sh` where there is no bash, unless said. */
  readonly shell?: string;
  /** How long a process may take to end itself after SIGTERM before SIGKILL follows. 500 unless said. */
  readonly graceMs?: number;
  /**
   * Most bytes of one command's output kept in its output file; what comes after is read and dropped, and the file says
   * so in its last line. 4 GiB unless said.
   */
  readonly outputFileLimit?: number;
}
