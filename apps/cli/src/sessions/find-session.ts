import { RondoError } from '@rondo/protocol/values';
import { getLastSession, getSessionInfo, listSessions, type SDKSessionInfo } from '@rondo/sdk';
import type { ChatRequest } from '../command/chat-request.ts';
import { printableLine } from '../terminal/printable-text.ts';

/**
 * The session of that ID, or the only one whose ID begins so.
 * @throws RondoError `session.not_found`, or `input.invalid` naming the sessions that all begin so.
 */
export async function findSession(idOrBeginning: string): Promise<SDKSessionInfo> {
  const wanted = idOrBeginning.toLowerCase();
  const exact = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(wanted) ? await getSessionInfo(wanted) : undefined;
  if (exact !== undefined) return exact;
  const found = (await listSessions()).filter(({ sessionId }) => sessionId.startsWith(wanted));
  const [only, another] = found;
  if (wanted === '' || only === undefined) {
    throw new RondoError(
      'session.not_found',
      `There is no session ${printableLine(idOrBeginning, 60)}. rondo sessions list shows those there are.`,
    );
  }
  if (another !== undefined) {
    const ids = found.slice(0, 5).map(({ sessionId }) => sessionId);
    throw new RondoError('input.invalid', `${found.length} sessions begin with ${wanted}: ${ids.join(', ')}`);
  }
  return only;
}

/**
 * The session that `--resume` names or `--continue` means.
 * @throws RondoError `session.not_found`.
 */
export async function askedSession({ resume }: Pick<ChatRequest, 'resume'>): Promise<SDKSessionInfo> {
  if (resume !== undefined) return findSession(resume);
  const latest = await getLastSession({ dir: process.cwd() });
  if (latest !== undefined) return latest;
  throw new RondoError(
    'session.not_found',
    'This folder has no session to continue. Leave out --continue to start one.',
  );
}
