import type { AnyEvent, AssistantEntry, HookCompleted, HookStarted, SessionEvent } from '@rondo/protocol';
import { type HookPoint, hookPoints } from '../hook/loop-hook.ts';
import { SPAWN_TOOL } from '../session/spawn-tool.ts';
import { settledText } from '../turn/settle-turn.ts';
import type { ActiveTurn } from '../event/session-state.ts';
import { callOf } from './recorded-events.ts';
import type { RecordedCall, RecordedCalls } from './recorded-calls.ts';

/** A place of a turn where hooks are told of something. */
export interface HookPlace {
  readonly point: HookPoint;
  /** As runs of hooks are named there. */
  readonly id: string;
  readonly call?: RecordedCall;
  /** What is told of, where it is a reply of the model. Absent where the log does not have it. */
  readonly reply?: RecordedReply;
}

export interface RecordedReply {
  readonly entry: AssistantEntry;
  readonly completed: Extract<SessionEvent, { type: 'model.completed' }>;
}

/** The replies of a piece of a log that are in it whole, by the ID of their entry. */
export function recordedReplies(events: readonly AnyEvent[]): ReadonlyMap<string, RecordedReply> {
  const entries = new Map<string, AssistantEntry>();
  const replies = new Map<string, RecordedReply>();
  for (const event of events) {
    if (event.type === 'entry.completed' && event.entry.type === 'assistant') entries.set(event.entry.id, event.entry);
    if (event.type !== 'model.completed' || event.entryId === undefined) continue;
    const entry = entries.get(event.entryId);
    if (entry !== undefined && entry.aborted !== true) replies.set(entry.id, { entry, completed: event });
  }
  return replies;
}

export interface HookPlaceOptions {
  /** The turn as it is ahead of the event. */
  readonly active: ActiveTurn;
  readonly calls: RecordedCalls;
  readonly replies: ReadonlyMap<string, RecordedReply>;
}

/** The places that a turn has come to where an event of its log is the next, in their order; some perhaps before. */
export function hookPlacesBefore(event: SessionEvent, options: HookPlaceOptions): HookPlace[] {
  const { active, calls, replies } = options;
  const { turnId, modelRequests } = active;
  const start: HookPlace = { point: 'preAgentTurn', id: turnId };
  const request: HookPlace = { point: 'preLlmCall', id: `${turnId}.${modelRequests}` };
  const end: HookPlace = { point: 'postAgentTurn', id: `${turnId}.${modelRequests}` };
  switch (event.type) {
    case 'hook.started':
    case 'hook.completed':
      return placesOfRun(event, { start, request, end }, options);
    case 'model.requested':
      return modelRequests === 0 ? [start, request] : [request];
    case 'entry.completed': {
      const reply = replies.get(event.entry.type === 'assistant' ? event.entry.id : '');
      return reply === undefined ? [] : [replyPlace(reply.entry.id, options)];
    }
    case 'turn.ended':
      return isJudgedEnd(event) ? [end] : [];
    default: {
      const call = calls.all.get(callOf(event) ?? '');
      return call === undefined ? [] : placesOfCall(event, call);
    }
  }
}

interface TurnPlaces {
  readonly start: HookPlace;
  readonly request: HookPlace;
  readonly end: HookPlace;
}

function placesOfRun(
  { event: point, hookId, name, callId = '' }: HookStarted | HookCompleted,
  { start, request, end }: TurnPlaces,
  options: HookPlaceOptions,
): HookPlace[] {
  switch (hookPoints.find((known) => known === point)) {
    case 'preAgentTurn':
      return [start];
    case 'preLlmCall':
      return options.active.modelRequests === 0 ? [start, request] : [request];
    case 'postLlmCall':
      return [replyPlace(hookId.slice('postLlmCall/'.length, -name.length - 1), options)];
    case 'preToolCall':
    case 'postToolCall': {
      const call = options.calls.all.get(callId);
      return call === undefined ? [] : [{ point: point as HookPoint, id: callId, call }];
    }
    case 'postAgentTurn':
      return [end];
    case undefined:
      return [];
  }
}

function replyPlace(entryId: string, { replies }: HookPlaceOptions): HookPlace {
  const reply = replies.get(entryId);
  return { point: 'postLlmCall', id: entryId, ...(reply === undefined ? {} : { reply }) };
}

function placesOfCall(event: SessionEvent, call: RecordedCall): HookPlace[] {
  const { callId: id } = call;
  const isDecided = event.type === 'tool.decided' || event.type === 'callback.opened';
  if (isDecided) return [{ point: 'preToolCall', id, call }];
  return event.type === 'tool.completed' && hasRun(call) ? [{ point: 'postToolCall', id, call }] : [];
}

/** Whether it ran to its end, so that hooks were told what it gave. Whoever settles a turn tells none. */
function hasRun({ started, completed }: RecordedCall): boolean {
  if (started === undefined || completed === undefined) return false;
  const { outcome, content, name, durationMs } = completed;
  if (outcome !== 'success' && outcome !== 'error') return false;
  const [first] = content;
  const isSettled = first?.type === 'text' && first.text.startsWith(settledText);
  return !isSettled && (name !== SPAWN_TOOL || durationMs !== undefined);
}

function isJudgedEnd({ record }: Extract<SessionEvent, { type: 'turn.ended' }>): boolean {
  return record.type === 'completed' && record.terminalReason !== 'hook_stopped';
}
