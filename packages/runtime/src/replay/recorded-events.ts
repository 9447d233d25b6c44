import type { AnyEvent, SessionEvent } from '@rondo/protocol';
import type { EventDraft } from '../event/event-draft.ts';
import { quarantineKeys } from '../event/quarantine-notice.ts';
import { rejectedReasoningModel } from '../event/rejected-reasoning-notice.ts';

type EventOf<Type extends SessionEvent['type']> = Extract<SessionEvent, { type: Type }>;

/**
 * Whether the turn itself says it, so that a replay says it again. Everything else came from outside (messages, answers,
 * other processes) and is taken from the log.
 */
export function isLoopEvent(event: AnyEvent): boolean {
  switch (event.type) {
    case 'entry.completed':
      return event.entry.type === 'assistant' || isOfTurn(event);
    case 'callback.resolved':
      return event.resolution === 'closed';
    case 'turn.updated':
      return event.status === 'blocked';
    case 'notice':
      if (event.details?.['hookEvent'] === 'ConfigChange') return false;
      if (event.details?.['hookEvent'] !== undefined) return event.details['background'] !== true;
      return rejectedReasoningModel(event) !== undefined || quarantineKeys(event.details).length > 0;
    case 'hook.started':
    case 'hook.completed':
      // A file was changed by somebody, which a replay cannot have happen.
      return event.background !== true && event.event !== 'ConfigChange';
    case 'entry.added':
    case 'entry.discarded':
    case 'turn.ended':
    case 'callback.opened':
    case 'tool.requested':
    case 'tool.decided':
    case 'tool.started':
    case 'tool.completed':
    case 'model.requested':
    case 'model.completed':
    case 'model.retried':
      return true;
    default:
      return false;
  }
}

/** A message that joins, one that a hook put in place, or what it has to say. */
function isOfTurn({ entry, turnId }: EventOf<'entry.completed'>): boolean {
  if (turnId === undefined || entry.type !== 'message') return false;
  return entry.role === 'user' || (entry.role === 'context' && saidByHooks.has(entry.kind ?? ''));
}

const saidByHooks: ReadonlySet<string> = new Set([
  'hook_feedback',
  'hook_context',
  'stop_hook_feedback',
  'output_feedback',
]);

function isStoppedCall(event: AnyEvent): event is EventOf<'tool.completed'> {
  if (event.type !== 'tool.completed') return false;
  return event.outcome === 'interrupted' || event.outcome === 'not_started';
}

/** The call that an event is about. */
export function callOf(event: AnyEvent | undefined): string | undefined {
  if (event === undefined || event.type === 'unknown') return undefined;
  if (event.type !== 'callback.opened') return 'callId' in event ? event.callId : undefined;
  const { callback } = event;
  if (callback.type === 'approval') return callback.request.callId;
  if (callback.type === 'client_tool') return callback.call.callId;
  return callback.type === 'sign_in' ? callback.callId : undefined;
}

/** Facts of a reply and of what it asks for wait for what follows from them, and are stored with it. */
export function isHeldBack(event: AnyEvent): boolean {
  if (event.type === 'entry.completed') return event.entry.type === 'assistant';
  return event.type === 'model.completed' || event.type === 'tool.requested';
}

/** A piece of a session's log, mostly a turn with what came before it, and how far its replay is. */
export interface RecordedEvents {
  readonly all: readonly AnyEvent[];
  place(): number;
  current(): AnyEvent | undefined;
  advance(): void;
  /** What the turn says from here on, in order, until another owner takes the session or another turn begins. */
  ahead(): Generator<SessionEvent, void>;
  next(): SessionEvent | undefined;
  /**
   * The next one, for what the turn says now. Of calls that are stopped at once, which one is told of first is chance:
   * one that stands further on is said early.
   */
  nextFor(said: EventDraft): SessionEvent | undefined;
  /** Whether it was said before its place: it takes it without being said again. */
  isEarly(event: AnyEvent | undefined): boolean;
  /** The next one behind what is held back. */
  following(): SessionEvent | undefined;
  /** The events of a call from here on. */
  ofCall(callId: string): readonly SessionEvent[];
  /** An ID that the turn makes now, as it was made then; undefined where none was stored. */
  takeId(): string | undefined;
}

export function createRecordedEvents(all: readonly AnyEvent[]): RecordedEvents {
  let place = 0;
  const taken = new Set<string>();
  const early = new Set<AnyEvent>();

  function* ahead(): Generator<SessionEvent, void> {
    for (let index = place; index < all.length; index += 1) {
      const event = all[index];
      if (event === undefined || event.type === 'session.acquired' || event.type === 'turn.started') return;
      // A question below blocks the turn as well, and its turn does not say so.
      const isFromBelow = event.type === 'turn.updated' && all[index - 1]?.type !== 'callback.opened';
      if (event.type !== 'unknown' && isLoopEvent(event) && !isFromBelow && !early.has(event)) yield event;
    }
  }

  function following(): SessionEvent | undefined {
    for (const event of ahead()) if (!isHeldBack(event)) return event;
    return undefined;
  }

  function next(): SessionEvent | undefined {
    for (const event of ahead()) return event;
    return undefined;
  }

  return {
    all,
    place: () => place,
    current: () => all[place],
    advance() {
      place += 1;
    },
    ahead,
    next,
    nextFor(said) {
      const first = next();
      if (said.type !== 'tool.completed' || first === undefined || !isStoppedCall(first)) return first;
      for (const event of ahead()) {
        if (!isStoppedCall(event)) break;
        if (event.callId !== said.callId) continue;
        if (event !== first) early.add(event);
        return event;
      }
      return first;
    },
    isEarly: (event) => event !== undefined && early.has(event),
    following,
    ofCall(callId) {
      const events: SessionEvent[] = [];
      for (const event of all.slice(place))
        if (event.type !== 'unknown' && callOf(event) === callId) events.push(event);
      return events;
    },
    takeId() {
      for (const event of ahead()) {
        if (isHeldBack(event) || event.type === 'notice') continue;
        // What follows from a hook's decision is made before it, and stored with it.
        if (event.type === 'hook.completed' || event.type === 'entry.discarded') continue;
        const id = madeId(event);
        if (id === undefined) return undefined;
        if (!taken.has(id)) {
          taken.add(id);
          return id;
        }
        // Of messages that join together, each has its own.
        if (event.type !== 'entry.completed') return undefined;
      }
      return undefined;
    },
  };
}

/** The ID that came into being for an event. */
function madeId(event: SessionEvent): string | undefined {
  switch (event.type) {
    case 'model.requested':
      return event.requestId;
    case 'entry.added':
    case 'entry.completed':
      return event.entry.type === 'unknown' ? undefined : event.entry.id;
    case 'callback.opened':
      return event.callback.type === 'unknown' ? undefined : event.callback.id;
    default:
      return undefined;
  }
}
