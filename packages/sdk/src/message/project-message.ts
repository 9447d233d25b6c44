import type {
  AnyEvent,
  MessageEntry,
  ModelRetried,
  SDKAPIRetryMessage,
  SDKMessage,
  SDKSystemMessage,
  SessionEvent,
  TokenUsage,
  TransientEvent,
  TurnStarted,
} from '@rondo/protocol';
import { isUuid } from '@rondo/protocol/values';
import { errorName } from './error-name.ts';
import { hookCompletedLines, hookProgressLines, hookStartedLines } from './hook-lines.ts';
import { deriveUuid, messageUuid } from './line-uuid.ts';
import { closeStream, openStream, showDelta } from './partial-message.ts';
import { initialProjection, newTurn, type ProjectionOptions, type ProjectionState } from './projection-state.ts';
import { replyLines } from './reply-lines.ts';
import { endLines } from './result-line.ts';
import { toolResultLines } from './tool-result-lines.ts';
import { inputObject, wireContent } from './wire-content.ts';
import { wireModelName } from './wire-model-name.ts';
import { addModelUsage, addUsage, noModelUsage } from './wire-usage.ts';

type ProjectedEvent = AnyEvent | TransientEvent;
type Projector<Event> = (state: ProjectionState, event: Event) => SDKMessage[];
type Projectors = {
  readonly [Type in (SessionEvent | TransientEvent)['type']]?: Projector<
    Extract<SessionEvent | TransientEvent, { type: Type }>
  >;
};

/**
 * The lines of the second seed that an event of the log means, and the only writer of the projection's state. It reads
 * nothing but its two arguments: the same log gives the same lines with the same UUIDs, from the first event or from
 * a state that was kept. An event of a kind it does not know means no line.
 */
export function projectMessage(state: ProjectionState, event: ProjectedEvent): SDKMessage[] {
  if (event.sessionId !== state.options.sessionId) return [];
  const waiting = state.reply === undefined || event.type === 'model.completed' ? [] : replyLines(state);
  const project =
    event.type === 'unknown' ? undefined : (projectors[event.type] as Projector<ProjectedEvent> | undefined);
  if (project === undefined) return waiting;
  const lines = project(state, event);
  return waiting.length === 0 ? lines : [...waiting, ...lines];
}

export interface Projection {
  readonly state: ProjectionState;
  /** The lines that the next event means. */
  push(event: ProjectedEvent): SDKMessage[];
}

/** A projection that keeps its own state. */
export function createProjection(options: ProjectionOptions): Projection {
  const state = initialProjection(options);
  return { state, push: (event) => projectMessage(state, event) };
}

const projectors: Projectors = {
  'session.created': (state, event) => {
    state.permissionMode = event.binding.permissionMode;
    return [];
  },
  'session.updated': (state, event) => {
    const lines: SDKMessage[] = [];
    for (const update of event.permissions ?? []) {
      if (update.type !== 'setMode') continue;
      state.permissionMode = update.mode;
      const uuid = deriveUuid(`${event.id}/mode`);
      lines.push({
        type: 'system',
        subtype: 'status',
        uuid,
        ...session(state),
        status: null,
        permissionMode: update.mode,
      });
    }
    return lines;
  },
  'turn.started': (state, event) => {
    state.permissionMode = event.binding.permissionMode;
    state.turn = newTurn(event.turnId, event.at, event.limits);
    return [initLine(state, event)];
  },
  'entry.added': (state, event) => {
    if (event.entry.type !== 'assistant' || state.options.includePartialMessages !== true) return [];
    return openStream(state, event.entry);
  },
  'text.delta': showIfAsked,
  'reasoning.delta': showIfAsked,
  'tool_input.delta': showIfAsked,
  'entry.completed': (state, event) => {
    if (event.entry.type === 'message') return messageLine(state, event.entry, event.at);
    if (event.entry.type !== 'assistant') return [];
    state.reply = { entry: event.entry, at: event.at, ...(event.lines === undefined ? {} : { uuids: event.lines }) };
    state.lastReply = event.entry;
    return state.lastUsage?.entryId === event.entry.id ? replyLines(state) : [];
  },
  'entry.discarded': (state, event) => (state.stream?.entryId === event.entryId ? closeStream(state) : []),
  'model.completed': (state, event) => {
    const { turn } = state;
    countUsage(state, event.model, event.usage, event.costUsd);
    state.lastUsage = { entryId: event.entryId, usage: event.usage };
    if (turn !== undefined) {
      turn.requests += 1;
      turn.apiMs += event.durationMs;
      turn.stopReason = event.stopReason;
      if (event.timeToFirstTokenMs !== undefined) turn.timeToFirstTokenMs ??= event.timeToFirstTokenMs;
    }
    return state.reply === undefined ? [] : replyLines(state);
  },
  'model.retried': (state, event) => {
    if (event.usage !== undefined) countUsage(state, event.model ?? '', event.usage, event.costUsd);
    return [event.fallbackModel === undefined ? retryLine(state, event) : fallbackLine(state, event)];
  },
  'tool.requested': (state, event) => {
    const block = state.lastReply?.id === event.entryId ? state.lastReply.content[event.block] : undefined;
    state.turn?.calls.set(event.callId, { input: inputObject(block?.type === 'tool_call' ? block.input : undefined) });
    return [];
  },
  'tool.classified': (state, { model = '', usage, costUsd, durationMs }) => {
    if (usage === undefined) return [];
    countUsage(state, model, usage, costUsd);
    if (state.turn !== undefined) state.turn.apiMs += durationMs;
    return [];
  },
  'tool.decided': (state, event) => {
    const call = state.turn?.calls.get(event.callId);
    if (call === undefined) return [];
    if (event.input !== undefined) call.input = inputObject(event.input);
    if (event.decision === 'deny') {
      call.refusal = { reasonType: event.reasonType, ...(event.reason === undefined ? {} : { reason: event.reason }) };
    }
    return [];
  },
  'tool.completed': toolResultLines,
  'hook.started': hookStartedLines,
  'hook.progress': hookProgressLines,
  'hook.completed': (state, event) => {
    const { model = '', usage, costUsd, durationMs = 0 } = event;
    if (usage !== undefined) {
      countUsage(state, model, usage, costUsd);
      if (state.turn !== undefined) state.turn.apiMs += durationMs;
    }
    return hookCompletedLines(state, event);
  },
  notice: (state, event) => [
    {
      type: 'system',
      subtype: 'informational',
      uuid: deriveUuid(event.id),
      ...session(state),
      content: event.message,
      level: event.level === 'info' ? 'info' : 'warning',
      ...(typeof event.details?.['toolUseId'] === 'string' ? { tool_use_id: event.details['toolUseId'] } : {}),
      ...(event.details?.['preventContinuation'] === true ? { prevent_continuation: true } : {}),
    },
  ],
  'turn.ended': (state, event) => {
    const turn = state.turn ?? newTurn(event.turnId, event.at);
    const lines = [...closeStream(state), ...endLines(state, turn, event)];
    delete state.turn;
    delete state.lastReply;
    return lines;
  },
};

