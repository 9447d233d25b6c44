import type { PermissionUpdate, SessionEvent, TransientEvent } from '@rondo/protocol';
import type { CallbackDesk } from '../callback/callback-desk.ts';
import type { ContextBuilder } from '../context/context-builder.ts';
import type { Clock } from '../event/clock.ts';
import type { ConversationItem } from '../event/conversation.ts';
import type { EventDraft } from '../event/event-draft.ts';
import type { QueuedMessage, SessionState } from '../event/session-state.ts';
import type { Judge } from '../permission/permission-gate.ts';
import type { Policy } from '../permission/policy.ts';
import type { Binding } from './binding.ts';

/** Why a running turn is told to stop; the reason its signal aborts with. */
export interface TurnStop {
  readonly type: 'turn-stop';
  /**
   * `interrupted` by a person, `cancelled` with its session, `max_duration` when its time is used up, `closing` with its
   * host: then it is left for the next owner.
   */
  readonly cause: 'interrupted' | 'cancelled' | 'max_duration' | 'closing';
}

/** The assistant message that is being written, for whoever starts watching in the middle. */
export interface OpenReply {
  readonly entryId: string;
  readonly blocks: {
    readonly kind: 'text' | 'reasoning' | 'tool_call' | 'opaque';
    readonly toolCallId?: string;
    readonly name?: string;
    text: string;
  }[];
}

/**
 * What a turn works with. The turn knows no session, no store and no client: it reads the state, emits facts, and asks.
 */
export interface TurnParts {
  readonly sessionId: string;
  readonly turnId: string;
  readonly state: SessionState;
  readonly binding: Binding;
  /** The binding's policy with what the session has been allowed or told since. */
  readonly policy: () => Policy;
  /** Looks whether others have changed it, before a decision; undefined when there is nothing to wait for. */
  readonly refreshPolicy?: (() => Promise<void> | undefined) | undefined;
  /** Judges calls in the policy's place. */
  readonly judge?: Judge | undefined;
  /** Resolves when it is a call's turn to go on, where the order of calls that are at work at once is given. */
  readonly inOrder?: ((callId: string) => Promise<void>) | undefined;
  readonly context: ContextBuilder;
  readonly clock: Clock;
  readonly newId: () => string;
  /** 0 to 1. */
  readonly random: () => number;
  /** SHA-256, hexadecimal. */
  readonly sha256: (text: string) => string;
  readonly signal: AbortSignal;
  /** Aborts the signal, unless it is aborted already. */
  readonly stop: (cause: TurnStop['cause']) => void;
  /** The item as it was said, where what is kept of it is light or beside the log. @throws where the log has it no more. */
  readonly wholeItem: (item: ConversationItem) => Promise<ConversationItem>;
  readonly outputDirectory: string;
  /** Where the root's transcript is; empty where a store keeps no file. */
  readonly transcriptPath: string;
  /** Where the session's own is. */
  readonly ownTranscriptPath: string;
  /** Resolves when both say what was said until now. Absent where nothing keeps them. */
  readonly updateTranscripts?: (() => Promise<void>) | undefined;
  /**
   * What is stored when these changes are made to what the session may do. @throws RondoError `permission.*` when the
   * policy cannot take them.
   */
  readonly permissionFacts: (updates: readonly PermissionUpdate[]) => readonly EventDraft[];
  /**
   * Stores facts; they are durable when `committed` resolves, which is to be read by those alone who wait for it: what
   * nobody waits for may linger. Facts held back are stored first, in the same batch.
   */
  readonly emit: (drafts: readonly EventDraft[]) => {
    readonly events: readonly SessionEvent[];
    readonly committed: Promise<void>;
  };
  /** Keeps facts back for the next `emit`, so that one commit serves both. */
  readonly hold: (drafts: readonly EventDraft[]) => void;
  /** Whether anybody watches for what is shown of a type. */
  readonly shows: (type: TransientEvent['type']) => boolean;
  /** Shows what is not stored. Cheap when nobody watches. */
  readonly show: (transient: () => TransientEvent) => void;
  readonly openReply: (reply: OpenReply | undefined) => void;
  /**
   * Opens a question, or finds it open under its ID, and waits. The answer is durable when it arrives. `closed` when the
   * turn ends before anybody answered.
   */
  readonly ask: CallbackDesk['ask'];
  /** Settles a question whose answer nobody needs any more. */
  readonly withdraw: CallbackDesk['withdraw'];
  /** Where a path really leads: symlinks followed, the nearest existing ancestor for what does not exist yet. */
  readonly resolvePath: (path: string) => Promise<string>;
  /** The file system does not tell upper from lower case. */
  readonly foldCase: boolean;
  /**
   * Whether a turn that this one works for has used up its budget, with so many dollars more. Absent where it works for
   * none.
   */
  readonly isSpentAbove?: ((moreUsd: number) => boolean) | undefined;
  /** Messages that want to join this turn, oldest first. They leave the queue when their entry is stored. */
  readonly joining: () => readonly QueuedMessage[];
}
