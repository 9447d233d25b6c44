import type { HookJSONOutput } from '@rondo/protocol';
import type { HookEvent } from '@rondo/runtime';
import type { HookInput } from './hook-input.ts';

/**
 * A hook of your program. Returning nothing is no opinion. One that throws, is late or answers what is no answer has
 * failed: before a call that denies it, unless its matcher is `failOpen`. `signal` aborts when the answer is no longer
 * wanted.
 */
export type HookCallback = (
  input: HookInput,
  toolUseID: string | undefined,
  options: { signal: AbortSignal },
) => Promise<HookJSONOutput | undefined | void>;

/** Hooks for some of an event's subjects. */
export interface HookCallbackMatcher {
  /** A name, `A|B`, or an expression over the tool's name, the session's source, the agent's type. Absent: all. */
  matcher?: string;
  hooks: HookCallback[];
  /** Seconds, for each of them; 60 unless given. */
  timeout?: number;
  /** A hook that fails counts as one without an opinion. Rondo's own. */
  failOpen?: boolean;
}

export type HookCallbacks = Partial<Record<HookEvent, HookCallbackMatcher[]>>;
