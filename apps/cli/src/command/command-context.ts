import type { DebugLog } from '@rondo/sdk/host';

/** What every command gets besides its request. */
export interface CommandContext {
  readonly debug: DebugLog;
  /** One message to a person, on standard error, without secrets and safe to print. */
  readonly say: (message: string) => void;
  readonly redact: (text: string) => string;
}
