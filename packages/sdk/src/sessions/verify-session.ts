import { resolve } from 'node:path';
import { resolveHome, type SessionCheck, storedSessionIds, verifySession as verifyIn } from '@rondo/runtime/node';
import type { HomeOptions } from './with-home.ts';

/** Every session there is a log of, also one that no list can show because its log cannot be read. */
export async function getStoredSessionIds({ home }: HomeOptions = {}): Promise<string[]> {
  return await storedSessionIds(placeOf(home));
}

/**
 * Reads a session's log and blobs whole, changes nothing, and says what is wrong with them.
 * @throws RondoError `session.not_found`.
 */
export async function verifySession(sessionId: string, { home }: HomeOptions = {}): Promise<SessionCheck> {
  return await verifyIn(placeOf(home), sessionId);
}

function placeOf(home: string | undefined): string {
  return home === undefined ? resolveHome() : resolve(home);
}
