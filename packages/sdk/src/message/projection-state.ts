import type {
  ApiKeySource,
  AssistantEntry,
  JsonObject,
  ModelUsage,
  NonNullableUsage,
  PermissionMode,
  SDKMessage,
  SDKMessageOrigin,
  SDKPermissionDenial,
  TokenUsage,
  UUID,
} from '@rondo/protocol';
import { noUsage } from './wire-usage.ts';

export interface ProjectionOptions {
  /** The session whose lines are wanted; events of others in its tree are left out. */
  readonly sessionId: string;
  /** Also `stream_event` lines, from the deltas between the events. */
  readonly includePartialMessages?: boolean;
  /** Also lines about hooks that begin, write and end. */
  readonly includeHookEvents?: boolean;
  /** Also lines that say whether the session works, waits for an answer, or rests. */
  readonly sessionStates?: boolean;
  /** Also a line for each user message that became part of the conversation. */
  readonly replayUserMessages?: boolean;
  readonly apiKeySource?: ApiKeySource;
  /** Names of the tools; the log names only those that a host must have to go on, not the built-in ones. */
  readonly tools?: readonly string[];
  /** What `init` names as asked for by name. */
  readonly betas?: readonly string[];
  /** What `init` names as the peer's version. */
  readonly version?: string;
  /** By resolved name, for `modelUsage`. */
  readonly modelLimits?: Readonly<
    Record<string, { readonly contextWindow?: number; readonly maxOutputTokens?: number }>
  >;
}

/** A call of the turn that has no result yet. */
export interface OpenCall {
  readonly name: string;
  readonly toolCallId: string;
  input: JsonObject;
  /** Who let it run or refused it, and why. */
  decision?: { allowed: boolean; reasonType: string; reason?: string };
}

export interface TurnProgress {
  readonly turnId: string;
  readonly startedAt: string;
  readonly maxTurns?: number;
  readonly maxBudgetUsd?: number;
  readonly usage: NonNullableUsage;
  readonly denials: SDKPermissionDenial[];
  /** A user message is part of it. */
  isAsked: boolean;
  readonly calls: Map<string, OpenCall>;
  /** Lines of the turn's beginning, held until what comes before them has been shown: hooks of its start and its prompt. */
  opening?: SDKMessage[];
  /** Where the message comes from that the turn began with. */
  origin?: SDKMessageOrigin;
  /** Open questions to people. */
  readonly questions: Set<string>;
  /** When the model was first asked, and when last. */
  firstRequestAt?: string;
  lastRequestAt?: string;
  /** From the first request to the first reply's beginning, and to its end. */
  firstReply?: { readonly beganMs?: number; readonly wholeMs: number };
  requests: number;
  apiMs: number;
  stopReason?: string;
}

/** A reply that is whole; its lines wait for the request's usage, which follows at once. */
export interface WholeReply {
  readonly entry: AssistantEntry;
  readonly at: string;
  /** Of its lines, one a block, where it was imported. */
  readonly uuids?: readonly string[];
}

/** A reply whose pieces are being shown. */
export interface StreamProgress {
  readonly entryId: string;
  readonly model: string;
  /** The block being shown, -1 before the first. */
  block: number;
  /** Its place among the blocks that are shown at all. */
  place: number;
  /** UTF-16 units of it that were shown. */
  shown: number;
  /** Lines so far; names the next one. */
  lines: number;
  /** The UUID of the first line; those behind it are counted up from it. */
  readonly firstUuid: UUID;
  /** Deltas were lost: the rest waits for the whole reply. */
  behind: boolean;
}

/** A block of reasoning as it comes. */
export interface ThinkingProgress {
  readonly entryId: string;
  readonly block: number;
  /** UTF-16 units so far. */
  characters: number;
  /** What they were told to be. */
  tokens: number;
}

/** Everything the projection knows between two events. A plain value: it can be cloned, and the same log gives the same. */
export interface ProjectionState {
  readonly options: ProjectionOptions;
  permissionMode: PermissionMode;
  totalCostUsd: number;
  readonly modelUsage: Record<string, ModelUsage>;
  turn?: TurnProgress;
  reply?: WholeReply;
  /** The last reply of the turn, for the arguments of its calls. */
  lastReply?: AssistantEntry;
  lastUsage?: { readonly entryId: string; readonly requestId: string; readonly usage: TokenUsage };
  stream?: StreamProgress;
  /** The reasoning that is being shown. */
  thinking?: ThinkingProgress;
}

export function initialProjection(options: ProjectionOptions): ProjectionState {
  return { options, permissionMode: 'default', totalCostUsd: 0, modelUsage: {} };
}

export function newTurn(
  turnId: string,
  startedAt: string,
  limits: { maxTurns?: number | undefined; maxBudgetUsd?: number | undefined } = {},
): TurnProgress {
  return {
    turnId,
    startedAt,
    ...(limits.maxTurns === undefined ? {} : { maxTurns: limits.maxTurns }),
    ...(limits.maxBudgetUsd === undefined ? {} : { maxBudgetUsd: limits.maxBudgetUsd }),
    usage: noUsage(),
    denials: [],
    isAsked: false,
    calls: new Map(),
    questions: new Set(),
    requests: 0,
    apiMs: 0,
  };
}
