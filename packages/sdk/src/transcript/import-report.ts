import type { RondoError } from '@rondo/protocol/values';
import type { HomeOptions } from '../sessions/with-home.ts';
import type { AddedTranscript } from './add-transcript.ts';

export interface ImportSessionsOptions extends HomeOptions {
  /** Says what would be done, and does nothing. */
  dryRun?: boolean;
  /** The folder of sessions whose lines name none; `process.cwd()` unless given. */
  dir?: string;
}

/** What became of one session of a file. */
export interface ImportedSession extends Partial<AddedTranscript> {
  readonly sessionId: string;
  readonly file: string;
  /** Why it was not imported. */
  readonly error?: RondoError;
}

export interface ImportReport {
  readonly sessions: readonly ImportedSession[];
  /** Lines that could not be read, each with its file and number. */
  readonly problems: readonly string[];
}
