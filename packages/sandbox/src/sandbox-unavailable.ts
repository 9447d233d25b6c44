/** Why commands cannot be isolated on this machine, and what to do about it. */
export interface SandboxUnavailable {
  readonly reason: string;
  readonly way: string;
}
