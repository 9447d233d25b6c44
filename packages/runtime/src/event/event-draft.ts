import type { SessionEvent } from '@rondo/protocol';

type DraftOf<Event> = Event extends SessionEvent ? Omit<Event, 'seq' | 'id' | 'at' | 'sessionId'> : never;

/** An event before the log has given it its place and time. */
export type EventDraft = DraftOf<SessionEvent>;
