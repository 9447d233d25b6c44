import type {
  AgentCustomization,
  AnyEvent,
  ContentBlock,
  JsonObject,
  HookCompleted,
  HookStarted,
  ModelBlock,
  SessionBranched,
  SessionEvent,
  Termination,
  ToolCallBlock,
} from '@rondo/protocol';
import { branch } from './branch.ts';
import type { ConversationItem } from './conversation.ts';
import { placedCallback } from './placed-callback.ts';
import { quarantineKeys } from './quarantine-notice.ts';
import { rejectedReasoningModel } from './rejected-reasoning-notice.ts';
import { addImported } from './imported-history.ts';
import type { ActiveTurn, SessionState } from './session-state.ts';

const KEPT_RECORDS = 8;

type Applier<Event> = (state: SessionState, event: Event) => void;
type Appliers = { readonly [Type in SessionEvent['type']]: Applier<Extract<SessionEvent, { type: Type }>> };

/**
 * The one writer of session state. Live work, resume, recovery, replay and fork all come through here, so a state is
 * always what the log says. An event of an unknown type moves the position and changes nothing else.
 */
export function applyEvent(state: SessionState, event: AnyEvent): void {
  if (event.seq <= state.seq) return;
  state.seq = event.seq;
  state.updatedAt = event.at;
  if (event.sessionId === state.sessionId) state.cursor = event.id;
  if (event.type === 'unknown' || event.sessionId !== state.sessionId) return;
  if (state.active?.limits.maxDurationMs !== undefined) measureWork(state, state.active, event);
  const apply = appliers[event.type] as Applier<SessionEvent>;
  apply(state, event);
}

/** Time goes by for a turn while it is neither blocked nor in nobody's hands. */
function measureWork(state: SessionState, turn: ActiveTurn, event: SessionEvent): void {
  const at = Date.parse(event.at);
  const works = !turn.blocked && event.type !== 'session.acquired' && !state.parked.has(turn.turnId);
  if (works) turn.workedMs += Math.max(0, at - turn.measuredAt);
  turn.measuredAt = at;
}

const nothing = (): void => {};

/** A policy that changed while a turn is at work is the one that whoever goes on with the turn has to have. */
function followPolicy(state: SessionState, details: JsonObject | undefined): void {
  const policyHash = details?.['policyHash'];
  const isChange = details?.['status'] === 'settings_changed' || details?.['status'] === 'permissions_saved';
  if (isChange && typeof policyHash === 'string' && state.active !== undefined)
    state.active.binding = { ...state.active.binding, policyHash };
}

