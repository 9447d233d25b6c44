import type { OpenCallback } from '@rondo/protocol';
import { readSession } from './get-session-info.ts';
import { withHome, type HomeOptions } from './with-home.ts';

/** A turn that has begun and not ended. */
export interface UnfinishedTurn {
  readonly turnId: string;
  /** What it waits for an answer to; empty when it was at work. */
  readonly questions: readonly OpenCallback[];
}

/** The turn of a session that is at work, or that its process left behind; undefined when there is none. */
export async function getUnfinishedTurn(
  sessionId: string,
  where: HomeOptions = {},
): Promise<UnfinishedTurn | undefined> {
  return await withHome(where, async (client) => {
    const turnId = (await readSession(client, sessionId, undefined))?.activeTurnId;
    if (turnId === undefined) return undefined;
    const record = await client.session(sessionId).turn(turnId).get();
    if (record.type === 'blocked') return { turnId, questions: record.callbacks };
    return record.type === 'running' ? { turnId, questions: [] } : undefined;
  });
}
