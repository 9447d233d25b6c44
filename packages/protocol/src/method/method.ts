import { z } from 'zod';
import { AgentCustomization, AgentCustomizationChange } from '../agent/agent-customization.ts';
import { AnswerOutcome, CallbackAnswer } from '../callback/callback-answer.ts';
import { ContentBlock, TurnInputBlock } from '../content/content-block.ts';
import { AnyEvent } from '../event/event.ts';
import { HistoryImportEntry } from '../history/history-import.ts';
import { HistoryItem } from '../history/history-item.ts';
import { StreamEvents } from '../event/stream-event.ts';
import { JsonObject } from '../json/json-value.ts';
import { openObject } from '../json/open-object.ts';
import { PermissionMode, PermissionUpdate } from '../permission/permission-update.ts';
import { Termination } from '../record/termination.ts';
import { TurnRecord } from '../record/turn-record.ts';
import { Catalog } from './catalog.ts';
import { BoundHook } from './client-method.ts';
import { McpServerInfo } from './mcp-server.ts';
import { TaskInfo } from './task-info.ts';

/** What a list shows of a session. Times are ISO 8601. */
export const SessionInfo = openObject({
  id: z.string(),
  /** `waiting`, `running`, `blocked`, `terminated`, or newer. */
  status: z.string(),
  title: z.string().optional(),
  /** The first words of the first message, for people. */
  firstPrompt: z.string().optional(),
  tag: z.string().optional(),
  /** Put away: it is as it was, and lists may leave it out. */
  archived: z.boolean().optional(),
  cwd: z.string(),
  /** The branch of git that was checked out when the last turn began whose surroundings name one. */
  gitBranch: z.string().optional(),
  /** Of the log, where the store keeps one in a file. */
  logBytes: z.number().optional(),
  /** Of the last turn. */
  model: z.string(),
  /** The mode that the session was put in since, if it was; otherwise that of the binding that a turn starts with counts. */
  permissionMode: PermissionMode.optional(),
  agentName: z.string(),
  createdAt: z.string(),
  /** Time of the last event. */
  updatedAt: z.string(),
  turns: z.number().int().nonnegative(),
  /** Cursor of the last event. */
  cursor: z.string(),
  activeTurnId: z.string().optional(),
  lastTurnId: z.string().optional(),
  /** When it last started or ended a turn, which a rename or another owner does not change. */
  lastTurnAt: z.string().optional(),
  /** Of a subagent's session: the session it works for, and the one at the top. */
  parentId: z.string().optional(),
  rootId: z.string().optional(),
  /** How a session with the status `terminated` ended. */
  termination: Termination.optional(),
});
export type SessionInfo = z.infer<typeof SessionInfo>;

/** What a list shows of a turn. Times are ISO 8601. */
export const TurnInfo = openObject({
  turnId: z.string(),
  /** Of the turn's record: `running`, `blocked`, `completed`, `interrupted`, `failed`, or newer. */
  status: z.string(),
  /** The turn's answer so far. */
  text: z.string(),
  startedAt: z.string(),
  /** Where it has ended. */
  endedAt: z.string().optional(),
});
export type TurnInfo = z.infer<typeof TurnInfo>;

/** A message that was accepted and that nobody has read yet. */
export const WaitingMessage = openObject({
  messageId: z.string(),
  delivery: z.enum(['join', 'next', 'later']),
  content: z.array(ContentBlock),
});
export type WaitingMessage = z.infer<typeof WaitingMessage>;

export const TurnLimits = openObject({
  maxTurns: z.number().int().positive().optional(),
  maxBudgetUsd: z.number().positive().optional(),
  /** Longest time that the turn works. While a question is open, or no process has the turn, no time goes by for it. */
  maxDurationMs: z.number().int().positive().optional(),
});
export type TurnLimits = z.infer<typeof TurnLimits>;

