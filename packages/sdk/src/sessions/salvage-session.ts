import { resolve } from 'node:path';
import { resolveHome, type Salvage, salvageSession as salvageIn } from '@rondo/runtime/node';
import type { HomeOptions } from './with-home.ts';

/**
 * Makes a new session of everything that can be read of a damaged one, which stays as it is, and says what was lost.
 * @throws RondoError `session.not_found`; `log.damaged` where nothing says what the session was started with.
 */
export async function salvageSession(sessionId: string, { home }: HomeOptions = {}): Promise<Salvage> {
  return await salvageIn(home === undefined ? resolveHome() : resolve(home), sessionId);
}
