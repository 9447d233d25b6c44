/** What one command took, supervised only and isolated, in turn. Milliseconds. */
export interface SandboxCost {
  readonly local: number;
  readonly isolated: number;
}
