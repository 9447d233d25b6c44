import type { SessionEvent } from '@rondo/protocol';
import type { EventStore } from '../event/event-store.ts';
import type { TranscribedLog, Transcripts } from '../hook/transcripts.ts';
import type { Binding } from '../turn/binding.ts';
import type { TurnParts } from '../turn/turn-parts.ts';
import type { SessionWriter } from './tree-writer.ts';

/** So many events are kept for a binding that is not known yet. */
const MOST_EARLY = 256;

export interface TranscribedSession {
  readonly rootId: string;
  readonly sessionId: string;
  readonly writer: Pick<SessionWriter, 'flushed'>;
}

/** Where hooks of a session find its transcript, and how that is brought up to what was said. */
export function transcriptsOf(
  store: EventStore,
  transcripts: Transcripts | undefined,
  { rootId, sessionId, writer }: TranscribedSession,
): Pick<TurnParts, 'transcriptPath' | 'ownTranscriptPath' | 'updateTranscripts'> {
  const log = logOf(store, rootId);
  if (log === undefined) return { transcriptPath: '', ownTranscriptPath: '' };
  if (transcripts === undefined) return { transcriptPath: log.path, ownTranscriptPath: log.path };
  const ids = sessionId === rootId ? [rootId] : [rootId, sessionId];
  return {
    transcriptPath: transcripts.path(log, rootId),
    ownTranscriptPath: transcripts.path(log, sessionId),
    // A log that cannot be written any more has told its session.
    updateTranscripts: () =>
      writer.flushed().then(
        () => transcripts.update(log, ids),
        () => {},
      ),
  };
}

/** Hands what a tree commits on to whoever keeps transcripts of it, where there are hooks to read them. */
export interface TranscriptFeed {
  see(events: readonly SessionEvent[]): void;
  /** Who works with the tree from now on. */
  use(binding: Binding): void;
}

/** @param isNew that the log had nothing in it: what came before the first binding is handed on too. */
export function createTranscriptFeed(store: EventStore, rootId: string, isNew: boolean): TranscriptFeed {
  let binding: Binding | undefined;
  let early: SessionEvent[] | undefined = isNew ? [] : undefined;

  const hand = (events: readonly SessionEvent[]): void => {
    if (events.length === 0 || (binding?.eventHooks?.length ?? 0) === 0) return;
    const log = logOf(store, rootId);
    if (log !== undefined) binding?.transcripts?.see(log, events);
  };

  return {
    see(events) {
      if (binding !== undefined) return hand(events);
      early?.push(...events);
      if (early !== undefined && early.length > MOST_EARLY) early = undefined;
    },
    use(used) {
      binding = used;
      const begun = early ?? [];
      early = undefined;
      hand(begun);
    },
  };
}

function logOf(store: EventStore, rootId: string): TranscribedLog | undefined {
  const path = store.logPath?.(rootId);
  return path === undefined ? undefined : { rootId, path, read: (after) => store.read(rootId, { after }) };
}
