import type { StreamEvent, TurnRecord } from '@rondo/protocol';
import { type Answering, answerQuestion } from '../handlers/answer-question.ts';
import { freezeRecord } from '../record/freeze-record.ts';
import { isEnded } from '../record/ended-record.ts';
import { createBacklog } from '../stream/backlog.ts';
import { lostError, observeEvents } from '../stream/observe-events.ts';
import { type Position, seenBy } from '../stream/position.ts';
import { isDurable, isOfTurn, subscriptionTo } from '../stream/turn-events.ts';
import type { TurnAddress } from '../turn-address.ts';
import { createHandlersAtWork } from './handlers-at-work.ts';
import { createNewQuestions } from './new-questions.ts';
import { createRelay, type Relay } from './relay.ts';

export interface WatchOptions {
  readonly position?: Position;
  /** The record that the position is of, where it is known. */
  readonly seen?: TurnRecord;
  readonly onEvent?: (event: StreamEvent) => void | Promise<void>;
  readonly answering: Answering;
  /** Stops the wait's clock until the returned function is called. */
  readonly stopClock: () => () => void;
}

/** A wait in progress. */
export interface Watch {
  readonly result: Promise<TurnRecord>;
  /** Hands out no further event, asks no further handler, and unsubscribes; the result is then nobody's. */
  leave(): void;
}

/**
 * Watches a turn over one subscription until it has ended or is blocked by a question that is new since the position
 * and that no handler takes.
 */
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
    const relay = createRelay(fail);
    const reading = createReading(turn, options, { finish, fail, isOver: () => isOver, relay });
    if (known !== undefined) reading.judge(known);
    if (isOver) return;
    const backlog = createBacklog();
    const taken = (batch: readonly StreamEvent[]): void => backlog.take(batch.length);
    unsubscribe = observeEvents(turn.connection, subscriptionTo(turn, options.position), {
      events(batch) {
        backlog.add(batch.length);
        relay.follow(() => {
          const work = reading.take(batch);
          if (work !== undefined) return work.then(() => taken(batch));
          taken(batch);
        });
      },
      end: (error, cursor) => relay.follow(() => fail(error ?? lostError(turn.sessionId, cursor, undefined))),
      room: backlog.room,
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
  return isEnded(record) && (onEvent === undefined || (position !== undefined && position.seq >= seenBy(record)));
}

interface ReadingOutcome {
  finish(record: TurnRecord): void;
  fail(error: unknown): void;
  isOver(): boolean;
  readonly relay: Relay;
}

interface Reading {
  take(batch: readonly StreamEvent[]): Promise<void> | void;
  /** What a record says of the wait, beside the events. */
  judge(record: TurnRecord): void;
}

/** Reads batches of a turn's events until one of them, or the record behind it, is the wait's answer. */
function createReading(
  turn: TurnAddress,
  { position, seen, onEvent, answering, stopClock }: WatchOptions,
  { finish, fail, isOver, relay }: ReadingOutcome,
): Reading {
  const questions = createNewQuestions(turn.sessionId, position, seen);
  let readTo = position?.seq ?? 0;
  /** The answer, once every event up to its cursor has been handed out. */
  let answer: TurnRecord | undefined;
  /** Events up to here say nothing that a record has not said. */
  let judgedTo = 0;
  /** Where a record is to be judged again, since events before it were still to be read. */
  let judgeAgainAt = Infinity;
  const atWork = createHandlersAtWork({
    stopClock,
    onIdle: () => relay.follow(() => (isOver() || answer !== undefined ? undefined : look())),
    fail: (error) => {
      if (!isOver()) fail(error);
    },
  });

  /** What an event says. Returns whether the wait is over with it. */
  function note(event: StreamEvent): boolean {
    if (!isDurable(event)) return false;
    readTo = event.seq;
    if (isOfTurn(event, turn.turnId)) {
      questions.note(event);
      if (event.type === 'turn.ended') {
        finish(freezeRecord(event.record));
        return true;
      }
    }
    if (answer === undefined || readTo < seenBy(answer)) return false;
    finish(answer);
    return true;
  }

  /** Whether what opened is open still, and whose it is to answer, only the record of this moment tells. */
  async function look(): Promise<void> {
    const record = await turn.read();
    if (!isOver()) judge(record);
  }

  function judge(record: TurnRecord): void {
    judgedTo = Math.max(judgedTo, seenBy(record));
    if (record.type === 'blocked') {
      const kept = record.callbacks.filter((callback) => {
        const work = answerQuestion(answering, callback);
        if (typeof work === 'object') atWork.add(work);
        return work === 'kept';
      });
      const isNews = kept.some(questions.isNew);
      judgeAgainAt = !isNews && kept.length > 0 && seenBy(record) > readTo ? seenBy(record) : Infinity;
      // What is at work may leave nothing, or more, for the one who waits.
      if (atWork.isBusy() || !isNews) return;
    } else if (!isEnded(record)) return;
    if (onEvent === undefined || seenBy(record) <= readTo) finish(record);
    else answer = record;
  }

  const mustLook = (): boolean => answer === undefined && (questions.askedAfter(judgedTo) || readTo >= judgeAgainAt);

  async function takeWithHandler(
    batch: readonly StreamEvent[],
    handler: (event: StreamEvent) => void | Promise<void>,
  ): Promise<void> {
    for (const event of batch) {
      if (isOfTurn(event, turn.turnId)) await handler(event);
      if (isOver() || note(event)) return;
    }
    if (mustLook()) await look();
  }

  return {
    take(batch) {
      if (isOver()) return undefined;
      if (onEvent !== undefined) return takeWithHandler(batch, onEvent);
      for (const event of batch) if (note(event)) return undefined;
      return mustLook() ? look() : undefined;
    },
    judge,
  };
}
