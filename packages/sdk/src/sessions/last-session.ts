import type { Client } from '@rondo/client';
import type { SessionInfo } from '@rondo/protocol';

/**
 * The session that a folder, or an agent, last worked with: the one whose last turn is the newest, whichever was renamed or looked
 * after since. One that has ended cannot be gone on with, and does not count.
 */
export async function lastSession(
  client: Client,
  { cwd, agentName }: { readonly cwd?: string; readonly agentName?: string },
): Promise<SessionInfo | undefined> {
  let last: SessionInfo | undefined;
  for await (const info of client.listSessions(cwd === undefined ? {} : { cwd })) {
    // They come by their last event, and no turn is newer than that.
    if (last !== undefined && info.updatedAt < workedAt(last)) break;
    if (info.status === 'terminated') continue;
    if (agentName !== undefined && info.agentName !== agentName) continue;
    if (last === undefined || workedAt(info) > workedAt(last)) last = info;
  }
  return last;
}

/** A session that has had no turn yet was made to have one. */
function workedAt({ lastTurnAt, createdAt }: SessionInfo): string {
  return lastTurnAt ?? createdAt;
}