function session(state: ProjectionState) {
  return { session_id: state.options.sessionId };
}

function showIfAsked(state: ProjectionState, delta: Parameters<typeof showDelta>[1]): SDKMessage[] {
  return state.options.includePartialMessages === true ? showDelta(state, delta) : [];
}

function initLine(state: ProjectionState, event: TurnStarted): SDKSystemMessage {
  const { binding } = event;
  const { mcp = binding.mcpServers.map((name) => ({ name, status: 'connected', tools: [] })) } = binding;
  return {
    type: 'system',
    subtype: 'init',
    uuid: messageUuid(event.turnId, 'init'),
    ...session(state),
    agents: [],
    apiKeySource: state.options.apiKeySource ?? 'user',
    claude_code_version: state.options.version ?? '0.0.0',
    cwd: binding.cwd,
    tools: [...(state.options.tools ?? binding.tools), ...mcp.flatMap(({ tools }) => tools)],
    mcp_servers: mcp.map(({ name, status }) => ({ name, status })),
    model: wireModelName(binding.model),
    permissionMode: state.permissionMode,
    slash_commands: [],
    output_style: 'default',
    skills: [],
    plugins: [],
    capabilities: ['interrupt_receipt_v1'],
  };
}

function messageLine(state: ProjectionState, entry: MessageEntry, at: string): SDKMessage[] {
  return entry.role === 'context' && (entry.kind === 'stop_hook_feedback' || entry.kind === 'output_feedback')
    ? [feedbackLine(state, entry, at)]
    : replayLine(state, entry, at);
}

/** Why the model goes on though it was done: the person did not say it. */
function feedbackLine(state: ProjectionState, entry: MessageEntry, at: string): SDKMessage {
  return {
    type: 'user',
    uuid: messageUuid(entry.id, 0),
    ...session(state),
    parent_tool_use_id: null,
    timestamp: at,
    isSynthetic: true,
    message: { role: 'user', content: wireContent(entry.content) },
  };
}

function replayLine(state: ProjectionState, entry: MessageEntry, at: string): SDKMessage[] {
  if (state.options.replayUserMessages !== true || entry.role !== 'user') return [];
  const only = entry.content.length === 1 ? entry.content[0] : undefined;
  return [
    {
      type: 'user',
      uuid: isUuid(entry.messageId) ? entry.messageId : messageUuid(entry.id, 0),
      ...session(state),
      parent_tool_use_id: null,
      timestamp: at,
      isReplay: true,
      message: { role: 'user', content: only?.type === 'text' ? only.text : wireContent(entry.content) },
    },
  ];
}

/** What one attempt used: for the turn, for the session, and for its model. */
function countUsage(state: ProjectionState, model: string, usage: TokenUsage, costUsd = 0): void {
  state.totalCostUsd += costUsd;
  const limits = state.options.modelLimits?.[model];
  const sum = (state.modelUsage[wireModelName(model)] ??= noModelUsage(limits));
  addModelUsage(sum, usage, costUsd);
  if (state.turn !== undefined) addUsage(state.turn.usage, usage);
}

function fallbackLine(state: ProjectionState, event: ModelRetried): SDKMessage {
  return {
    type: 'system',
    subtype: 'model_fallback',
    uuid: deriveUuid(event.id),
    ...session(state),
    trigger: errorName(event.error),
    original_model: wireModelName(event.model ?? ''),
    fallback_model: wireModelName(event.fallbackModel ?? ''),
  };
}

function retryLine(state: ProjectionState, event: ModelRetried): SDKAPIRetryMessage {
  return {
    type: 'system',
    subtype: 'api_retry',
    uuid: deriveUuid(event.id),
    ...session(state),
    attempt: event.attempt,
    max_retries: event.maxRetries,
    retry_delay_ms: event.delayMs,
    error_status: event.status,
    error: errorName(event.error),
  };
}