const appliers: Appliers = {
  'session.created': (state, event) => {
    state.createdAt = event.at;
    state.binding = event.binding;
    if (event.spawnedBy !== undefined) state.spawnedBy = event.spawnedBy;
    if (event.title !== undefined) state.title = event.title;
    if (event.inputs !== undefined) state.inputs = event.inputs;
    customize(state, event.customization);
  },
  'session.acquired': (state, event) => {
    state.epoch = event.epoch;
    state.parked.clear();
  },
  'session.updated': (state, event) => {
    if (event.status === 'terminated') terminate(state, event.termination);
    if (event.title !== undefined) state.title = event.title;
    if (event.tag === null) delete state.tag;
    else if (event.tag !== undefined) state.tag = event.tag;
    if (event.archived !== undefined) state.archived = event.archived;
    customize(state, event.customization);
    if (event.permissions !== undefined) state.permissions.push(...event.permissions);
  },
  'session.branched': (state, { from }) => {
    if (branch(state.conversation, state.leftBehind, isPlace(from))) recallConversation(state);
  },
  'turn.started': (state, event) => {
    state.turns.set(event.turnId, { startSeq: event.seq });
    state.lastTurnId = event.turnId;
    state.lastTurnAt = event.at;
    if (state.binding !== undefined)
      state.binding = { ...state.binding, model: event.binding.model, hooks: event.binding.hooks };
    state.active = {
      turnId: event.turnId,
      startedAt: event.at,
      startSeq: event.seq,
      binding: event.binding,
      limits: event.limits ?? {},
      ...(event.customization === undefined ? {} : { customization: event.customization }),
      calls: new Map(),
      toolCalls: [],
      usage: [],
      modelRequests: 0,
      costUsd: 0,
      text: '',
      blocked: false,
      unanswered: [],
      hookRuns: new Map(),
      hookRetries: 0,
      workedMs: 0,
      measuredAt: Date.parse(event.at),
    };
    if (event.idempotencyKey !== undefined && event.contentHash !== undefined) {
      state.keys.set(event.idempotencyKey, {
        contentHash: event.contentHash,
        messageId: event.messageId ?? event.id,
        turnId: event.turnId,
        started: true,
      });
    }
  },
  'turn.updated': (state, event) => {
    const turn = activeTurn(state, event.turnId);
    if (turn === undefined) return;
    turn.blocked = event.status === 'blocked';
    state.parked.delete(event.turnId);
  },
  'turn.ended': (state, event) => {
    const place = state.turns.get(event.turnId);
    if (place !== undefined) place.endSeq = event.seq;
    state.lastTurnAt = event.at;
    const record = event.record;
    if (record.type !== 'running' && record.type !== 'blocked') state.records.set(event.turnId, record);
    if (state.records.size > KEPT_RECORDS) {
      const oldest = state.records.keys().next().value;
      if (oldest !== undefined) state.records.delete(oldest);
    }
    state.parked.delete(event.turnId);
    if (state.active?.turnId === event.turnId) delete state.active;
    for (const [id, callback] of state.callbacks) {
      if (callback.turnId !== event.turnId) continue;
      state.callbacks.delete(id);
      state.settledCallbacks.add(id);
    }
  },
  'entry.added': (state, event) => {
    const turn = activeTurn(state, event.turnId);
    if (turn !== undefined && event.entry.type === 'assistant') turn.openEntryId = event.entry.id;
  },
  'entry.completed': (state, event) => {
    const { entry, turnId } = event;
    if (entry.type === 'message') {
      if (entry.role === 'system') {
        state.systemMessages.push(textOf(entry.content));
        return;
      }
      state.conversation.push({ kind: 'message', entry, seq: event.seq });
      if (entry.role === 'context' && entry.kind === 'environment') state.environment = textOf(entry.content);
      if (entry.role === 'user') {
        state.firstPrompt ??= textOf(entry.content).slice(0, 200);
        if (turnId !== undefined) activeTurn(state, turnId)?.unanswered.push(entry.id);
        if (removeQueued(state, entry.messageId) && turnId !== undefined) joinKeyed(state, entry.messageId, turnId);
      }
      return;
    }
    if (turnId === undefined) addImported(state.conversation, entry);
    if (entry.type !== 'assistant' || turnId === undefined) return;
    state.conversation.push({ kind: 'assistant', entry, seq: event.seq });
    const turn = activeTurn(state, turnId);
    if (turn === undefined) return;
    delete turn.openEntryId;
    turn.hookRetries = 0;
    turn.unanswered.length = 0;
    turn.text = textOf(entry.content);
    for (const block of entry.content) {
      if (block.type === 'tool_call') turn.toolCalls.push(toolCallOf(block));
    }
  },
  'entry.discarded': (state, event) => {
    const turn = activeTurn(state, event.turnId);
    if (turn?.openEntryId === event.entryId) delete turn.openEntryId;
    const index = state.conversation.findIndex((item) => item.kind !== 'result' && item.entry.id === event.entryId);
    const [taken] = index < 0 ? [] : state.conversation.splice(index, 1);
    if (turn === undefined || taken === undefined) return;
    if (taken.kind === 'assistant') turn.text = '';
    const place = turn.unanswered.indexOf(event.entryId);
    if (place >= 0) turn.unanswered.splice(place, 1);
  },
  'message.queued': (state, event) => {
    const { messageId, delivery, content, limits, origin, seq } = event;
    state.queue.push({
      messageId,
      delivery,
      content,
      seq,
      ...(limits === undefined ? {} : { limits }),
      ...(origin === undefined ? {} : { origin }),
    });
    if (event.idempotencyKey !== undefined && event.contentHash !== undefined) {
      state.keys.set(event.idempotencyKey, {
        contentHash: event.contentHash,
        messageId: event.messageId,
        ...(event.turnId === undefined ? {} : { turnId: event.turnId }),
        started: false,
      });
    }
  },
  'message.cancelled': (state, event) => {
    removeQueued(state, event.messageId);
    // It was never said, so that its key can be used for what is said instead.
    for (const [key, { messageId }] of state.keys) if (messageId === event.messageId) state.keys.delete(key);
  },
  'callback.opened': (state, event) => {
    const callback = placedCallback(event.callback, event.seq);
    const id = callback.type === 'unknown' ? unknownCallbackId(callback.raw) : callback.id;
    if (id === undefined) return;
    state.callbacks.set(id, { callback, turnId: event.turnId, settled: false });
    if (callback.type !== 'approval') return;
    const call = activeTurn(state, event.turnId)?.calls.get(callback.request.callId);
    if (call !== undefined) call.callbackId = id;
  },
  'callback.resolved': (state, event) => {
    const known = state.callbacks.get(event.callbackId);
    if (known === undefined) return;
    known.settled = true;
    if (event.answer !== undefined) known.answer = event.answer;
  },
  notice: (state, event) => {
    for (const key of quarantineKeys(event.details)) state.quarantined.add(key);
    rejectReasoning(state, rejectedReasoningModel(event));
    followPolicy(state, event.details);
    if (event.details?.['status'] === 'unwritten_permissions') state.permissionsSaved = state.permissions.length;
    if (event.details?.['status'] === 'permissions_saved') state.permissionsSaved = Number(event.details['saved']);
    if (event.details?.['status'] !== 'parked' || event.turnId === undefined) return;
    const missing = event.details['missing'];
    state.parked.set(event.turnId, Array.isArray(missing) ? missing.filter((name) => typeof name === 'string') : []);
  },
  'tool.requested': (state, event) => {
    activeTurn(state, event.turnId)?.calls.set(event.callId, {
      callId: event.callId,
      toolCallId: event.toolCallId,
      name: event.name,
      entryId: event.entryId,
      block: event.block,
      status: 'requested',
    });
  },
  'tool.classified': (state, event) => {
    const { decision, reason, inputHash } = event;
    const turn = activeTurn(state, event.turnId);
    const call = turn?.calls.get(event.callId);
    if (call !== undefined) call.verdict = { decision, reason, inputHash };
    pay(state, turn, event);
  },
  'tool.decided': (state, event) => {
    const call = activeTurn(state, event.turnId)?.calls.get(event.callId);
    if (call === undefined) return;
    call.status = event.decision === 'allow' ? 'allowed' : 'denied';
    if (event.input !== undefined) call.input = event.input;
    if (event.decision === 'deny' && event.reason !== undefined) call.denial = event.reason;
  },
  'tool.started': (state, event) => {
    const call = activeTurn(state, event.turnId)?.calls.get(event.callId);
    if (call === undefined) return;
    call.status = 'started';
    call.effect = event.effect;
    if (event.prepared !== undefined) call.prepared = event.prepared;
  },
  'tool.completed': (state, event) => {
    const call = activeTurn(state, event.turnId)?.calls.get(event.callId);
    const entryId = call?.entryId ?? event.callId.slice(0, event.callId.lastIndexOf('#'));
    if (call !== undefined) call.status = 'completed';
    forgetHookRuns(state.active, `/${event.callId}/`);
    state.conversation.push({ kind: 'result', entryId, result: event, seq: event.seq });
    if (event.remembered !== undefined) state.remembered = merged(state.remembered, event.remembered);
  },
  'hook.started': (state, event) => {
    if (event.event === 'SessionStart') state.sessionStart = { epoch: state.epoch, turnId: event.turnId };
    const turn = activeTurn(state, event.turnId);
    if (turn?.hookRuns.has(event.hookId) === false)
      turn.hookRuns.set(event.hookId, { startedAt: Date.parse(event.at), ...background(event) });
  },
  'hook.completed': (state, event) => {
    const { hookId, name, event: point, outcome } = event;
    if (event.state === null) state.hookStates.delete(name);
    else if (event.state !== undefined) state.hookStates.set(name, event.state);
    const turn = activeTurn(state, event.turnId);
    pay(state, turn, event);
    if (turn === undefined) return;
    const startedAt = turn.hookRuns.get(hookId)?.startedAt ?? Date.parse(event.at);
    turn.hookRuns.set(hookId, { startedAt, outcome, ...background(event) });
    if (outcome['type'] === 'retry') turn.hookRetries += 1;
    if (outcome['ends'] === true) turn.hookEnding = { hook: name, point, outcome };
  },
  'model.requested': (state, event) => {
    const turn = activeTurn(state, event.turnId);
    if (turn !== undefined) turn.openRequestId = event.requestId;
  },
  'model.completed': (state, event) => {
    state.totalCostUsd += event.costUsd ?? 0;
    const turn = activeTurn(state, event.turnId);
    if (turn === undefined) return;
    delete turn.openRequestId;
    forgetHookRuns(turn, `/${event.entryId}/`);
    forgetHookRuns(turn, `/${event.turnId}.${turn.modelRequests}/`);
    turn.modelRequests += 1;
    if (event.stopDetails === undefined) delete turn.stopDetails;
    else turn.stopDetails = event.stopDetails;
    turn.costUsd += event.costUsd ?? 0;
    turn.usage.push({ ...event.usage, model: event.model });
  },
  'model.retried': (state, event) => {
    const turn = activeTurn(state, event.turnId);
    if (turn !== undefined && event.fallbackModel !== undefined) turn.fallbackModel = event.fallbackModel;
    pay(state, turn, event);
  },
  'prompt.suggested': (state, event) => {
    pay(state, activeTurn(state, event.turnId), event);
  },
  'task.started': nothing,
  'task.updated': nothing,
  'task.ended': nothing,
  'context.compacted': nothing,
  'file.checkpointed': nothing,
};

