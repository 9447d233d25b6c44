import type { SessionChanges } from '@rondo/client';
import { RondoError } from '@rondo/protocol/values';
import { readSession, type GetSessionInfoOptions } from './get-session-info.ts';
import { withHome } from './with-home.ts';

/**
 * Gives a session another title. What it was doing is not touched; the change counts as its last event.
 * @throws RondoError `session.not_found`, `session.in_use`, `input.invalid` for a title of nothing but spaces.
 */
export async function renameSession(
  sessionId: string,
  title: string,
  options: GetSessionInfoOptions = {},
): Promise<void> {
  await updateSession(sessionId, { title: lineOf(title, 'title') }, options);
}

/**
 * Gives a session a tag, or takes its tag away with null.
 * @throws RondoError `session.not_found`, `session.in_use`, `input.invalid` for a tag of nothing but spaces.
 */
export async function tagSession(
  sessionId: string,
  tag: string | null,
  options: GetSessionInfoOptions = {},
): Promise<void> {
  await updateSession(sessionId, { tag: tag === null ? null : lineOf(tag, 'tag') }, options);
}

async function updateSession(
  sessionId: string,
  changes: SessionChanges,
  { dir, ...where }: GetSessionInfoOptions,
): Promise<void> {
  await withHome(where, async (client) => {
    if ((await readSession(client, sessionId, dir)) === undefined) throw sessionNotFound(sessionId);
    await client.session(sessionId).update(changes);
  });
}

export function sessionNotFound(sessionId: string): RondoError {
  return new RondoError('session.not_found', `there is no session ${sessionId}`, { details: { sessionId } });
}

/** Names are shown in lists, a line each. */
export function lineOf(text: string, what: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  if (line !== '') return line;
  throw new RondoError('input.invalid', `A session's ${what} needs at least one character that is no space.`);
}
