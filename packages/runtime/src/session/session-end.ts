import type { AnyEvent } from '@rondo/protocol';

/** The last event of a session. */
export function isEnd(event: AnyEvent): boolean {
  return event.type === 'session.updated' && event.status === 'terminated';
}