/** What an event beside a reply says that a model was paid for. */
function pay(
  state: SessionState,
  turn: ActiveTurn | undefined,
  { model, usage, costUsd = 0 }: Pick<HookCompleted, 'model' | 'usage' | 'costUsd'>,
): void {
  if (usage === undefined) return;
  state.totalCostUsd += costUsd;
  if (turn === undefined) return;
  turn.costUsd += costUsd;
  turn.usage.push({ ...usage, ...(model === undefined ? {} : { model }) });
}

function background(event: HookStarted | HookCompleted): { readonly background?: true } {
  return event.background === true ? { background: true } : {};
}

function customize(state: SessionState, customization: AgentCustomization | undefined): void {
  if (customization === undefined) return;
  if (Object.keys(customization).length === 0) delete state.customization;
  else state.customization = customization;
}

/** What the model says from now on may be taken back again: it was made without what was rejected. */
function rejectReasoning({ conversation, rejectedReasoning }: SessionState, model: string | undefined): void {
  if (model === undefined) return;
  for (const item of conversation)
    if (item.kind === 'assistant' && item.entry.model === model) rejectedReasoning.add(item.entry.id);
}

/** True for the item that a branch goes on from. */
export function isPlace({ entryId, callId }: SessionBranched['from']): (item: ConversationItem) => boolean {
  return (item) => (item.kind === 'result' ? item.result.callId === callId : item.entry.id === entryId);
}

