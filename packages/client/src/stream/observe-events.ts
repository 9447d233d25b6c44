import type { StreamEvent } from '@rondo/protocol';
import { RondoError } from '@rondo/protocol/values';
import type { Connection, SubscriptionParams } from '../connection/connection.ts';
import { isLoss } from '../connection/wire-error.ts';
import { createDeltaJoin } from './join-deltas.ts';

export interface Observer {
  events(batch: readonly StreamEvent[]): void;
  /** Called once, unless the observer leaves first. `cursor` is the place behind the last event that came. */
  end(error: unknown, cursor: string | undefined): void;
  /** Undefined while the observer keeps up; else resolves when it has caught up. */
  room(): Promise<void> | undefined;
}

/**
 * A subscription whose loss says where to go on: an error that is nobody's mistake ends it as `observation.lost`, with
 * the cursor behind the last event that came. What is observed goes on in the host.
 *
 * An observer that does not keep up is unsubscribed until it has caught up: what follows waits in the log, not here.
 */
export function observeEvents(connection: Connection, params: SubscriptionParams, observer: Observer): () => void {
  const join = params.deltas !== undefined && params.deltas !== false ? createDeltaJoin() : undefined;
  let cursor = params.after;
  let unsubscribe = (): void => {};
  let state: 'following' | 'paused' | 'over' = 'following';

  function take(batch: readonly StreamEvent[]): void {
    cursor = lastCursor(batch) ?? cursor;
    const passed = join === undefined ? batch : join.pass(batch);
    if (passed.length > 0) observer.events(passed);
    const full = state === 'following' ? observer.room() : undefined;
    if (full !== undefined) void pause(full);
  }

  async function pause(full: Promise<void>): Promise<void> {
    state = 'paused';
    unsubscribe();
    await full;
    if (state !== 'paused') return;
    state = 'following';
    follow();
  }

  function end(error: unknown): void {
    state = 'over';
    observer.end(error, cursor);
  }

  function follow(): void {
    unsubscribe = connection.subscribe(behind(params, cursor), {
      events: take,
      end: (error) => end(isLoss(error) ? lostError(params.sessionId, cursor, error) : error),
      lost: (error) => end(lostError(params.sessionId, cursor, error)),
    });
  }

  follow();
  return () => {
    state = 'over';
    unsubscribe();
  };
}

/** Where the host is to begin: as the subscriber said, or behind what it has. */
export function behind(params: SubscriptionParams, cursor: string | undefined): SubscriptionParams {
  if (cursor === undefined) return params;
  const { fromTurn: _fromTurn, ...rest } = params;
  return { ...rest, after: cursor };
}

export function lostError(sessionId: string, cursor: string | undefined, cause: unknown): RondoError {
  const wayOn = cursor === undefined ? 'read them from the start' : `go on with after: "${cursor}"`;
  return new RondoError(
    'observation.lost',
    `the events of session ${sessionId} cannot be read further; connect again and ${wayOn}`,
    {
      details: { sessionId, ...(cursor === undefined ? {} : { cursor }) },
      cause,
    },
  );
}

/** Durable events are places; a transient is not. */
export function lastCursor(batch: readonly StreamEvent[]): string | undefined {
  for (let index = batch.length - 1; index >= 0; index -= 1) {
    const event = batch[index];
    if (event !== undefined && 'id' in event) return event.id;
  }
  return undefined;
}
