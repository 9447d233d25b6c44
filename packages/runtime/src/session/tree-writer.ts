import type { SessionEvent, TransientEvent } from '@rondo/protocol';
import { RondoError } from '@rondo/protocol/values';
import type { Clock } from '../event/clock.ts';
import type { EventDraft } from '../event/event-draft.ts';
import type { EncodedEvent, OwnedLog } from '../event/event-store.ts';
import { isoTime } from '../event/iso-time.ts';
import { placedCallback } from '../event/placed-callback.ts';
import { redactJson } from '../event/redact-json.ts';
import { applyTreeEvent, type TreeState } from '../event/tree-state.ts';
import { redactSecrets } from './redact-secrets.ts';

export interface Emission {
  readonly events: readonly SessionEvent[];
  /**
   * Resolves when the events are durable; rejects with the log's failure. Nobody has to wait for it: the log is told to
   * hurry when this is read, and may otherwise let the events linger a little.
   */
  readonly committed: Promise<void>;
}

/** What a subscription hears: committed events in order, and transients that belong behind the last of them. */
export interface Publication {
  readonly events: readonly SessionEvent[];
  readonly transients: readonly TransientEvent[];
}

/** A draft of another session of the tree than the one that emits. */
export interface PlacedDraft {
  readonly sessionId: string;
  readonly draft: EventDraft;
}

export interface TreeWriterOptions {
  readonly log: OwnedLog;
  readonly state: TreeState;
  readonly clock: Clock;
  readonly secrets: () => readonly string[];
  /** Moves what is too large out of the event, or returns it as it is. */
  readonly spill: (encoded: EncodedEvent) => EncodedEvent | Promise<EncodedEvent>;
  readonly publish: (publication: Publication) => void;
}

/**
 * The way into a tree's log. An event gets its place and time, changes its session's state at once, is stored, and only
 * then shown. Transients keep their place among the events around them.
 */
export interface TreeWriter {
  /** Stores a session's events, and behind them what they bring about in others, as one batch. */
  emit(sessionId: string, drafts: readonly EventDraft[], elsewhere?: readonly PlacedDraft[]): Emission;
  show(transient: TransientEvent): void;
  /** Resolves when everything emitted so far is durable. */
  flushed(): Promise<void>;
  /** Takes nothing more: later emits are dropped and say so. Resolves when what was taken is durable, or has failed. */
  stop(): Promise<void>;
  /** Aborts with the log's failure when it can no longer be written. */
  readonly failed: AbortSignal;
}

/** The same for one session of the tree. */
export interface SessionWriter extends Pick<TreeWriter, 'show' | 'flushed' | 'failed'> {
  emit(drafts: readonly EventDraft[]): Emission;
}

