import type { TransientEvent } from '@rondo/protocol';
import type { EventHook } from './event-hook.ts';
import type { HookTurn } from './hook-turn.ts';

/** What hooks of the second face need of the turn, or of the session, that they run in. */
export interface EventHookTurn extends HookTurn {
  readonly binding: {
    readonly agent: { readonly name: string };
    readonly cwd: string;
    readonly effort?: string | undefined;
    readonly eventHooks?: readonly EventHook[];
  };
  /** What the session may do by now, as far as hooks are told. */
  readonly policy: () => { readonly mode: string; readonly directories: readonly string[] };
  /** Where the root's transcript is; empty where a store keeps no file. */
  readonly transcriptPath: string;
  /** Resolves when it says what was said until now. Absent where nothing keeps it. */
  readonly updateTranscripts?: (() => Promise<void>) | undefined;
  /** Resolves when it is a call's turn to go on, where the order of calls that are at work at once is given. */
  readonly inOrder?: ((callId: string) => Promise<void>) | undefined;
  /** Shows what is not stored. Cheap when nobody watches. */
  readonly show: (transient: () => TransientEvent) => void;
}
