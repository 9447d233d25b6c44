import type { MethodParams, MethodResult } from '@rondo/protocol';
import type { EventBatch } from './session/event-feed.ts';
import type { Binding } from './turn/binding.ts';

export interface SubscribeOptions {
  /** Cursor; absent is from the session's start. @throws RondoError `cursor.invalid`. */
  readonly after?: string;
  /** Where `after` is absent: begin at this turn's start or somewhere before it. A hint: readers filter. */
  readonly fromTurn?: string;
  readonly deltas?: boolean;
  readonly signal: AbortSignal;
}

export interface ForkParams extends Omit<MethodParams<'session/fork'>, 'bindingId'> {
  /**
   * Who goes on with the fork. Without one, which only this process may ask for, the fork was started with what its
   * source was last started with, and is not kept open.
   */
  readonly bindingId?: string;
  readonly title?: string;
}

/**
 * The engine: sessions over a store. Every function is a method of the wire with the same params, result and errors,
 * so that a host adds nothing but a channel.
 */
export interface Runtime {
  /** Makes what cannot cross a channel known under an ID, for `session/create`, `session/open`, `turn/start`. The ID may be chosen. */
  bind(binding: Binding, bindingId?: string): string;
  unbind(bindingId: string): void;
  /** What is registered under an ID. Not of the wire: a host judges by it who may use it. */
  binding(bindingId: string): Binding | undefined;

  createSession(params: MethodParams<'session/create'>): Promise<MethodResult<'session/create'>>;
  openSession(params: MethodParams<'session/open'>): Promise<MethodResult<'session/open'>>;
  forkSession(params: ForkParams): Promise<MethodResult<'session/fork'>>;
  readSession(params: MethodParams<'session/read'>): Promise<MethodResult<'session/read'>>;
  listSessions(params: MethodParams<'session/list'>): Promise<MethodResult<'session/list'>>;
  updateSession(params: MethodParams<'session/update'>): Promise<MethodResult<'session/update'>>;

  /** Removes a session that is open nowhere, for good. Not of the wire. @throws RondoError `session.not_found`, `session.in_use`. */
  deleteSession(sessionId: string): Promise<void>;

  startTurn(params: MethodParams<'turn/start'>): Promise<MethodResult<'turn/start'>>;
  sendMessage(params: MethodParams<'turn/send'>): Promise<MethodResult<'turn/send'>>;
  steerTurn(params: MethodParams<'turn/steer'>): Promise<MethodResult<'turn/steer'>>;
  readTurn(params: MethodParams<'turn/read'>): Promise<MethodResult<'turn/read'>>;
  interruptTurn(params: MethodParams<'turn/interrupt'>): Promise<MethodResult<'turn/interrupt'>>;

  /** `by` names who answers, for the log. */
  answerCallback(
    params: MethodParams<'callback/answer'>,
    options?: { readonly by?: string },
  ): Promise<MethodResult<'callback/answer'>>;

  readEvents(params: MethodParams<'events/read'>): Promise<MethodResult<'events/read'>>;
  /** Events after the cursor, then what follows, until the signal aborts or the session is over. Slow readers lose nothing. */
  subscribe(sessionId: string, options: SubscribeOptions): AsyncIterable<EventBatch>;
  readBlob(params: MethodParams<'blobs/read'>): Promise<MethodResult<'blobs/read'>>;

  /** Interrupts nothing: gives up every session once its pending writes are durable. Unfinished turns are found by the next owner. */
  close(): Promise<void>;
}
