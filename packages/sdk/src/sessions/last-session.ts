import type { Client } from '@rondo/client';
import type { SessionInfo } from '@rondo/protocol';

/**
 * The session that a folder last worked with: the one whose last turn is the newest, whichever was renamed or looked
 * after since. One that has ended cannot be gone on with, and does not count.
 */
export async function lastSession(client: Client, cwd: string): Promise<SessionInfo | undefined> {
  let last: SessionInfo | undefined;
  for await (const info of client.listSessions({ cwd })) {
    // They come by their last event, and no turn is newer than that.
    if (last !== undefined && info.updatedAt < workedAt(last)) break;
    if (info.status === 'terminated') continue;
    if (last === undefined || workedAt(info) > workedAt(last)) last = info;
  }
  return last;
}

/** A session that has had no turn yet was made to have one. */
function workedAt({ lastTurnAt, createdAt }: SessionInfo): string {
  return lastTurnAt ?? createdAt;
}
