import type { AnyEvent, BindingRecord, MethodParams, MethodResult } from '@rondo/protocol';
import type { EventDraft } from './event/event-draft.ts';
import type { EventBatch } from './session/event-feed.ts';
import type { SubscribeOptions } from './session/follow-session.ts';
import type { RecoveredSession } from './session/recover-sessions.ts';
import type { UnbuiltProcedures } from './session/unbuilt-procedures.ts';
import type { Binding } from './turn/binding.ts';

export type { SubscribeOptions };

export interface ForkParams extends Omit<MethodParams<'session/fork'>, 'bindingId'> {
  /**
   * Who goes on with the fork. Without one, which only this process may ask for, the fork was started with what its
   * source was last started with, and is not kept open.
   */
  readonly bindingId?: string;
  readonly title?: string;
}

/** A fact with the time when it became one; now unless given. */
export type ImportedDraft = EventDraft & { readonly at?: string };

/** What is stored at once. */
export interface ImportedBatch {
  /** A subagent below the session; the session itself unless given. Its first batch begins with its `session.created`. */
  readonly sessionId?: string;
  readonly drafts: readonly ImportedDraft[];
}

export interface ImportParams {
  readonly sessionId: string;
  /** What the session was started with, where there is none of that ID yet. Absent: there has to be one. */
  readonly created?: {
    readonly binding: BindingRecord;
    readonly at?: string;
    readonly title?: string;
    /** Where it was said. */
    readonly from: string;
  };
  /** Whole turns, in order. */
  readonly batches: AsyncIterable<ImportedBatch> | Iterable<ImportedBatch>;
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
  /**
   * Makes a session of what was said elsewhere, or adds it to one that is there. It runs nothing, and the session is not kept
   * open. Not of the wire. @throws RondoError `session.in_use`, `session.busy`.
   */
  importSession(params: ImportParams): Promise<MethodResult<'session/create'>>;
  /** Every event of a session and of all below it so far, in the order of their log. Not of the wire. @throws RondoError `session.not_found`. */
  readTree(sessionId: string): AsyncIterable<AnyEvent>;
  readSession(params: MethodParams<'session/read'>): Promise<MethodResult<'session/read'>>;
  listSessions(params: MethodParams<'session/list'>): Promise<MethodResult<'session/list'>>;
  updateSession(params: MethodParams<'session/update'>): Promise<MethodResult<'session/update'>>;
  /** Changes what the session's later turns have otherwise than their agent says. Throws before anything is stored. */
  configureSession(params: MethodParams<'session/configure'>): Promise<MethodResult<'session/configure'>>;

  /** The direct subagents, newest first. */
  listSubagents(params: MethodParams<'session/subagents'>): Promise<MethodResult<'session/subagents'>>;
  /** Ends a session and all below it; resolves when it has ended and nothing of it runs. One that has ended stays as it is. */
  cancelSession(params: MethodParams<'session/cancel'>): Promise<MethodResult<'session/cancel'>>;
  /** Gives a session up here. A running turn stops without a trace and is found by whoever opens the session next. */
  closeSession(params: MethodParams<'session/close'>): Promise<MethodResult<'session/close'>>;

  /**
   * For a host that has just started: takes up every unfinished session of the agents of these bindings, also where
   * messages wait that no turn has read. A turn that none of them satisfies is parked: it never runs here, and its session
   * is left to other hosts. Not of the wire.
   */
  recover(options: {
    readonly bindingIds: readonly string[];
    readonly signal?: AbortSignal;
  }): Promise<readonly RecoveredSession[]>;

  /** Removes a session that is open nowhere, for good. @throws RondoError `session.not_found`, `session.in_use`. */
  deleteSession(sessionId: string): Promise<void>;

  startTurn(params: MethodParams<'turn/start'>): Promise<MethodResult<'turn/start'>>;
  sendMessage(params: MethodParams<'turn/send'>): Promise<MethodResult<'turn/send'>>;
  /** What was accepted and nobody has read yet, the first to be read first. */
  listMessages(params: MethodParams<'message/list'>): Promise<MethodResult<'message/list'>>;
  /** Takes back what nobody has read yet, whoever owns the session. */
  cancelMessage(params: MethodParams<'message/cancel'>): Promise<MethodResult<'message/cancel'>>;
  steerTurn(params: MethodParams<'turn/steer'>): Promise<MethodResult<'turn/steer'>>;
  readTurn(params: MethodParams<'turn/read'>): Promise<MethodResult<'turn/read'>>;
  listTurns(params: MethodParams<'turn/list'>): Promise<MethodResult<'turn/list'>>;
  listHistory(params: MethodParams<'history/list'>): Promise<MethodResult<'history/list'>>;
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

  /** What the bindings of agents offer; of those, where `isVisible` is given, that fit it. */
  readCatalog(
    params: MethodParams<'catalog/read'>,
    options?: { readonly isVisible?: (binding: Binding) => boolean },
  ): Promise<MethodResult<'catalog/read'>>;
  /** Methods by name whose producers this version does not have; they answer what is true then. */
  readonly unbuilt: UnbuiltProcedures;

  /** Interrupts nothing: gives up every session once its pending writes are durable. Unfinished turns are found by the next owner. */
  close(): Promise<void>;
}
