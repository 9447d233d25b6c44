import { resolve } from 'node:path';
import type { AnyEvent } from '@rondo/protocol';
import { hydrateEvent } from '@rondo/runtime';
import { resolveHome } from '@rondo/runtime/node';
import { leaseRuntime } from '../runtime/runtime-lease.ts';
import { readSession, type GetSessionInfoOptions } from './get-session-info.ts';
import { sessionNotFound } from './update-session.ts';
import { blobReader } from './whole-events.ts';

export interface GetSessionEventsOptions extends GetSessionInfoOptions {
  /** `false` leaves what was moved to files beside the log there. */
  isWhole?: boolean;
}

/**
 * A session's log as far as it is committed now, oldest event first, read as the iteration goes on. What was moved to
 * files beside the log is back in its event. Secrets are as the log has them: redacted.
 * @throws RondoError `session.not_found`, `blob.not_found`.
 */
export async function* getSessionEvents(
  sessionId: string,
  { dir, home, isWhole = true }: GetSessionEventsOptions = {},
): AsyncGenerator<AnyEvent, void> {
  const lease = await leaseRuntime(home === undefined ? resolveHome() : resolve(home));
  const { client } = lease;
  try {
    const info = await readSession(client, sessionId, dir);
    if (info === undefined) throw sessionNotFound(sessionId);
    const readBlob = blobReader(client, sessionId);
    let after: string | undefined;
    for (;;) {
      const page = await client.request('events/read', { sessionId, ...(after === undefined ? {} : { after }) });
      for (const event of page.events) {
        yield event.type === 'unknown' || !isWhole ? event : await hydrateEvent(event, readBlob);
        if (event.id === info.cursor) return;
      }
      if (!page.more) return;
      after = page.cursor;
    }
  } finally {
    await lease.release();
  }
}
