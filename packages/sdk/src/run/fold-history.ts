import type { Client } from '@rondo/client';
import type { AnyEvent, SDKMessage } from '@rondo/protocol';
import { parseCursor } from '@rondo/protocol/values';
import type { Projection } from '../message/project-message.ts';

export interface History {
  readonly client: Client;
  readonly sessionId: string;
  /** Up to and with this event; absent is all there is. */
  readonly until?: string;
}

/**
 * Takes a projection through what a session holds already, page by page, so that its sums are the whole session's.
 * @param see gets the lines that a reader of then was shown.
 */
export async function foldHistory(
  { client, sessionId, until }: History,
  projection: Projection,
  see: (lines: readonly SDKMessage[], event: AnyEvent) => void = () => {},
): Promise<void> {
  const last = until === undefined ? Number.POSITIVE_INFINITY : (parseCursor(until)?.seq ?? 0);
  let after: string | undefined;
  for (;;) {
    const page = await client.request('events/read', { sessionId, ...(after === undefined ? {} : { after }) });
    for (const event of page.events) {
      if (event.seq > last) return;
      see(projection.push(event), event);
    }
    if (!page.more) return;
    after = page.cursor;
  }
}
