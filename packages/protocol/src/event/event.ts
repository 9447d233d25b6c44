import { z } from 'zod';
import { AgentCustomization } from '../agent/agent-customization.ts';
import { CallbackAnswer } from '../callback/callback-answer.ts';
import { OpenCallback } from '../callback/open-callback.ts';
import { ContentBlock } from '../content/content-block.ts';
import { BlobReference } from '../content/blob-reference.ts';
import { HistoryEntry, ProtocolError, ToolKind } from '../entry/history-entry.ts';
import { JsonObject, JsonValue } from '../json/json-value.ts';
import { openObject } from '../json/open-object.ts';
import { openUnion } from '../json/open-union.ts';
import { PermissionMode, PermissionUpdate } from '../permission/permission-update.ts';
import { Termination } from '../record/termination.ts';
import { TurnRecord } from '../record/turn-record.ts';
import { RequestParts } from './request-parts.ts';
import { TokenUsage } from '../usage/token-usage.ts';

/** What every durable event carries. `id` is the cursor just behind it; `seq` counts the lines of the session tree's log. */
const base = {
  seq: z.number().int().positive(),
  id: z.string(),
  /** ISO 8601, UTC. */
  at: z.string(),
  sessionId: z.string(),
  /** A host that meets a required event it does not know opens the log for reading only. */
  required: z.boolean().optional(),
};
const inTurn = { ...base, turnId: z.string() };

/** What a session or a turn was started with. Only a host that can offer the same may continue it. */
export const BindingRecord = openObject({
  cwd: z.string(),
  /** Resolved, `provider/model`. */
  model: z.string(),
  policyHash: z.string(),
  agent: openObject({ name: z.string(), fingerprint: z.string() }),
  /** Names of what lives in the process: `event/matcher/position` or a hook's own name, tools, MCP servers. */
  hooks: z.array(z.string()),
  tools: z.array(z.string()),
  mcpServers: z.array(z.string()),
  /** The servers as they were then, and the full names of their tools. A host need not find them the same. */
  mcp: z.array(openObject({ name: z.string(), status: z.string(), tools: z.array(z.string()) })).optional(),
  /** Name of the in-process function that answers questions, when there is one. */
  asker: z.string().optional(),
  /** What becomes of a question that nobody is bound to answer. */
  unattended: z.enum(['wait', 'deny']),
  permissionMode: PermissionMode,
});
export type BindingRecord = z.infer<typeof BindingRecord>;

export const SessionCreated = openObject({
  type: z.literal('session.created'),
  ...base,
  binding: BindingRecord,
  title: z.string().optional(),
  parentId: z.string().optional(),
  /** What tools and hooks may read of the session's start, by input ID. The model never sees it. */
  inputs: JsonObject.optional(),
  /** The parent's call that a subagent works for: repeating that call finds it. */
  spawnedBy: openObject({ turnId: z.string(), callId: z.string() }).optional(),
  /** What the session has otherwise than its agent says. */
  customization: AgentCustomization.optional(),
  forkedFrom: openObject({ sessionId: z.string(), cursor: z.string() }).optional(),
  /** Set when the session was created with a key, with the hash of what it was created with. */
  idempotencyKey: z.string().optional(),
  contentHash: z.string().optional(),
});
export const SessionAcquired = openObject({
  type: z.literal('session.acquired'),
  ...base,
  epoch: z.number().int().positive(),
  host: openObject({ id: z.string(), pid: z.number().int().optional() }),
});
export const SessionUpdated = openObject({
  type: z.literal('session.updated'),
  ...base,
  turnId: z.string().optional(),
  status: z.string().optional(),
  /** With the status `terminated`. */
  termination: Termination.optional(),
  title: z.string().optional(),
  tag: z.string().nullable().optional(),
  archived: z.boolean().optional(),
  /** All that the session has otherwise than its agent says, from the next turn on. */
  customization: AgentCustomization.optional(),
  /** Changes to what the session may do, in order. */
  permissions: z.array(PermissionUpdate).optional(),
});
const Limits = openObject({
  maxTurns: z.number().optional(),
  maxBudgetUsd: z.number().optional(),
  maxDurationMs: z.number().optional(),
});
/**
 * The conversation goes on from an earlier place: what was said behind it stays in the log, and is no part of the
 * conversation any more. Said while no turn is at work.
 */
