import type { AnyEvent } from '@rondo/protocol';
import { createFileStore } from '@rondo/runtime/node';
import type { Place } from './place.ts';

/** The events of a session, as any other process reads them. */
export async function storedEvents(place: Place, sessionId: string): Promise<AnyEvent[]> {
  const store = createFileStore({ home: place.home });
  try {
    return await Array.fromAsync(store.read(sessionId));
  } finally {
    await store.close();
  }
}
