import { forkSession } from '@rondo/sdk';
import { findSession } from './find-session.ts';

/** Copies the session, and says what the copy is and how to go on with it. */
export async function forkSessionText(idOrBeginning: string, title: string | undefined): Promise<string> {
  const source = await findSession(idOrBeginning);
  const fork = await forkSession(source.sessionId, title === undefined ? {} : { title });
  return `${fork.sessionId} is a copy of ${source.sessionId}. Go on with it: rondo --resume ${fork.sessionId}\n`;
}
