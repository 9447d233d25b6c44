import type { StreamEvent } from '@rondo/protocol';
import { RondoError } from '@rondo/protocol/values';
import type { Connection, SubscriptionParams } from '../connection/connection.ts';
import { isLoss } from '../connection/wire-error.ts';

export interface Observer {
  events(batch: readonly StreamEvent[]): void;
  /** Called once, unless the observer leaves first. `cursor` is the place behind the last event that came. */
  end(error: unknown, cursor: string | undefined): void;
}

/**
 * A subscription whose loss says where to go on: an error that is nobody's mistake ends it as `observation.lost`, with
 * the cursor behind the last event that came. What is observed goes on in the host.
 */
export function observeEvents(connection: Connection, params: SubscriptionParams, observer: Observer): () => void {
  let cursor = params.after;
  return connection.subscribe(params, {
    events(batch) {
      cursor = lastCursor(batch) ?? cursor;
      observer.events(batch);
    },
    end(error) {
      observer.end(isLoss(error) ? lostError(params.sessionId, cursor, error) : error, cursor);
    },
    lost(error) {
      observer.end(lostError(params.sessionId, cursor, error), cursor);
    },
  });
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
