import type { AnyEvent, CallbackResolved, OpenCallback } from '@rondo/protocol';
import { isRondoError } from '@rondo/protocol/values';
import type { Connection } from '../connection/connection.ts';
import { isLoss } from '../connection/wire-error.ts';
import { lostError } from '../stream/observe-events.ts';
import type { TurnAddress } from '../turn-address.ts';
import { callbackId } from './callback-id.ts';

/**
 * A question that the session had opened and that is open no more.
 * @throws RondoError `observation.lost` when the session's events cannot be read.
 */
export async function findSettled(
  { connection, sessionId }: TurnAddress,
  id: string,
): Promise<OpenCallback | undefined> {
  try {
    for await (const event of storedEvents(connection, sessionId, undefined))
      if (event.type === 'callback.opened' && callbackId(event.callback) === id) return event.callback;
    return undefined;
  } catch (error) {
    if (isRondoError(error) && !isLoss(error)) throw error;
    throw lostError(sessionId, undefined, error);
  }
}

/** How a question was settled after a place, where the log has it by now. */
export async function resolutionOf(
  connection: Connection,
  place: { readonly sessionId: string; readonly callbackId: string; readonly after: string | undefined },
): Promise<CallbackResolved | undefined> {
  for await (const event of storedEvents(connection, place.sessionId, place.after))
    if (event.type === 'callback.resolved' && event.callbackId === place.callbackId) return event;
  return undefined;
}

async function* storedEvents(
  connection: Connection,
  sessionId: string,
  from: string | undefined,
): AsyncGenerator<AnyEvent, void, void> {
  let after = from;
  for (;;) {
    const page = await connection.request('events/read', { sessionId, ...(after === undefined ? {} : { after }) });
    yield* page.events;
    if (!page.more) return;
    after = page.cursor;
  }
}
