import { join, sep } from 'node:path';
import { RondoError } from '@rondo/protocol/values';

/** Where a home keeps a session. */
export interface SessionPlaces {
  readonly home: string;
  /** The folder with one folder a session. */
  readonly sessions: string;
  folder(sessionId: string): string;
  log(sessionId: string): string;
  /** What spares reading the log from its start: a cache. */
  snapshot(sessionId: string): string;
}

export function sessionPlaces(home: string): SessionPlaces {
  const sessions = join(home, 'sessions');
  return {
    home,
    sessions,
    folder: (sessionId) => join(sessions, sessionId),
    // Not by `join`, which takes longer than asking the system for the file: a list asks for twenty thousand.
    log: (sessionId) => `${sessions}${sep}${sessionId}${sep}log.jsonl`,
    snapshot: (sessionId) => join(sessions, sessionId, 'snapshot'),
  };
}

/** False for a text that could name a place outside the sessions' folder, or that a file system would not take. */
export function isSessionId(text: string): boolean {
  return /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}$/.test(text);
}

export function sessionNotFound(sessionId: string, why = 'it has no log here'): RondoError {
  return new RondoError(
    'session.not_found',
    `There is no session ${sessionId}: ${why}. List the sessions to see which there are.`,
    {
      details: { sessionId },
    },
  );
}