export function createTreeWriter(options: TreeWriterOptions): TreeWriter {
  const { log, state, clock, publish } = options;
  const rootId = state.root.sessionId;
  const failure = new AbortController();
  let seq = Math.max(state.seq, log.lastSeq);
  let spilling: Promise<unknown> | undefined;
  let last: Promise<void> = Promise.resolve();
  let uncommitted = 0;
  /** How many emissions there were, and up to which of them somebody waits. */
  let emissions = 0;
  let awaited = 0;
  let isStopped = false;
  let waiting: TransientEvent[] = [];

  function stamp(sessionId: string, draft: EventDraft): EncodedEvent {
    seq += 1;
    const id = `${sessionId}:${seq}`;
    const whole = {
      seq,
      id,
      at: isoTime(clock.now()),
      type: draft.type,
      sessionId,
      ...(draft as object),
    } as SessionEvent;
    return redactSecrets(knowingItsPlace(whole), options.secrets());
  }

  // While a blob is being written, later batches wait behind it: the order in the log is the order of emission. When
  // it cannot be written they fail with it: a log has no holes.
  function append(
    encoded: readonly EncodedEvent[],
    emission: number,
    committed: (batch: readonly EncodedEvent[]) => void,
    failed: (error: unknown) => never,
  ): Promise<void> {
    const spilled = spilling === undefined ? encoded.map(options.spill) : undefined;
    if (spilled !== undefined && !spilled.some(isPromise)) {
      const batch = spilled as EncodedEvent[];
      return log.append(batch, background).then(() => committed(batch), failed);
    }
    const before = spilling ?? Promise.resolve();
    const prepared = before.then(() => Promise.all((spilled ?? encoded.map(options.spill)).map(resolved)));
    const handedOver = prepared.then((batch) => ({
      batch,
      appended: log.append(batch, emission > awaited ? background : undefined),
    }));
    spilling = handedOver;
    handedOver.then(() => {
      if (spilling === handedOver) spilling = undefined;
    }, doNothing);
    return handedOver.then(({ batch, appended }) => appended.then(() => batch)).then(committed, failed);
  }

  function hurry(): void {
    if (uncommitted === 0) return;
    awaited = emissions;
    log.hurry?.();
  }

  function commit(batch: readonly EncodedEvent[], transients: readonly TransientEvent[]): void {
    uncommitted -= 1;
    publish({ events: batch.map((one) => one.event), transients });
  }

  function fail(error: unknown): never {
    const reason = failureOf(error, rootId);
    failure.abort(reason);
    throw reason;
  }

  return {
    failed: failure.signal,
    emit(sessionId, drafts, elsewhere) {
      const refusal = failure.signal.aborted
        ? (failure.signal.reason as Error)
        : isStopped
          ? closedError(rootId)
          : undefined;
      if (refusal !== undefined) return { events: [], committed: quietly(Promise.reject(refusal)) };
      const before = seq;
      const encoded: EncodedEvent[] = [];
      try {
        for (const draft of drafts) encoded.push(stamp(sessionId, draft));
        for (const placed of elsewhere ?? []) encoded.push(stamp(placed.sessionId, placed.draft));
      } catch (error) {
        // Something that JSON cannot carry takes no place.
        seq = before;
        throw error;
      }
      const events = encoded.map((one) => one.event);
      for (const event of events) applyTreeEvent(state, event);
      uncommitted += 1;
      emissions += 1;
      const behind: TransientEvent[] = [];
      waiting = behind;
      const durable = quietly(append(encoded, emissions, (batch) => commit(batch, behind), fail));
      last = durable;
      return new Emitted(events, durable, hurry);
    },
    show(given) {
      const transient = given.type === 'tool.progress' ? redactProgress(given, options.secrets()) : given;
      if (uncommitted > 0) {
        // Whoever watches it should not wait for the log longer than the disk takes.
        hurry();
        waiting.push(transient);
      } else publish({ events: [], transients: [transient] });
    },
    flushed() {
      hurry();
      return last;
    },
    stop() {
      hurry();
      isStopped = true;
      return last.catch(doNothing);
    },
  };
}

/** A class, since an object made with a getter of its own costs more than all else here that is not the event itself. */
class Emitted implements Emission {
  readonly events: readonly SessionEvent[];
  readonly #durable: Promise<void>;
  readonly #hurry: () => void;

  constructor(events: readonly SessionEvent[], durable: Promise<void>, hurry: () => void) {
    this.events = events;
    this.#durable = durable;
    this.#hurry = hurry;
  }

  get committed(): Promise<void> {
    this.#hurry();
    return this.#durable;
  }
}

/** A record and a question say where in the log they are. */
function knowingItsPlace(event: SessionEvent): SessionEvent {
  if (event.type === 'turn.ended') return { ...event, record: { ...event.record, cursor: event.id } };
  if (event.type === 'callback.opened') return { ...event, callback: placedCallback(event.callback, event.seq) };
  return event;
}

/** Deltas come without secrets; what a tool says of its progress is anything. */
function redactProgress(progress: TransientEvent, secrets: readonly string[]): TransientEvent {
  const json = JSON.stringify(progress);
  const clean = redactJson(json, secrets);
  return clean === json ? progress : (JSON.parse(clean) as TransientEvent);
}

function closedError(rootId: string): RondoError {
  return new RondoError('channel.closed', `session ${rootId} was closed`);
}

function failureOf(error: unknown, sessionId: string): RondoError {
  if (error instanceof RondoError) return error as RondoError;
  return new RondoError('session.write_failed', `the log of session ${sessionId} can no longer be written`, {
    cause: error,
  });
}

function isPromise(value: unknown): value is Promise<unknown> {
  return value instanceof Promise;
}

const background = { background: true };

const doNothing = (): void => {};

const resolved = <Value>(value: Value | Promise<Value>): Promise<Value> => Promise.resolve(value);

/** The same promise, which may be left alone without becoming an unhandled rejection. */
function quietly<Value>(promise: Promise<Value>): Promise<Value> {
  promise.catch(() => {});
  return promise;
}
