import type { AnyEvent, SDKMessage, SessionEvent, TransientEvent } from '@rondo/protocol';
import { countBelow, countRequest, countUsage, msBetween } from './count-usage.ts';
import { hookCompletedLines, hookProgressLines, hookStartedLines } from './hook-lines.ts';
import { initLine } from './init-line.ts';
import { deriveUuid } from './line-uuid.ts';
import { messageLines, originOf } from './message-lines.ts';
import { noticeLines } from './notice-lines.ts';
import { closeStream, openStream, showDelta } from './partial-message.ts';
import { initialProjection, newTurn, type ProjectionOptions, type ProjectionState } from './projection-state.ts';
import { replyLines } from './reply-lines.ts';
import { limitLines, progressLines, requestLines, retryLine } from './request-lines.ts';
import { endLines } from './result-line.ts';
import { stateLines, updateLines } from './session-lines.ts';
import { hiddenThinkingLines, thinkingLines } from './thinking-lines.ts';
import { toolResultLines } from './tool-result-lines.ts';
import { inputObject } from './wire-content.ts';

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
  if (event.sessionId !== state.options.sessionId) {
    countBelow(state, event);
    return [];
  }
  const opening = state.turn?.opening;
  const waiting = state.reply === undefined || event.type === 'model.completed' ? [] : replyLines(state);
  const project =
    event.type === 'unknown' ? undefined : (projectors[event.type] as Projector<ProjectedEvent> | undefined);
  const lines = project === undefined ? [] : project(state, event);
  if (opening !== undefined) return opened(state, event, lines);
  return waiting.length === 0 ? lines : [...waiting, ...lines];
}

/** What happens between a turn's start and its first request, which its beginning is told behind. */
const beforeRequest: ReadonlySet<string> = new Set([
  'hook.started',
  'hook.progress',
  'hook.completed',
  'message.queued',
  'message.cancelled',
]);

/** Lines of a turn of which nothing was shown yet: hooks at once, what was said to it behind its `init`. */
function opened(state: ProjectionState, event: ProjectedEvent, lines: SDKMessage[]): SDKMessage[] {
  if (beforeRequest.has(event.type)) return lines;
  const { turn } = state;
  const held = turn?.opening ?? [];
  if (turn !== undefined && event.type === 'entry.completed' && event.entry.type === 'message') {
    turn.opening = [...held, ...lines];
    return [];
  }
  if (turn !== undefined) delete turn.opening;
  return [...held, ...lines];
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
  'session.updated': updateLines,
  'turn.started': (state, event) => {
    state.permissionMode = event.binding.permissionMode;
    const turn = newTurn(event.turnId, event.at, event.limits);
    turn.opening = [initLine(state, event)];
    state.turn = turn;
    return stateLines(state, event.id, 'running');
  },
  'entry.added': (state, event) => {
    if (event.entry.type !== 'assistant' || state.options.includePartialMessages !== true) return [];
    const { lastRequestAt } = state.turn ?? {};
    return openStream(state, event.entry, lastRequestAt === undefined ? undefined : msBetween(lastRequestAt, event.at));
  },
  'text.delta': showIfAsked,
  'reasoning.delta': (state, event) => {
    const shown = showIfAsked(state, event);
    const told = thinkingLines(state, event);
    return shown.length === 0 ? told : [...shown, ...told];
  },
  'tool_input.delta': showIfAsked,
  'entry.completed': (state, event) => {
    if (event.entry.type === 'message') {
      const origin = event.entry.role === 'user' ? originOf(event.entry.origin) : undefined;
      // The first one of the turn is what the turn is about.
      if (origin !== undefined && state.turn?.isAsked === false) state.turn.origin = origin;
      if (event.entry.role === 'user' && state.turn !== undefined) state.turn.isAsked = true;
      return messageLines(state, event.entry, event.at);
    }
    if (event.entry.type !== 'assistant') return [];
    state.reply = { entry: event.entry, at: event.at, ...(event.lines === undefined ? {} : { uuids: event.lines }) };
    state.lastReply = event.entry;
    const told = hiddenThinkingLines(state, event.entry);
    return state.lastUsage?.entryId === event.entry.id ? [...told, ...replyLines(state)] : told;
  },
  'entry.discarded': (state, event) => (state.stream?.entryId === event.entryId ? closeStream(state) : []),
  'model.requested': (state, event) => {
    if (state.turn !== undefined) {
      state.turn.firstRequestAt ??= event.at;
      state.turn.lastRequestAt = event.at;
    }
    return requestLines(state, event);
  },
  'model.completed': (state, event) => {
    const { turn } = state;
    countUsage(state, event.model, event.usage, event.costUsd);
    state.lastUsage = { entryId: event.entryId, requestId: event.requestId, usage: event.usage };
    if (turn !== undefined) countRequest(turn, event);
    return state.reply === undefined ? [] : replyLines(state);
  },
  'model.retried': (state, event) => {
    if (event.usage !== undefined) countUsage(state, event.model ?? '', event.usage, event.costUsd);
    return [...limitLines(state, event, event.error), retryLine(state, event)];
  },
  'prompt.suggested': (state, { id, model = '', usage, costUsd, suggestion }) => {
    if (usage !== undefined) countUsage(state, model, usage, costUsd);
    if (suggestion === undefined) return [];
    return [{ type: 'prompt_suggestion', uuid: deriveUuid(id), session_id: state.options.sessionId, suggestion }];
  },
  'tool.requested': (state, event) => {
    const block = state.lastReply?.id === event.entryId ? state.lastReply.content[event.block] : undefined;
    const { name, toolCallId } = event;
    const input = inputObject(block?.type === 'tool_call' ? block.input : undefined);
    state.turn?.calls.set(event.callId, { name, toolCallId, input });
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
    const { decision, reasonType, reason } = event;
    call.decision = { allowed: decision === 'allow', reasonType, ...(reason === undefined ? {} : { reason }) };
    return [];
  },
  'tool.progress': progressLines,
  'callback.opened': (state, event) => {
    const { callback } = event;
    const questions = callback.type === 'unknown' ? undefined : state.turn?.questions.add(callback.id);
    return questions?.size === 1 ? stateLines(state, event.id, 'requires_action') : [];
  },
  'callback.resolved': (state, event) => {
    const questions = state.turn?.questions;
    return questions?.delete(event.callbackId) === true && questions.size === 0
      ? stateLines(state, event.id, 'running')
      : [];
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
  notice: noticeLines,
  'turn.ended': (state, event) => {
    const turn = state.turn ?? newTurn(event.turnId, event.at);
    const lines = [...closeStream(state), ...endLines(state, turn, event)];
    lines.unshift(...(turn.opening ?? []));
    delete state.turn;
    delete state.lastReply;
    delete state.thinking;
    return [...lines, ...stateLines(state, event.id, 'idle')];
  },
};

function showIfAsked(state: ProjectionState, delta: Parameters<typeof showDelta>[1]): SDKMessage[] {
  return state.options.includePartialMessages === true ? showDelta(state, delta) : [];
}
