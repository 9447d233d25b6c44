import type { OpenCallback, StreamEvent, TurnRecord } from '@rondo/protocol';
import { callbackId } from '../answer/callback-id.ts';
import { freezeRecord } from '../record/freeze-record.ts';
import { isEnded } from '../record/ended-record.ts';
import { lostError, observeEvents } from '../stream/observe-events.ts';
import { type Position, seenBy } from '../stream/position.ts';
import { isDurable, isOfTurn, subscriptionTo } from '../stream/turn-events.ts';
import type { TurnAddress } from '../turn-address.ts';

export interface WatchOptions {
  readonly position?: Position;
  readonly onEvent?: (event: StreamEvent) => void | Promise<void>;
}

/** A wait in progress. */
export interface Watch {
  readonly result: Promise<TurnRecord>;
  /** Hands out no further event and unsubscribes; the result is then nobody's. */
  leave(): void;
}

/** Watches a turn over one subscription until it has ended or is blocked by a question that is new since the position. */
export function watchTurn(turn: TurnAddress, options: WatchOptions): Watch {
  const { promise, resolve, reject } = Promise.withResolvers<TurnRecord>();
  let isOver = false;
  let unsubscribe = (): void => {};

  function leave(): void {
    isOver = true;
    unsubscribe();
  }

  function finish(record: TurnRecord): void {
    leave();
    resolve(record);
  }

  function fail(error: unknown): void {
    leave();
    reject(error);
  }

  async function begin(): Promise<void> {
    const known = await knownRecord(turn, options);
    if (isOver) return;
    if (known !== undefined && isAnswer(known, options)) {
      finish(known);
      return;
    }
    const reading = createReading(turn, options, known, { finish, isOver: () => isOver });
    const batches = createRelay((batch) => reading.take(batch), fail);
    unsubscribe = observeEvents(turn.connection, subscriptionTo(turn, options.position), {
      events: batches.put,
      end: (error, cursor) => batches.end(error ?? lostError(turn.sessionId, cursor, undefined)),
    });
  }

  begin().catch(fail);
  // Whoever leaves does not look at the result any more.
  promise.catch(() => {});
  return { result: promise, leave };
}

/** The record before anything is followed. A turn just accepted has nothing behind it that its events will not bring. */
async function knownRecord(turn: TurnAddress, { position }: WatchOptions): Promise<TurnRecord | undefined> {
  return turn.isAccepted && position === undefined ? undefined : await turn.read();
}

/** Whether a record settles the wait without following any event. */
function isAnswer(record: TurnRecord, { position, onEvent }: WatchOptions): boolean {
  if (isEnded(record)) return onEvent === undefined || (position !== undefined && position.seq >= seenBy(record));
  return record.type === 'blocked' && position === undefined && onEvent === undefined;
}

interface ReadingOutcome {
  finish(record: TurnRecord): void;
  isOver(): boolean;
}

/** Reads batches of a turn's events until one of them, or the record behind it, is the wait's answer. */
function createReading(
  turn: TurnAddress,
  { position, onEvent }: WatchOptions,
  known: TurnRecord | undefined,
  { finish, isOver }: ReadingOutcome,
): { take(batch: readonly StreamEvent[]): Promise<void> | void } {
  /** Questions opened since the position and not resolved as far as was read. */
  const open = new Set<string>();
  let readTo = position?.seq ?? 0;
  /** The answer, once every event up to its cursor has been handed out. */
  let answer =
    known !== undefined && (isEnded(known) || (known.type === 'blocked' && position === undefined)) ? known : undefined;
  /** Up to here it is known that no new question is open. */
  let unblockedTo = 0;

  /** What an event says. Returns whether the wait is over with it. */
  function note(event: StreamEvent): boolean {
    if (!isDurable(event)) return false;
    readTo = event.seq;
    if (isOfTurn(event, turn.turnId)) {
      if (event.type === 'callback.opened') open.add(callbackId(event.callback));
      else if (event.type === 'callback.resolved') open.delete(event.callbackId);
      else if (event.type === 'turn.ended') {
        finish(freezeRecord(event.record));
        return true;
      }
    }
    if (answer === undefined || readTo < seenBy(answer)) return false;
    finish(answer);
    return true;
  }

  /** Whether a question that was seen opening is open still, which only the record of this moment tells. */
  async function lookForBlock(): Promise<void> {
    const record = await turn.read();
    if (isOver()) return;
    if (isEnded(record) || (record.type === 'blocked' && record.callbacks.some(isNew))) {
      if (onEvent === undefined || seenBy(record) <= readTo) finish(record);
      else answer = record;
    } else unblockedTo = seenBy(record);
  }

  const isNew = (callback: OpenCallback): boolean => open.has(callbackId(callback));
  const mustLook = (): boolean => answer === undefined && open.size > 0 && readTo >= unblockedTo;

  async function takeWithHandler(
    batch: readonly StreamEvent[],
    handler: (event: StreamEvent) => void | Promise<void>,
  ): Promise<void> {
    for (const event of batch) {
      if (isOfTurn(event, turn.turnId)) await handler(event);
      if (isOver() || note(event)) return;
    }
    if (mustLook()) await lookForBlock();
  }

  return {
    take(batch) {
      if (isOver()) return undefined;
      if (onEvent !== undefined) return takeWithHandler(batch, onEvent);
      for (const event of batch) if (note(event)) return undefined;
      return mustLook() ? lookForBlock() : undefined;
    },
  };
}

/** Hands batches on one at a time; an error, of the source or of the receiver, comes after what was before it. */
function createRelay(
  take: (batch: readonly StreamEvent[]) => Promise<void> | void,
  fail: (error: unknown) => void,
): { put(batch: readonly StreamEvent[]): void; end(error: unknown): void } {
  let last: Promise<void> | undefined;

  function follow(step: () => Promise<void> | void): void {
    const work = last === undefined ? step() : last.then(step);
    if (work === undefined) return;
    const settled = work.then(
      () => {
        if (last === settled) last = undefined;
      },
      (error: unknown) => fail(error),
    );
    last = settled;
  }

  return {
    put: (batch) => follow(() => take(batch)),
    end: (error) => follow(() => fail(error)),
  };
}