const session = { sessionId: z.string() };
const turn = { ...session, turnId: z.string() };
const message = {
  content: z.array(TurnInputBlock),
  /** The caller's own ID for the message; a UUID is kept as the message's identity on the second face. */
  messageId: z.string().optional(),
  idempotencyKey: z.string().optional(),
  /** Where the message comes from, with its `kind`, where that is no person. */
  origin: JsonObject.optional(),
};
const bindingId = { bindingId: z.string() };
const task = { ...session, taskId: z.string() };
const server = { ...session, server: z.string() };

const StartOutcome = z.discriminatedUnion('type', [
  openObject({ type: z.literal('started'), turnId: z.string(), started: z.boolean(), messageId: z.string() }),
  openObject({ type: z.literal('busy'), turnId: z.string() }),
]);
const TurnOutcome = z.discriminatedUnion('type', [
  openObject({ type: z.literal('accepted'), turnId: z.string() }),
  openObject({ type: z.literal('conflict'), turnId: z.string().optional() }),
]);
const SendOutcome = openObject({
  type: z.literal('accepted'),
  messageId: z.string(),
  /** The turn that was started or joined; absent while the message waits its turn. */
  turnId: z.string().optional(),
  started: z.boolean(),
});
const EventPage = openObject({ events: z.array(AnyEvent), cursor: z.string(), more: z.boolean() });

