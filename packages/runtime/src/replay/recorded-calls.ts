import type {
  AnyEvent,
  AssistantEntry,
  JsonObject,
  JsonValue,
  SessionEvent,
  ToolCallBlock,
  ToolEffect,
} from '@rondo/protocol';
import { canonicalJson } from '@rondo/protocol/values';
import { callOf } from './recorded-events.ts';

type EventOf<Type extends SessionEvent['type']> = Extract<SessionEvent, { type: Type }>;

/** What a log knows of one call of a tool. */
export interface RecordedCall {
  readonly callId: string;
  readonly name: string;
  /** The reply that it is in, and where. */
  readonly entryId: string;
  readonly place: number;
  readonly block: ToolCallBlock;
  /** Hooks were asked whether it may run, before a person was. */
  readonly hooksAsked?: boolean;
  /** Where a hook was first told of it. */
  readonly hookedAt?: number;
  readonly requested?: EventOf<'tool.requested'>;
  /** What the classifier said of it last. */
  readonly classified?: EventOf<'tool.classified'>;
  readonly decided?: EventOf<'tool.decided'>;
  readonly started?: EventOf<'tool.started'>;
  readonly completed?: EventOf<'tool.completed'>;
  /** The question whether it may run, and what was answered. */
  readonly opened?: EventOf<'callback.opened'>;
  readonly resolved?: EventOf<'callback.resolved'>;
}

export interface RecordedCalls {
  readonly all: ReadonlyMap<string, RecordedCall>;
  /** The call whose arguments these are: as the model wrote them, as they were decided on, or as an answer has them. */
  byInput(input: JsonValue): RecordedCall | undefined;
}

type Draft = { -readonly [Key in keyof RecordedCall]: RecordedCall[Key] };

/** @param before a reply of an earlier turn, whose calls may have been left for this one */
export function recordedCalls(events: readonly AnyEvent[], before?: AssistantEntry): RecordedCalls {
  const all = new Map<string, Draft>();
  const ofInput = new WeakMap<object, string>();
  /** Hooks put copies in place. */
  const ofText = new Map<string, string>();
  const ofCallback = new Map<string, string>();
  const owns = (input: JsonValue | undefined, callId: string): void => {
    if (typeof input === 'object' && input !== null) ofInput.set(input, callId);
  };
  const addReply = (entry: AssistantEntry): void => {
    for (const [index, block] of entry.content.entries()) {
      if (block.type !== 'tool_call') continue;
      const callId = `${entry.id}#${index}`;
      all.set(callId, { callId, name: block.name, entryId: entry.id, place: index, block });
      owns(block.input, callId);
    }
  };
  if (before !== undefined) addReply(before);
  for (const event of events) {
    if (event.type === 'entry.completed' && event.entry.type === 'assistant') {
      addReply(event.entry);
      continue;
    }
    if (event.type === 'callback.resolved') {
      const call = all.get(ofCallback.get(event.callbackId) ?? '');
      if (call === undefined) continue;
      call.resolved = event;
      if (event.answer?.type === 'allow') owns(event.answer.updatedInput, call.callId);
      continue;
    }
    const call = all.get(callOf(event) ?? '');
    if (call === undefined) continue;
    if (event.type === 'hook.started') {
      call.hookedAt ??= event.seq;
      if (event.event === 'PermissionRequest' && event.background !== true) call.hooksAsked = true;
    } else if (event.type === 'tool.requested') call.requested = event;
    else if (event.type === 'tool.classified') call.classified = event;
    else if (event.type === 'tool.started') call.started = event;
    else if (event.type === 'tool.completed') call.completed = event;
    else if (event.type === 'tool.decided') {
      call.decided = event;
      owns(event.input, call.callId);
      if (event.input !== undefined) ofText.set(canonicalJson(event.input), call.callId);
    } else if (event.type === 'callback.opened' && event.callback.type === 'approval') {
      call.opened = event;
      ofCallback.set(event.callback.id, call.callId);
      owns(event.callback.request.input, call.callId);
    }
  }
  return {
    all,
    byInput(input) {
      if (typeof input !== 'object' || input === null) return undefined;
      return all.get(ofInput.get(input) ?? ofText.get(canonicalJson(input)) ?? '');
    },
  };
}

/** Refused before anybody judged it: there was no such tool, or the arguments did not fit it. */
export function isUnusable({ block, decided, started, opened, completed }: RecordedCall): boolean {
  if (block.malformed !== undefined || decided !== undefined || started !== undefined || opened !== undefined)
    return false;
  return completed?.outcome === 'error';
}

/** Stopped between its permission and its start. */
export function isAllowedOnly({ decided, started, completed }: RecordedCall): boolean {
  return decided !== undefined && started === undefined && completed?.outcome === 'not_started';
}

/** The arguments that were judged, as far as the log has them: defaults of a tool that it filled in are not there. */
export function judgedInput({ block, opened }: RecordedCall): JsonValue {
  const { callback } = opened ?? {};
  return callback?.type === 'approval' ? (callback.request.input as JsonObject) : block.input;
}

/**
 * A call that never started does not say what it would have done. One that only reads is judged at once with those beside
 * it, and any other by itself; so the order of their events tells.
 */
export function effectOf(call: RecordedCall, { all }: RecordedCalls): ToolEffect {
  if (call.started !== undefined) return call.started.effect;
  for (const other of all.values()) {
    if (other === call || other.entryId !== call.entryId) continue;
    const [before, after] = other.place < call.place ? [other, call] : [call, other];
    if (beginOf(after) < endOf(before)) return 'none';
  }
  return 'once';
}

/** Whether calls of the tool were not ready at once, as they are not where session inputs are checked for them. */
export function isReadyLater(name: string, { all }: RecordedCalls): boolean {
  const hooked = [...all.values()].filter(({ hookedAt }) => hookedAt !== undefined);
  const isBehind = (call: RecordedCall): boolean =>
    hooked.some(
      (other) =>
        other.entryId === call.entryId && other.place > call.place && (other.hookedAt ?? 0) < (call.hookedAt ?? 0),
    );
  return hooked.some((call) => call.name === name && isBehind(call));
}

const beginOf = ({ hookedAt, decided, opened, started, completed }: RecordedCall): number =>
  Math.min(
    ...[hookedAt, decided?.seq, opened?.seq, started?.seq, completed?.seq].map(
      (seq) => seq ?? Number.POSITIVE_INFINITY,
    ),
  );

const endOf = ({ completed }: RecordedCall): number => completed?.seq ?? Number.POSITIVE_INFINITY;
