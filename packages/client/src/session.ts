import type {
  AnyEvent,
  AgentCustomization,
  AgentCustomizationChange,
  HistoryItem,
  MethodParams,
  SessionInfo,
  StreamEvent,
  TurnInfo,
  TurnLimits,
  WaitingMessage,
} from '@rondo/protocol';
import { RondoError } from '@rondo/protocol/values';
import type { RequestOptions } from './connection/connection.ts';
import { type TurnInput, turnContent } from './content/turn-content.ts';
import type { Place } from './place.ts';
import { type HandleContext, type HandleOptions, requireOutputType } from './handle-context.ts';
import { freezeRecord } from './record/freeze-record.ts';
import type { TurnState } from './record/turn-state.ts';
import { retryWhileBusy } from './retry-while-busy.ts';
import { sessionHistory, type HistoryOptions } from './stream/session-history.ts';
import { sessionTurns } from './stream/session-turns.ts';
import { type EventsOptions, sessionEvents } from './stream/session-events.ts';
import { createTurn, type MessageOptions, refuseOnSubagent, type Turn } from './turn.ts';
import type { WaitOptions } from './wait/wait-for-turn.ts';

/** Another turn is active; nothing was applied, and a key that was given can be used again. */
export interface Busy<T = string> {
  readonly type: 'busy';
  readonly turn: Turn<T>;
}

/** The message waits its turn, which has no ID yet. */
export interface Queued {
  readonly type: 'queued';
  readonly messageId: string;
}

export interface StartOptions extends MessageOptions {
  /** What the turn is to run with, by the ID that the runtime gave it. Absent is the handle's own. */
  readonly bindingId?: string;
  readonly limits?: TurnLimits;
}

export interface SendOptions extends StartOptions {
  /** Into the active turn at its next step, into a turn of its own next, or once nothing is at work. */
  readonly delivery?: MethodParams<'turn/send'>['delivery'];
}

export type RunOptions<T = string> = StartOptions & Omit<WaitOptions<T>, 'after'>;

/** What can be changed about a session. A null tag takes it away. */
export type SessionChanges = Omit<MethodParams<'session/update'>, 'sessionId'>;

export interface ConfigureOptions extends RequestOptions {
  /** The session's agent, by the ID that the runtime gave it. Absent is the handle's own. */
  readonly bindingId?: string;
}

/** A handle on a session. Having one sends nothing and keeps nothing alive. */
export interface Session<T = string> {
  readonly id: string;
  /** Equal for equal handles, for sets and maps. */
  readonly key: string;
  /** Whether both name the same session in the same place. */
  equals(other: { readonly key: string }): boolean;
  turn(turnId: string): Turn<T>;
  /** Starts a turn. Durable when it resolves. */
  startTurn(content: TurnInput, options?: StartOptions): Promise<Turn<T> | Busy<T>>;
  /**
   * Starts a turn or joins the active one.
   * @throws RondoError `session.busy` when the session still refuses after several tries; nothing was applied.
   */
  sendMessage(content: TurnInput, options?: SendOptions & { readonly delivery?: 'join' }): Promise<Turn<T>>;
  sendMessage(content: TurnInput, options: SendOptions): Promise<Turn<T> | Queued>;
  /** What was sent and nobody has read yet, the first to be read first. */
  waitingMessages(options?: RequestOptions): Promise<readonly WaitingMessage[]>;
  /** Takes back what nobody has read yet and gives it; undefined where it was read, or never waited. */
  cancelMessage(messageId: string, options?: RequestOptions): Promise<WaitingMessage | undefined>;
  /** `startTurn`, then the turn's `result`. The timeout does not count the start. */
  run<U = T>(content: TurnInput, options?: RunOptions<U>): Promise<TurnState<U> | Busy<T>>;
  /** The session's events, from the start or after a place, until the session is over. */
  events(options?: EventsOptions & { readonly deltas?: false }): AsyncIterable<AnyEvent>;
  events(options: EventsOptions): AsyncIterable<StreamEvent>;
  /**
   * What was said and done, from the start or after a place, as far as it is known when it is read: read page by page
   * as the iteration goes on. @throws RondoError `session.not_found`, `cursor.invalid` at the first iteration.
   */
  history(options?: HistoryOptions): AsyncIterable<HistoryItem>;
  /** The session's turns, the last one first, read page by page. */
  turns(options?: RequestOptions): AsyncIterable<TurnInfo>;
  /**
   * Ends the session and its subagents: turns at work are interrupted, later sends throw `session.terminated`, what was said
   * can be read on. Of a session that has ended already nothing changes. A subagent is not ended alone.
   */
  cancel(options?: RequestOptions): Promise<void>;
  /**
   * Handles on the session's direct subagents, the newest first. They read, interrupt and answer, with this handle's
   * handlers; what leads a session throws `session.procedure_unsupported` on them.
   */
  subagents(options?: RequestOptions): Promise<Session<T>[]>;
  /** @throws RondoError `session.not_found`. */
  read(options?: RequestOptions): Promise<SessionInfo>;
  update(changes: SessionChanges, options?: RequestOptions): Promise<SessionInfo>;
  /**
   * Changes what the session has otherwise than its agent says, for later turns: null gives the agent's own back, what is
   * absent stays. Gives all of it, as it is then. @throws RondoError `input.invalid`, `model.unknown`,
   * `session.procedure_unsupported`, where nothing has changed.
   */
  configure(change: AgentCustomizationChange, options?: ConfigureOptions): Promise<AgentCustomization>;
}