/** One table from a method to what it takes and what it answers. Failures are `RondoError` codes. */
export const methods = {
  'host/initialize': {
    params: openObject({
      protocolVersion: z.number().int(),
      client: z.string().optional(),
      /** For who cannot send a header with the connection's request, as browsers cannot. Never part of a URL. */
      token: z.string().optional(),
    }),
    result: openObject({ protocolVersion: z.number().int(), host: z.string() }),
  },
  /** Starts a session under a binding registered in the runtime's process. */
  'session/create': {
    params: openObject({
      ...bindingId,
      sessionId: z.uuid().optional(),
      title: z.string().optional(),
      /** What tools and hooks may read, by input ID; for the session's life. Never a credential. */
      inputs: JsonObject.optional(),
      /** What the session begins with. It runs nothing. */
      history: z.array(HistoryImportEntry).optional(),
      /** What the session has otherwise than its agent says. */
      agent: AgentCustomization.optional(),
      idempotencyKey: z.string().optional(),
    }),
    result: openObject(session),
  },
  /** Opens a stored session for writing under a binding: what was cut off by a crash is settled or continued. */
  'session/open': {
    params: openObject({
      ...session,
      ...bindingId,
      /** What to do with an unfinished turn: `settle` it as interrupted, or `continue` it where the binding satisfies it. */
      unfinished: z.enum(['settle', 'continue']),
      /**
       * The conversation goes on behind what this cursor names, an entry or a result of a call, whatever was said behind
       * it: that stays in the log. An unfinished turn is settled first. Absent: from the end.
       */
      after: z.string().optional(),
    }),
    result: openObject({
      session: SessionInfo,
      /** The turn that was unfinished and is not settled: it goes on, waits, or is parked. It may have ended since. */
      openTurnId: z.string().optional(),
      /** What the binding lacks to go on with that turn, in words. */
      parked: z.array(z.string()).optional(),
    }),
  },
  /** A new session with the history up to a cursor (the end by default). */
  'session/fork': {
    params: openObject({ ...session, ...bindingId, after: z.string().optional(), newSessionId: z.uuid().optional() }),
    result: openObject(session),
  },
  'session/read': { params: openObject(session), result: SessionInfo },
  /**
   * `roots`, unless said, are sessions of their own, newest first. `children` are the direct subagents of `parent`, `tree`
   * is `root` and everything below it; both newest first.
   */
  'session/list': {
    params: openObject({
      scope: z.enum(['roots', 'children', 'tree']).optional(),
      parent: z.string().optional(),
      root: z.string().optional(),
      /** `running` are those with an active turn, blocked or not. */
      status: z.enum(['waiting', 'running', 'blocked', 'terminated']).optional(),
      cwd: z.string().optional(),
      /** Only archived sessions, or only others; all unless said. */
      archived: z.boolean().optional(),
      limit: z.number().int().positive().optional(),
      before: z.string().optional(),
    }),
    result: openObject({ sessions: z.array(SessionInfo), next: z.string().optional() }),
  },
  /** The direct subagents, newest first. */
  'session/subagents': { params: openObject(session), result: openObject({ sessions: z.array(SessionInfo) }) },
  /**
   * Ends the session and everything below it: running turns are interrupted, nothing more is accepted, all of it stays
   * readable. Answers when that is done; a session that has ended is left as it is.
   */
  'session/cancel': { params: openObject(session), result: openObject({}) },
  /** Gives the session up in this host: a running turn stops without a trace and is found by whoever opens it next. */
  'session/close': { params: openObject(session), result: openObject({}) },
  /** Removes a session that is open nowhere, with everything below it, for good. */
  'session/delete': { params: openObject(session), result: openObject({}) },
  /** Changes title, tag, mode or session rules, or whether the session is archived. */
  'session/update': {
    params: openObject({
      ...session,
      title: z.string().optional(),
      tag: z.string().nullable().optional(),
      archived: z.boolean().optional(),
      permissionMode: PermissionMode.optional(),
      permissions: z.array(PermissionUpdate).optional(),
    }),
    result: SessionInfo,
  },
  /**
   * Changes what the session has otherwise than its agent says, for later turns: null gives the agent's own back, what is
   * absent stays. Answers all of it, as it is now.
   */
  'session/configure': {
    params: openObject({ ...session, ...bindingId, agent: AgentCustomizationChange }),
    result: openObject({ agent: AgentCustomization }),
  },
  /** Starts a turn; `busy` when another is active. Durable before it answers. */
  'turn/start': {
    params: openObject({ ...session, ...bindingId, ...message, limits: TurnLimits.optional() }),
    result: StartOutcome,
  },
  /** Starts a turn, joins the active one, or waits its turn. Durable before it answers. */
  'turn/send': {
    params: openObject({
      ...session,
      ...bindingId,
      ...message,
      delivery: z.enum(['join', 'next', 'later']),
      limits: TurnLimits.optional(),
    }),
    result: SendOutcome,
  },
  /** What waits to join a turn or to start one, the first to be read first. */
  'message/list': { params: openObject(session), result: openObject({ messages: z.array(WaitingMessage) }) },
  /** Takes back a message that nobody has read yet, and gives it; `gone` is one that was read, or never waited. */
  'message/cancel': {
    params: openObject({ ...session, messageId: z.string() }),
    result: z.discriminatedUnion('type', [
      openObject({ type: z.literal('cancelled'), message: WaitingMessage }),
      openObject({ type: z.literal('gone') }),
    ]),
  },
  'turn/steer': { params: openObject({ ...turn, ...message }), result: TurnOutcome },
  /** Newest first; `before` is the `next` of the page before. */
  'turn/list': {
    params: openObject({ ...session, limit: z.number().int().positive().optional(), before: z.string().optional() }),
    result: openObject({ turns: z.array(TurnInfo), next: z.string().optional() }),
  },
  'turn/read': { params: openObject(turn), result: TurnRecord },
  /** Stops the turn; answers when it has ended, within five seconds. */
  'turn/interrupt': { params: openObject(turn), result: TurnOutcome },
  /**
   * What was said and done, in order. `after` is an earlier page's cursor, or any of the session. A page holds at least
   * the limit where there is so much: what came of one reply is not divided.
   */
  'history/list': {
    params: openObject({ ...session, after: z.string().optional(), limit: z.number().int().positive().optional() }),
    result: openObject({ items: z.array(HistoryItem), cursor: z.string(), more: z.boolean() }),
  },
  'callback/answer': {
    params: openObject({ ...session, callbackId: z.uuid(), answer: CallbackAnswer }),
    result: AnswerOutcome,
  },
  /**
   * Derives a binding from a registered one, with hooks beside its own that live in this client: at their points the host
   * asks the client, by `capability/call` over this connection. It is gone with the connection.
   */
  'capability/bind': {
    params: openObject({
      ...bindingId,
      /** The ID that the derived binding is to have. Binding it again takes it over from an earlier connection. */
      newBindingId: z.uuid().optional(),
      hooks: z.array(BoundHook).min(1).max(64),
    }),
    result: openObject(bindingId),
  },
  'events/read': {
    params: openObject({ ...session, after: z.string().optional(), limit: z.number().int().positive().optional() }),
    result: EventPage,
  },
  /** What follows `after` comes as `events/item` notifications until `events/unsubscribe` or the channel's end. */
  'events/subscribe': {
    params: openObject({
      ...session,
      subscriptionId: z.string(),
      after: z.string().optional(),
      /** Where `after` is absent: begin at this turn's start or somewhere before it, not necessarily at the session's. */
      fromTurn: z.string().optional(),
      /** What is shown and not stored: all of it, or these kinds. */
      deltas: z.union([z.boolean(), z.array(z.string())]).optional(),
    }),
    result: openObject({ subscriptionId: z.string() }),
  },
  'events/unsubscribe': { params: openObject({ subscriptionId: z.string() }), result: openObject({}) },
  /** The session's work in the background, the newest first. */
  'task/list': { params: openObject(session), result: openObject({ tasks: z.array(TaskInfo) }) },
  /** A part of what a task has printed, from an offset in bytes. */
  'task/output': {
    params: openObject({
      ...task,
      offset: z.number().int().nonnegative().optional(),
      limit: z.number().int().positive().optional(),
    }),
    result: openObject({ text: z.string(), next: z.number().int().nonnegative(), task: TaskInfo }),
  },
  /** Stops a task; answers when nothing of it runs. */
  'task/stop': { params: openObject(task), result: TaskInfo },
  /** Puts files back as they were before a message of the user; with `dryRun` it only says which those are. */
  'files/rewind': {
    params: openObject({ ...session, messageId: z.string(), dryRun: z.boolean().optional() }),
    result: openObject({
      files: z.array(z.string()),
      insertions: z.number().int().nonnegative().optional(),
      deletions: z.number().int().nonnegative().optional(),
    }),
  },
  /** Has the older part of the history summarised, with what the summary is to keep. */
  'session/compact': {
    params: openObject({ ...session, ...bindingId, instructions: z.string().optional() }),
    result: openObject({ turnId: z.string() }),
  },
  'mcp/status': { params: openObject(session), result: openObject({ servers: z.array(McpServerInfo) }) },
  'mcp/reconnect': { params: openObject(server), result: McpServerInfo },
  'mcp/toggle': { params: openObject({ ...server, enabled: z.boolean() }), result: McpServerInfo },
  /** Gives the session's servers of a name other settings, in place of those that they had. */
  'mcp/set': {
    params: openObject({ ...session, servers: z.record(z.string(), JsonObject) }),
    result: openObject({ servers: z.array(McpServerInfo) }),
  },
  /** What there is to start sessions with, as far as the caller may use it. */
  'catalog/read': { params: openObject({}), result: Catalog },
  /** Base64 of a part of a blob, which may be less than was asked for: `more` says whether there is something behind it. */
  'blobs/read': {
    params: openObject({
      ...session,
      hash: z.string(),
      offset: z.number().int().nonnegative().optional(),
      limit: z.number().int().positive().optional(),
    }),
    result: openObject({ data: z.string(), bytes: z.number().int().nonnegative(), more: z.boolean() }),
  },
} satisfies Record<string, { params: z.ZodType; result: z.ZodType }>;

export type MethodName = keyof typeof methods;
export type MethodParams<Method extends MethodName> = z.input<(typeof methods)[Method]['params']>;
export type MethodResult<Method extends MethodName> = z.output<(typeof methods)[Method]['result']>;

/** What a host sends unasked. */
export const notifications = {
  'events/item': openObject({ subscriptionId: z.string(), events: StreamEvents }),
  /** The subscription is over: the session was closed, or its events cannot be read. */
  'events/end': openObject({ subscriptionId: z.string(), error: z.unknown().optional() }),
  /** The host goes away: it takes no more requests, answers those it has, and closes. Turns are found by the next host. */
  'host/closing': openObject({}),
} satisfies Record<string, z.ZodType>;

export type NotificationName = keyof typeof notifications;
export type NotificationParams<Name extends NotificationName> = z.output<(typeof notifications)[Name]>;