export const SessionBranched = openObject({
  type: z.literal('session.branched'),
  ...base,
  /** The last thing that is kept: an entry, or a call's result. It may be one that an earlier branch had left behind. */
  from: openObject({ entryId: z.string().optional(), callId: z.string().optional() }),
});
export const TurnStarted = openObject({
  type: z.literal('turn.started'),
  ...inTurn,
  binding: BindingRecord,
  /** Set when the start came with a key: what a repeat of it is answered from. */
  idempotencyKey: z.string().optional(),
  contentHash: z.string().optional(),
  messageId: z.string().optional(),
  limits: Limits.optional(),
  /** What the turn has otherwise than its agent says. */
  customization: AgentCustomization.optional(),
});
export const TurnUpdated = openObject({ type: z.literal('turn.updated'), ...inTurn, status: z.string() });
export const TurnEnded = openObject({ type: z.literal('turn.ended'), ...inTurn, record: TurnRecord });
export const EntryAdded = openObject({ type: z.literal('entry.added'), ...inTurn, entry: HistoryEntry });
export const EntryCompleted = openObject({
  type: z.literal('entry.completed'),
  ...base,
  /** Absent for what a session began with: its imported history. */
  turnId: z.string().optional(),
  entry: HistoryEntry,
  /** Where the entry was imported: the UUIDs of the lines that it was, one a block, which it keeps. */
  lines: z.array(z.string()).optional(),
});
export const EntryDiscarded = openObject({
  type: z.literal('entry.discarded'),
  ...inTurn,
  entryId: z.string(),
  /**
   * `stream_retried`, `crashed`, `interrupted`, `quarantined`; by a hook: `hook_skipped`, `hook_retried`, `hook_rejected`,
   * `hook_failed`, and `hook_replaced` where another entry takes its place.
   */
  reason: z.string(),
});
export const MessageQueued = openObject({
  type: z.literal('message.queued'),
  ...base,
  turnId: z.string().optional(),
  messageId: z.string(),
  delivery: z.enum(['join', 'next', 'later']),
  content: z.array(ContentBlock),
  /** Where it comes from, where that is no person. */
  origin: JsonObject.optional(),
  /** For the turn that the message starts, should it start one. */
  limits: Limits.optional(),
  idempotencyKey: z.string().optional(),
  contentHash: z.string().optional(),
});
export const MessageCancelled = openObject({
  type: z.literal('message.cancelled'),
  ...base,
  messageId: z.string(),
  reason: z.string(),
});
export const CallbackOpened = openObject({ type: z.literal('callback.opened'), ...inTurn, callback: OpenCallback });
export const CallbackResolved = openObject({
  type: z.literal('callback.resolved'),
  ...inTurn,
  callbackId: z.string(),
  resolution: z.enum(['answered', 'closed']),
  answer: CallbackAnswer.optional(),
  /** Who resolved it: a principal, a bound function's name, or `runtime` for a closing. */
  by: z.string().optional(),
});
export const Notice = openObject({
  type: z.literal('notice'),
  ...base,
  turnId: z.string().optional(),
  level: z.enum(['info', 'warning', 'error']),
  message: z.string(),
  details: JsonObject.optional(),
});

/** `callId` names a call in the whole session tree; `toolCallId` is the provider's and may repeat between messages. */
const call = { ...inTurn, callId: z.string(), toolCallId: z.string(), name: z.string() };