export interface SessionOptions<T = string> extends HandleOptions<T> {
  /** What this handle's turns run with unless a call names another. */
  readonly bindingId?: string;
}

export function createSession<T>(place: Place, bindingId: string | undefined, context: HandleContext<T>): Session<T> {
  const { connection, sessionId, key } = place;

  const turn = (turnId: string, started: boolean | null, isAccepted: boolean): Turn<T> =>
    createTurn(place, turnId, { started, isAccepted }, context);

  function bindingOf(options: { readonly bindingId?: string }, what: string): string {
    const binding = options.bindingId ?? bindingId;
    if (binding !== undefined) return binding;
    throw new TypeError(
      `${what} needs a bindingId: pass it with the call, or once with client.session(id, { bindingId })`,
    );
  }

  /** Checked before anything is sent. */
  function message(content: TurnInput, options: StartOptions) {
    const binding = bindingOf(options, 'a turn');
    const { idempotencyKey, messageId, limits, origin } = options;
    return {
      sessionId,
      bindingId: binding,
      content: turnContent(content),
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
      ...(messageId === undefined ? {} : { messageId }),
      ...(limits === undefined ? {} : { limits }),
      ...(origin === undefined ? {} : { origin }),
    };
  }

  async function startTurn(content: TurnInput, options: StartOptions = {}): Promise<Turn<T> | Busy<T>> {
    refuseOnSubagent(context, sessionId, 'startTurn');
    const outcome = await connection.request('turn/start', message(content, options), leaving(options));
    if (outcome.type === 'started') return turn(outcome.turnId, outcome.started, true);
    return Object.freeze({ type: 'busy', turn: turn(outcome.turnId, null, true) });
  }

  async function sendMessage(
    content: TurnInput,
    { delivery = 'join', ...options }: SendOptions = {},
  ): Promise<Turn<T> | Queued> {
    refuseOnSubagent(context, sessionId, 'sendMessage');
    const params = { ...message(content, options), delivery };
    const outcome = await retryWhileBusy(
      () => connection.request('turn/send', params, leaving(options)),
      context.busyDelaysMs,
      options.signal,
    );
    if (outcome.turnId !== undefined) return turn(outcome.turnId, outcome.started, true);
    if (delivery === 'join')
      throw new RondoError('internal', 'the host took the message without naming the turn it joined', {
        details: { sessionId },
      });
    return Object.freeze({ type: 'queued', messageId: outcome.messageId });
  }

  async function run<U = T>(
    content: TurnInput,
    { timeoutMs, onEvent, outputType, ...options }: RunOptions<U> = {},
  ): Promise<TurnState<U> | Busy<T>> {
    refuseOnSubagent(context, sessionId, 'run');
    if (outputType !== undefined) requireOutputType(outputType);
    const started = await startTurn(content, options);
    if (started.type === 'busy') return started;
    return started.result<U>({
      ...leaving(options),
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      ...(onEvent === undefined ? {} : { onEvent }),
      ...(outputType === undefined ? {} : { outputType }),
    });
  }

  return {
    id: sessionId,
    key,
    equals: (other) => other.key === key,
    turn: (turnId) => turn(turnId, null, false),
    startTurn,
    // A send that joins always has its turn, which is what the narrower overload says.
    sendMessage: sendMessage as Session<T>['sendMessage'],
    run,
    async waitingMessages(options) {
      const { messages } = await connection.request('message/list', { sessionId }, options);
      return freezeRecord(messages);
    },
    async cancelMessage(messageId, options) {
      refuseOnSubagent(context, sessionId, 'cancelMessage');
      const outcome = await connection.request('message/cancel', { sessionId, messageId }, options);
      return outcome.type === 'cancelled' ? freezeRecord(outcome.message) : undefined;
    },
    // Without deltas the host sends durable events only, which is what the narrower overload says.
    events: (options: EventsOptions = {}) =>
      sessionEvents(connection, sessionId, options, context.outputType) as AsyncIterable<AnyEvent>,
    history: (options) => sessionHistory(connection, sessionId, options),
    turns: (options) => sessionTurns(connection, sessionId, options),
    async cancel(options) {
      refuseOnSubagent(context, sessionId, 'cancel');
      await connection.request('session/cancel', { sessionId }, options);
    },
    async subagents(options) {
      const { sessions } = await connection.request('session/subagents', { sessionId }, options);
      const subagent = { ...context, isSubagent: true };
      return sessions.map(({ id }) =>
        createSession({ ...place, sessionId: id, key: `${place.home}/${id}` }, bindingId, subagent),
      );
    },
    read: async (options) => freezeRecord(await connection.request('session/read', { sessionId }, options)),
    configure: async (change, options = {}) => {
      refuseOnSubagent(context, sessionId, 'configure');
      const params = { sessionId, bindingId: bindingOf(options, 'configure'), agent: change };
      const { agent } = await connection.request('session/configure', params, leaving(options));
      return freezeRecord(agent);
    },
    update: async (changes, options) =>
      freezeRecord(await connection.request('session/update', { ...changes, sessionId }, options)),
  };
}

function leaving({ signal }: RequestOptions): RequestOptions {
  return signal === undefined ? {} : { signal };
}
