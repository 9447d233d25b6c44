import type { Client, Session } from '@rondo/client';
import type { AnyEvent } from '@rondo/protocol';
import { hydrateEvent } from '@rondo/runtime';

/** Reads what is kept beside a session's log, by its hash. */
export function blobReader(client: Client, sessionId: string): (hash: string) => Promise<Uint8Array> {
  return async (hash) => {
    const parts: Buffer[] = [];
    for (let offset = 0; ; ) {
      const part = await client.request('blobs/read', { sessionId, hash, offset });
      parts.push(Buffer.from(part.data, 'base64'));
      if (!part.more) return Buffer.concat(parts);
      offset += part.bytes;
    }
  };
}

/** A session's events from its first one on, and then those that follow, with what is kept beside the log. */
export function wholeEvents(client: Client, session: Session): AsyncIterator<AnyEvent> {
  const readBlob = blobReader(client, session.id);
  const events = session.events()[Symbol.asyncIterator]();
  return {
    async next() {
      for (;;) {
        const { done, value: event } = await events.next();
        if (done === true) return { done: true, value: undefined };
        if (!('seq' in event)) continue;
        return { done: false, value: event.type === 'unknown' ? event : await hydrateEvent(event, readBlob) };
      }
    },
    async return() {
      await events.return?.();
      return { done: true, value: undefined };
    },
  };
}
