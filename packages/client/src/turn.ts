import type { AnswerOutcome, AnyEvent, JsonObject, MethodResult, StreamEvent } from '@rondo/protocol';
import { RondoError } from '@rondo/protocol/values';
import { answerCallback } from './answer/answer-callback.ts';
import type { Answer } from './answer/answer.ts';
import type { RequestOptions } from './connection/connection.ts';
import { type TurnInput, turnContent } from './content/turn-content.ts';
import type { HandleContext } from './handle-context.ts';
import { turnState, type TurnState } from './record/turn-state.ts';
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
  /** Where the message comes from, with its `kind`, where that is no person. */
  readonly origin?: JsonObject;
}

/** The turn is no longer the active one; nothing was applied. `turn` is the active one, where there is one. */
export interface TurnConflict<T = string> {
  readonly type: 'turnConflict';
  readonly turn?: Turn<T>;
}

/** A handle on a turn. Having one sends nothing and keeps nothing alive. */
export interface Turn<T = string> {
  readonly type: 'turn';
  readonly id: string;
  /** Equal for equal handles, for sets and maps. */
  readonly key: string;
  /** True when the send that returned this handle started the turn, false when it joined, null for any other handle. */
  readonly started: boolean | null;
  equals(other: { readonly key: string }): boolean;
  /** The turn as it is now. Never waits for it, and asks no handler. @throws RondoError `turn.not_found`. */
  get(options?: RequestOptions): Promise<TurnState<T>>;
  /**
   * Waits until the turn has ended, or a question opened after `after` blocks it that the handle's handlers do not answer.
   * Leaving the wait stops nothing.
   * @throws RondoError `turn.not_found`; `observation.lost`, whose `details.cursor` is where to go on; `answer.unsent`
   * when a client tool's answer could not be sent. @throws what a handler throws.
   */
  result<U = T>(options?: WaitOptions<U>): Promise<TurnState<U>>;
  /** The turn's events up to its `turn.ended`. Leaving the iteration stops nothing. */
  events(options?: EventsOptions & { readonly deltas?: false }): AsyncIterable<AnyEvent>;
  events(options: EventsOptions): AsyncIterable<StreamEvent>;
  /** Adds a message to this turn while it is at work. */
  steer(content: TurnInput, options?: MessageOptions): Promise<Turn<T> | TurnConflict<T>>;
  /**
   * Answers any open question of the session, or of its subagents, by its ID; which turn is asked does not matter.
   * @throws TypeError for an ID that is no UUID. @throws RondoError `answer.unfit`. Nothing is sent in either case.
   * @throws RondoError `observation.lost` when the question is open nowhere and the session's events cannot be read.
   */
  answer(callbackId: string, answer: Answer): Promise<AnswerOutcome>;
  /** Stops the turn; the session stays open. Resolves when the turn has ended. */
  interrupt(options?: RequestOptions): Promise<Turn<T> | TurnConflict<T>>;
}

export interface TurnOrigin {
  readonly started: boolean | null;
  /** The host named the turn in an answer. */
  readonly isAccepted: boolean;
}

export function createTurn<T>(place: Place, turnId: string, origin: TurnOrigin, context: HandleContext<T>): Turn<T> {
  if (typeof turnId !== 'string' || turnId === '') throw new TypeError('a turn is named by its ID, a string');
  const { connection, sessionId, home } = place;
  const { outputType } = context;
  const key = `${place.key}/${turnId}`;
  const address = addressTurn({ connection, home, sessionId, turnId, isAccepted: origin.isAccepted });

  /** Nothing else of this turn comes from a send, so its `started` is null. */
  function outcome(result: MethodResult<'turn/steer'>): Turn<T> | TurnConflict<T> {
    if (result.type === 'accepted')
      return createTurn(place, result.turnId, { started: null, isAccepted: true }, context);
    if (result.turnId === undefined) return Object.freeze({ type: 'turnConflict' });
    return Object.freeze({
      type: 'turnConflict',
      turn: createTurn(place, result.turnId, { started: null, isAccepted: true }, context),
    });
  }

  return {
    type: 'turn',
    id: turnId,
    key,
    started: origin.started,
    equals: (other) => other.key === key,
    get: async (options) => turnState(await address.read(options), outputType),
    // Without an output type of its own the call has the handle's, which is what the default of its parameter says.
    result: (options = {}) => waitForTurn(address, options as WaitOptions, context as HandleContext<string>) as never,
    // Without deltas the host sends durable events only, which is what the narrower overload says.
    events: (options: EventsOptions = {}) => turnEvents(address, options, outputType) as AsyncIterable<AnyEvent>,
    async steer(content, { signal, ...options } = {}) {
      refuseOnSubagent(context, sessionId, 'steer');
      const params = { sessionId, turnId, content: turnContent(content), ...options };
      return outcome(await connection.request('turn/steer', params, signal === undefined ? {} : { signal }));
    },
    answer: (callbackId, answer) => answerCallback(address, callbackId, answer, context.handlers.tools),
    interrupt: async (options) => outcome(await connection.request('turn/interrupt', { sessionId, turnId }, options)),
  };
}

/** A subagent is led by its parent. @throws RondoError `session.procedure_unsupported`. */
export function refuseOnSubagent({ isSubagent }: HandleContext, sessionId: string, procedure: string): void {
  if (!isSubagent) return;
  throw new RondoError(
    'session.procedure_unsupported',
    `${procedure} is not for a subagent: send a message to its parent or steer that, or cancel its root session`,
    { details: { sessionId, procedure } },
  );
}
