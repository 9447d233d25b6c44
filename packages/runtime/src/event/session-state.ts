import type {
  AgentCustomization,
  BindingRecord,
  CallbackAnswer,
  ContentBlock,
  EndedRecord,
  JsonObject,
  JsonValue,
  KnownOpenCallback,
  PermissionUpdate,
  Termination,
  TokenUsage,
  ToolClassified,
  ToolCall,
  ToolEffect,
  TurnRecord,
  UnknownOpenCallback,
} from '@rondo/protocol';
import type { LeftBehind } from './branch.ts';
import type { ConversationItem } from './conversation.ts';

/** Where one tool call of the active turn is. */
export interface CallState {
  readonly callId: string;
  readonly toolCallId: string;
  readonly name: string;
  readonly entryId: string;
  readonly block: number;
  status: 'requested' | 'allowed' | 'denied' | 'started' | 'completed';
  /** The arguments that were decided on, where they differ from the model's. */
  input?: JsonValue;
  denial?: string;
  effect?: ToolEffect;
  prepared?: JsonValue;
  /** The question the call waits on, or waited on. */
  callbackId?: string;
  /** What the classifier said of it, and of which arguments. */
  verdict?: Pick<ToolClassified, 'decision' | 'reason' | 'inputHash'>;
}

export interface CallbackState {
  readonly callback: KnownOpenCallback | UnknownOpenCallback;
  readonly turnId: string;
  settled: boolean;
  answer?: CallbackAnswer;
}

/** A run of a hook at one place of the active turn. */
export interface HookRunState {
  /** Milliseconds since 1970, when it was first begun: what the hook is told that it is, however often it is run. */
  readonly startedAt: number;
  /** Nobody waits for it. */
  readonly background?: true;
  /** What it decided. Then it is not run again. */
  outcome?: JsonObject;
}

/** The hook that ended a turn, and what it decided. */
export interface HookEnding {
  readonly hook: string;
  readonly point: string;
  readonly outcome: JsonObject;
}

/** What a hook keeps for its next runs: a type of its own naming, and JSON. */
export interface KeptState {
  readonly type: string;
  readonly value: JsonValue;
}

/** The turn that is being worked on. */
export interface ActiveTurn {
  readonly turnId: string;
  readonly startedAt: string;
  readonly startSeq: number;
  /** As it was started with, but for a policy that has changed since. */
  binding: BindingRecord;
  /** What it has otherwise than its agent says. */
  readonly customization?: AgentCustomization;
  readonly limits: {
    readonly maxTurns?: number | undefined;
    readonly maxBudgetUsd?: number | undefined;
    readonly maxDurationMs?: number | undefined;
  };
  readonly calls: Map<string, CallState>;
  readonly toolCalls: ToolCall[];
  readonly usage: TokenUsage[];
  /** Model requests that were answered. */
  modelRequests: number;
  costUsd: number;
  /** Text of the last assistant message. */
  text: string;
  /** An assistant entry that has begun and not ended. */
  openEntryId?: string;
  /** The model that the turn asks since its own could not be reached. */
  fallbackModel?: string;
  /** A model request that was sent and not answered. */
  openRequestId?: string;
  blocked: boolean;
  /** Of the user's messages, those that the model has not answered yet. */
  readonly unanswered: string[];
  /** By `hookId`; forgotten with the place where they ran. */
  readonly hookRuns: Map<string, HookRunState>;
  /** Replies that hooks had dropped since the last one that stayed. */
  hookRetries: number;
  hookEnding?: HookEnding;
  /** What the provider added to why its last reply ended. */
  stopDetails?: JsonObject;
  /** Milliseconds that the turn was at work, up to `measuredAt`. Kept only where `maxDurationMs` limits them. */
  workedMs: number;
  measuredAt: number;
}

export interface QueuedMessage {
  readonly messageId: string;
  readonly delivery: 'join' | 'next' | 'later';
  readonly content: readonly ContentBlock[];
  readonly limits?: ActiveTurn['limits'];
  /** Where it comes from, where that is no person. */
  readonly origin?: JsonObject;
  readonly seq: number;
}

