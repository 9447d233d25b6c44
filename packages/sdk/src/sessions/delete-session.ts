import { readSession, type GetSessionInfoOptions } from './get-session-info.ts';
import { sessionNotFound } from './update-session.ts';
import { withHome } from './with-home.ts';

/**
 * Removes a session, with the outputs kept beside it, for good. Copies of it live on.
 * @throws RondoError `session.not_found`, `session.in_use` while any process has it open.
 */
export async function deleteSession(sessionId: string, { dir, ...where }: GetSessionInfoOptions = {}): Promise<void> {
  await withHome(where, async (client, runtime) => {
    if ((await readSession(client, sessionId, dir)) === undefined) throw sessionNotFound(sessionId);
    await runtime.deleteSession(sessionId);
  });
}
