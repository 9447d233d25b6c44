import { readSession, type GetSessionInfoOptions } from './get-session-info.ts';
import { lineOf, sessionNotFound } from './update-session.ts';
import { withHome } from './with-home.ts';

export interface ForkSessionOptions extends GetSessionInfoOptions {
  /** What the copy is called; its first prompt names it otherwise. */
  title?: string;
}

/**
 * A session of its own with all that was said and done in another, which stays as it is. A turn that is at work there is
 * settled in the copy, and runs nothing.
 * @throws RondoError `session.not_found`, `input.invalid` for a title of nothing but spaces.
 */
export async function forkSession(
  sessionId: string,
  { dir, title, ...where }: ForkSessionOptions = {},
): Promise<{ sessionId: string }> {
  const named = title === undefined ? {} : { title: lineOf(title, 'title') };
  return await withHome(where, async (client, runtime) => {
    if ((await readSession(client, sessionId, dir)) === undefined) throw sessionNotFound(sessionId);
    const fork = await runtime.forkSession({ sessionId, ...named });
    return { sessionId: fork.sessionId };
  });
}