/** What a send or start with a key did, so that the same key does it once. */
export interface KeyedSend {
  readonly contentHash: string;
  readonly messageId: string;
  /** The turn that has the message, or is to have it. */
  turnId?: string;
  started: boolean;
}

/**
 * Grows whenever the fold gives another state for the same events, or the state another shape: snapshots of other
 * versions are not used. Whoever changes `SessionState` or `applyEvent` raises it.
 */
export const FOLD_VERSION = 12;

/**
 * Everything a session is, as of its last event. Only `applyEvent` changes it. It holds the conversation since the last
 * compaction and offsets into the log, not the history.
 */
export interface SessionState {
  readonly sessionId: string;
  seq: number;
  cursor: string;
  createdAt: string;
  updatedAt: string;
  binding: BindingRecord | undefined;
  epoch: number;
  terminated: boolean;
  /** How a terminated session ended. */
  termination?: Termination;
  /** The call of its parent that a subagent works for. */
  spawnedBy?: { readonly turnId: string; readonly callId: string };
  title?: string;
  tag?: string;
  archived: boolean;
  /** What later turns have otherwise than the agent says. */
  customization?: AgentCustomization;
  firstPrompt?: string;
  /** Where each turn's first and last event stand in the log. */
  readonly turns: Map<string, { readonly startSeq: number; endSeq?: number }>;
  /** Records of the last turns that ended; older ones are read from the log. */
  readonly records: Map<string, EndedRecord | Extract<TurnRecord, { type: 'unknownOutcome' }>>;
  lastTurnId?: string;
  lastTurnAt?: string;
  active?: ActiveTurn;
  /** Turns that an owner found unfinished and could not continue, since the last `session.acquired`. */
  readonly parked: Map<string, readonly string[]>;
  /** Of a long one that was read from its log, older items may be light. */
  readonly conversation: ConversationItem[];
  /** What branches left behind, the last one last. */
  readonly leftBehind: LeftBehind<ConversationItem>[];
  /** Texts that an imported history brought for the system prompt. */
  readonly systemMessages: string[];
  /** What was said of blocks that are not sent to a model, so that it is said once: see `quarantineKey`. */
  readonly quarantined: Set<string>;
  /** Entries of replies whose reasoning their own model did not take back: it gets the rest of them alone. */
  readonly rejectedReasoning: Set<string>;
  /** The questions of the active turn, open and settled. */
  readonly callbacks: Map<string, CallbackState>;
  /** IDs of the questions of turns that have ended. */
  readonly settledCallbacks: Set<string>;
  readonly permissions: PermissionUpdate[];
  /** How many of these need no writing to a settings file any more. */
  permissionsSaved?: number;
  remembered: JsonObject;
  /** What tools and hooks may read of the session's start, by input ID. */
  inputs: Readonly<JsonObject>;
  /** By the hook's name. */
  readonly hookStates: Map<string, KeptState>;
  /** Where hooks were last told that the session begins: by which owner, in which turn. */
  sessionStart?: { readonly epoch: number; readonly turnId: string };
  readonly queue: QueuedMessage[];
  readonly keys: Map<string, KeyedSend>;
  /** Text of the last environment message. */
  environment?: string;
  totalCostUsd: number;
}

/** A session before its first event. */
export function emptySessionState(sessionId: string): SessionState {
  return {
    sessionId,
    seq: 0,
    cursor: `${sessionId}:0`,
    createdAt: '',
    updatedAt: '',
    binding: undefined,
    epoch: 0,
    terminated: false,
    archived: false,
    turns: new Map(),
    records: new Map(),
    parked: new Map(),
    conversation: [],
    leftBehind: [],
    systemMessages: [],
    quarantined: new Set(),
    rejectedReasoning: new Set(),
    callbacks: new Map(),
    settledCallbacks: new Set(),
    permissions: [],
    remembered: {},
    inputs: {},
    hookStates: new Map(),
    queue: [],
    keys: new Map(),
    totalCostUsd: 0,
  };
}
