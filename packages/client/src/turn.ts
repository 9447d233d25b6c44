import type { AnswerOutcome, AnyEvent, MethodResult, StreamEvent, TurnRecord } from '@rondo/protocol';
import { answerCallback } from './answer/answer-callback.ts';
import type { Answer } from './answer/answer.ts';
import type { RequestOptions } from './connection/connection.ts';
import { type TurnInput, turnContent } from './content/turn-content.ts';
import type { EventsOptions } from './stream/session-events.ts';
import { turnEvents } from './stream/turn-events.ts';
import { addressTurn } from './turn-address.ts';
import { waitForTurn, type WaitOptions } from './wait/wait-for-turn.ts';
import type { Place } from './place.ts';

/** Names a message and makes sending it again safe. */
export interface MessageOptions extends RequestOptions {
  /** The same key with the same content does what it did the first time. */
  readonly idempotencyKey?: string;
  /** The caller's own ID for the message. */
  readonly messageId?: string;
}

/** The turn is no longer the active one; nothing was applied. `turn` is the active one, where there is one. */
export interface TurnConflict {
  readonly type: 'turnConflict';
  readonly turn?: Turn;
}

/** A handle on a turn. Having one sends nothing and keeps nothing alive. */
export interface Turn {
  readonly type: 'turn';
  readonly id: string;
  /** Equal for equal handles, for sets and maps. */
  readonly key: string;
  /** True when the send that returned this handle started the turn, false when it joined, null for any other handle. */
  readonly started: boolean | null;
  equals(other: Turn): boolean;
  /** The turn as it is now. Never waits for it. @throws RondoError `turn.not_found`. */
  get(options?: RequestOptions): Promise<TurnRecord>;
  /** Waits until the turn has ended or a question opened after `after` blocks it. Leaving the wait stops nothing. */
  result(options?: WaitOptions): Promise<TurnRecord>;
  /** The turn's events up to its `turn.ended`. Leaving the iteration stops nothing. */
  events(options?: EventsOptions & { readonly deltas?: false }): AsyncIterable<AnyEvent>;
  events(options: EventsOptions): AsyncIterable<StreamEvent>;
  /** Adds a message to this turn while it is at work. */
  steer(content: TurnInput, options?: MessageOptions): Promise<Turn | TurnConflict>;
  /**
   * Answers any open question of the session by its ID.
   * @throws TypeError for an ID that is no UUID. @throws RondoError `answer.unfit`. Nothing is sent in either case.
   */
  answer(callbackId: string, answer: Answer): Promise<AnswerOutcome>;
  /** Stops the turn; the session stays open. Resolves when the turn has ended. */
  interrupt(options?: RequestOptions): Promise<Turn | TurnConflict>;
}

export interface TurnOrigin {
  readonly started: boolean | null;
  /** The host named the turn in an answer. */
  readonly isAccepted: boolean;
}

export function createTurn(place: Place, turnId: string, origin: TurnOrigin): Turn {
  if (typeof turnId !== 'string' || turnId === '') throw new TypeError('a turn is named by its ID, a string');
  const { connection, sessionId } = place;
  const key = `${place.key}/${turnId}`;
  const address = addressTurn({ connection, sessionId, turnId, isAccepted: origin.isAccepted });

  /** Nothing else of this turn comes from a send, so its `started` is null. */
  function outcome(result: MethodResult<'turn/steer'>): Turn | TurnConflict {
    if (result.type === 'accepted') return createTurn(place, result.turnId, { started: null, isAccepted: true });
    if (result.turnId === undefined) return Object.freeze({ type: 'turnConflict' });
    return Object.freeze({
      type: 'turnConflict',
      turn: createTurn(place, result.turnId, { started: null, isAccepted: true }),
    });
  }

  return {
    type: 'turn',
    id: turnId,
    key,
    started: origin.started,
    equals: (other) => other.key === key,
    get: (options) => address.read(options),
    result: (options = {}) => waitForTurn(address, options),
    // Without deltas the host sends durable events only, which is what the narrower overload says.
    events: (options: EventsOptions = {}) => turnEvents(address, options) as AsyncIterable<AnyEvent>,
    async steer(content, { signal, ...options } = {}) {
      const params = { sessionId, turnId, content: turnContent(content), ...options };
      return outcome(await connection.request('turn/steer', params, signal === undefined ? {} : { signal }));
    },
    answer: (callbackId, answer) => answerCallback(address, callbackId, answer),
    interrupt: async (options) => outcome(await connection.request('turn/interrupt', { sessionId, turnId }, options)),
  };
}