export const ToolRequested = openObject({
  type: z.literal('tool.requested'),
  ...call,
  toolKind: ToolKind,
  /** The assistant entry that holds the call, and the block's place in it. */
  entryId: z.string(),
  block: z.number().int().nonnegative(),
});
export const ToolDecided = openObject({
  type: z.literal('tool.decided'),
  ...call,
  decision: z.enum(['allow', 'deny']),
  /** Which part decided: `rule`, `mode`, `hook`, `classifier`, `callback`, `unattended`, `input`, `tool`. */
  reasonType: z.string(),
  reason: z.string().optional(),
  /** The rule as written, and the source it came from. */
  rule: z.string().optional(),
  source: z.string().optional(),
  policyHash: z.string(),
  inputHash: z.string().optional(),
  /** The arguments that will run, where they differ from the model's. */
  input: JsonValue.optional(),
});
/** What the classifier of the mode `auto` said of a call. What it was paid for counts for the turn. */
export const ToolClassified = openObject({
  type: z.literal('tool.classified'),
  ...call,
  /** `ask` too where it gave no verdict: the question is left. */
  decision: z.enum(['allow', 'deny', 'ask']),
  reason: z.string(),
  /** The arguments that it judged. For others it says nothing. */
  inputHash: z.string(),
  /** Absent where no model could be asked. */
  model: z.string().optional(),
  /** Of all its attempts together. */
  usage: TokenUsage.optional(),
  costUsd: z.number().optional(),
  durationMs: z.number(),
});
export const ToolEffect = z.enum(['none', 'idempotent', 'reconcile', 'once']);
export type ToolEffect = z.infer<typeof ToolEffect>;
export const ToolStarted = openObject({
  type: z.literal('tool.started'),
  ...call,
  effect: ToolEffect,
  /** Stable over restarts, for tools that can tell a repeat. */
  idempotencyKey: z.string().optional(),
  /** What the tool needs to find out later whether the effect happened. */
  prepared: JsonValue.optional(),
});
export const ToolOutcome = z.enum(['success', 'error', 'denied', 'interrupted', 'unknown', 'not_started']);
export type ToolOutcome = z.infer<typeof ToolOutcome>;
export const ToolCompleted = openObject({
  type: z.literal('tool.completed'),
  ...call,
  isError: z.boolean(),
  outcome: ToolOutcome,
  /** What the model reads. */
  content: z.array(ContentBlock),
  /** The tool's structured output, for programs. */
  structured: JsonValue.optional(),
  error: ProtocolError.optional(),
  durationMs: z.number().optional(),
  /** Facts the session keeps for later calls, by key: what a tool read, and at which hash. A null forgets the key. */
  remembered: JsonObject.optional(),
  /** Where the structured output is when it was too large for a line. */
  structuredSpilled: BlobReference.optional(),
  /** Where the result was imported: the UUID of the line that it was, which it keeps. */
  line: z.string().optional(),
});
/** One run of a hook: `hookId` names the hook and the place of the turn where it runs, the same over restarts. */
const hook = {
  ...inTurn,
  hookId: z.string(),
  name: z.string(),
  event: z.string(),
  /** Of the call that it judges, where it judges one. */
  callId: z.string().optional(),
  /** What the event is about, where hooks are matched by it: a tool's name, a session's source, an agent's type. */
  subject: z.string().optional(),
  /** Nobody waits for it, so that it may complete at any time, behind its turn too. */
  background: z.boolean().optional(),
};
/** What a command hook wrote, cut to its first characters, and how it ended. */
export const HookOutput = openObject({ stdout: z.string(), stderr: z.string(), exitCode: z.number().optional() });
export const HookStarted = openObject({ type: z.literal('hook.started'), ...hook });
export const HookCompleted = openObject({
  type: z.literal('hook.completed'),
  ...hook,
  /** What it decided, as it was applied; with `ends: true`, it ended the turn. */
  outcome: JsonObject,
  /** What the hook keeps for its next runs in the session; null forgets it. */
  state: openObject({ type: z.string(), value: JsonValue }).nullable().optional(),
  output: HookOutput.optional(),
  /** Of one that asked a model: which, and what that used. */
  model: z.string().optional(),
  usage: TokenUsage.optional(),
  costUsd: z.number().optional(),
  durationMs: z.number().optional(),
});
export const ModelRequested = openObject({
  type: z.literal('model.requested'),
  ...inTurn,
  requestId: z.string(),
  model: z.string(),
  /** SHA-256 over the request without its cache marks, by its parts. Absent in logs of versions that did not write it. */
  requestHash: z.string().optional(),
  parts: RequestParts.optional(),
  messages: z.number().int().nonnegative(),
});
export const ModelCompleted = openObject({
  type: z.literal('model.completed'),
  ...inTurn,
  requestId: z.string(),
  entryId: z.string(),
  model: z.string(),
  stopReason: z.string(),
  /** What the provider adds to its reason, e.g. why it refused. */
  stopDetails: JsonObject.optional(),
  usage: TokenUsage,
  costUsd: z.number().optional(),
  durationMs: z.number(),
  timeToFirstTokenMs: z.number().optional(),
});
export const ModelRetried = openObject({
  type: z.literal('model.retried'),
  ...inTurn,
  requestId: z.string(),
  /** The retry's number, from 1. */
  attempt: z.number().int().positive(),
  maxRetries: z.number().int().nonnegative(),
  delayMs: z.number(),
  status: z.number().nullable(),
  error: ProtocolError,
  /** What the failed attempt had used, where it got as far as saying so. It is paid for and counts. */
  usage: TokenUsage.optional(),
  model: z.string().optional(),
  costUsd: z.number().optional(),
  /** The model that is asked instead from here on, for the rest of the turn. */
  fallbackModel: z.string().optional(),
});
/** What the person may want to say next, as a model was asked when the turn had ended. It belongs to no conversation. */
export const PromptSuggested = openObject({
  type: z.literal('prompt.suggested'),
  ...inTurn,
  /** Absent where there is none. */
  suggestion: z.string().optional(),
  /** Absent where no model was asked. */
  model: z.string().optional(),
  usage: TokenUsage.optional(),
  costUsd: z.number().optional(),
  durationMs: z.number(),
});
export const TaskStarted = openObject({
  type: z.literal('task.started'),
  ...inTurn,
  taskId: z.string(),
  details: JsonObject,
});
export const TaskUpdated = openObject({
  type: z.literal('task.updated'),
  ...base,
  taskId: z.string(),
  details: JsonObject,
});
export const TaskEnded = openObject({
  type: z.literal('task.ended'),
  ...base,
  taskId: z.string(),
  details: JsonObject,
});
export const ContextCompacted = openObject({
  type: z.literal('context.compacted'),
  ...base,
  turnId: z.string().optional(),
  details: JsonObject,
});
export const FileCheckpointed = openObject({ type: z.literal('file.checkpointed'), ...inTurn, details: JsonObject });