/** Knows again what follows from the conversation, where another one took its place. */
function recallConversation(state: SessionState): void {
  state.remembered = {};
  delete state.environment;
  for (const item of state.conversation) {
    if (item.kind === 'result' && item.result.remembered !== undefined)
      state.remembered = merged(state.remembered, item.result.remembered);
    if (item.kind === 'message' && item.entry.role === 'context' && item.entry.kind === 'environment')
      state.environment = textOf(item.entry.content);
  }
}

function activeTurn(state: SessionState, turnId: string): ActiveTurn | undefined {
  return state.active?.turnId === turnId ? state.active : undefined;
}

/** Of a place that the turn does not come back to. */
function forgetHookRuns(turn: ActiveTurn | undefined, place: string): void {
  if (turn === undefined || turn.hookRuns.size === 0) return;
  for (const hookId of turn.hookRuns.keys()) if (hookId.includes(place)) turn.hookRuns.delete(hookId);
}

/** Nothing more is said in it, so that no model is sent what was. */
function terminate(state: SessionState, termination: Termination | undefined): void {
  state.terminated = true;
  if (termination !== undefined) state.termination = termination;
  state.conversation.length = 0;
  state.leftBehind.length = 0;
  state.queue.length = 0;
}

function removeQueued(state: SessionState, messageId: string | undefined): boolean {
  const index = state.queue.findIndex((message) => message.messageId === messageId);
  if (index >= 0) state.queue.splice(index, 1);
  return index >= 0;
}

/** The turn that a message was meant for may have ended without it; what counts is where it was said. */
function joinKeyed(state: SessionState, messageId: string | undefined, turnId: string): void {
  for (const keyed of state.keys.values()) {
    if (keyed.messageId === messageId) keyed.turnId = turnId;
  }
}

function toolCallOf(block: ToolCallBlock) {
  return { id: block.toolCallId, name: block.name, arguments: block.input };
}

/** The text blocks of a message, joined. */
export function textOf(content: readonly (ContentBlock | ModelBlock)[]): string {
  let text = '';
  for (const block of content) if (block.type === 'text') text += block.text;
  return text;
}

function merged(base: SessionState['remembered'], changes: SessionState['remembered']): SessionState['remembered'] {
  const result = { ...base, ...changes };
  for (const key of Object.keys(changes)) if (changes[key] === null) delete result[key];
  return result;
}

function unknownCallbackId(raw: unknown): string | undefined {
  return typeof raw === 'object' && raw !== null && 'id' in raw && typeof raw.id === 'string' ? raw.id : undefined;
}
