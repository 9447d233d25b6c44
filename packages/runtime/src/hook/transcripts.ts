import type { AnyEvent, SessionEvent } from '@rondo/protocol';

/** A session tree's log, and what keeps transcripts of it can ask of it. */
export interface TranscribedLog {
  readonly rootId: string;
  /** The log's file. */
  readonly path: string;
  read(after: number): AsyncIterable<AnyEvent>;
}

/**
 * Keeps what was said in sessions in files of another shape, for hooks that read them. They follow from the log: whatever
 * becomes of them, they are made anew.
 */
export interface Transcripts {
  /** Where a session's is. It need not be there yet. */
  path(log: Pick<TranscribedLog, 'rootId' | 'path'>, sessionId: string): string;
  /** Hears what has been committed, so that it need not be read. Answers at once. */
  see(log: TranscribedLog, events: readonly SessionEvent[]): void;
  /** Resolves when the sessions' files say all that is committed, or cannot. Never rejects. */
  update(log: TranscribedLog, sessionIds: readonly string[]): Promise<void>;
}