/** An event of a type this version does not know, handed on whole. */
export const UnknownEvent = z.object({ type: z.literal('unknown'), originalType: z.string(), raw: JsonValue });

export type SessionCreated = z.infer<typeof SessionCreated>;
export type SessionAcquired = z.infer<typeof SessionAcquired>;
export type SessionUpdated = z.infer<typeof SessionUpdated>;
export type SessionBranched = z.infer<typeof SessionBranched>;
export type TurnStarted = z.infer<typeof TurnStarted>;
export type TurnUpdated = z.infer<typeof TurnUpdated>;
export type TurnEnded = z.infer<typeof TurnEnded>;
export type EntryAdded = z.infer<typeof EntryAdded>;
export type EntryCompleted = z.infer<typeof EntryCompleted>;
export type EntryDiscarded = z.infer<typeof EntryDiscarded>;
export type MessageQueued = z.infer<typeof MessageQueued>;
export type MessageCancelled = z.infer<typeof MessageCancelled>;
export type CallbackOpened = z.infer<typeof CallbackOpened>;
export type CallbackResolved = z.infer<typeof CallbackResolved>;
export type Notice = z.infer<typeof Notice>;
export type ToolRequested = z.infer<typeof ToolRequested>;
export type ToolClassified = z.infer<typeof ToolClassified>;
export type ToolDecided = z.infer<typeof ToolDecided>;
export type ToolStarted = z.infer<typeof ToolStarted>;
export type ToolCompleted = z.infer<typeof ToolCompleted>;
export type HookOutput = z.infer<typeof HookOutput>;
export type HookStarted = z.infer<typeof HookStarted>;
export type HookCompleted = z.infer<typeof HookCompleted>;
export type ModelRequested = z.infer<typeof ModelRequested>;
export type ModelCompleted = z.infer<typeof ModelCompleted>;
export type ModelRetried = z.infer<typeof ModelRetried>;
export type PromptSuggested = z.infer<typeof PromptSuggested>;
export type TaskStarted = z.infer<typeof TaskStarted>;
export type TaskUpdated = z.infer<typeof TaskUpdated>;
export type TaskEnded = z.infer<typeof TaskEnded>;
export type ContextCompacted = z.infer<typeof ContextCompacted>;
export type FileCheckpointed = z.infer<typeof FileCheckpointed>;
export type UnknownEvent = z.infer<typeof UnknownEvent>;

/** Every durable event this version writes. */
export type SessionEvent =
  | SessionCreated
  | SessionAcquired
  | SessionUpdated
  | SessionBranched
  | TurnStarted
  | TurnUpdated
  | TurnEnded
  | EntryAdded
  | EntryCompleted
  | EntryDiscarded
  | MessageQueued
  | MessageCancelled
  | CallbackOpened
  | CallbackResolved
  | Notice
  | ToolRequested
  | ToolClassified
  | ToolDecided
  | ToolStarted
  | ToolCompleted
  | HookStarted
  | HookCompleted
  | ModelRequested
  | ModelCompleted
  | ModelRetried
  | PromptSuggested
  | TaskStarted
  | TaskUpdated
  | TaskEnded
  | ContextCompacted
  | FileCheckpointed;

/** What a reader may meet: a known event, or a newer one kept whole. */
export type AnyEvent =
  | SessionEvent
  | (UnknownEvent & { seq: number; id: string; at: string; sessionId: string; turnId?: string });

const knownEvents = {
  'session.created': SessionCreated,
  'session.acquired': SessionAcquired,
  'session.updated': SessionUpdated,
  'session.branched': SessionBranched,
  'turn.started': TurnStarted,
  'turn.updated': TurnUpdated,
  'turn.ended': TurnEnded,
  'entry.added': EntryAdded,
  'entry.completed': EntryCompleted,
  'entry.discarded': EntryDiscarded,
  'message.queued': MessageQueued,
  'message.cancelled': MessageCancelled,
  'callback.opened': CallbackOpened,
  'callback.resolved': CallbackResolved,
  notice: Notice,
  'tool.requested': ToolRequested,
  'tool.classified': ToolClassified,
  'tool.decided': ToolDecided,
  'tool.started': ToolStarted,
  'tool.completed': ToolCompleted,
  'hook.started': HookStarted,
  'hook.completed': HookCompleted,
  'model.requested': ModelRequested,
  'model.completed': ModelCompleted,
  'model.retried': ModelRetried,
  'prompt.suggested': PromptSuggested,
  'task.started': TaskStarted,
  'task.updated': TaskUpdated,
  'task.ended': TaskEnded,
  'context.compacted': ContextCompacted,
  'file.checkpointed': FileCheckpointed,
} satisfies Record<SessionEvent['type'], z.ZodType>;

/** What an event of a newer type must have all the same: its place in the log. */
export const NewerEvent = openObject({ ...base, turnId: z.string().optional() });

/** Reads an event from outside: known ones checked, newer ones kept, whatever lacks the common fields refused. */
export const AnyEvent: z.ZodType<AnyEvent> = openUnion(knownEvents, UnknownEvent).transform(
  (event, context): AnyEvent => {
    if (event.type !== 'unknown') return event;
    const fields = NewerEvent.safeParse(event.raw);
    if (!fields.success) {
      context.issues.push({ code: 'custom', message: 'an event without seq, id, at and sessionId', input: event.raw });
      return z.NEVER;
    }
    const { seq, id, at, sessionId, turnId } = fields.data;
    return { ...event, seq, id, at, sessionId, ...(turnId === undefined ? {} : { turnId }) };
  },
);

export const eventTypes = Object.keys(knownEvents) as SessionEvent['type'][];
