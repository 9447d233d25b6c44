import { RondoError } from '@rondo/protocol/values';
import { renameSession, tagSession } from '@rondo/sdk';
import { printableLine } from '../terminal/printable-text.ts';
import { findSession } from './find-session.ts';

/** Gives the session a title, and says what it is called now. */
export async function renameSessionText(idOrBeginning: string, title: string): Promise<string> {
  if (title.trim() === '') {
    throw new RondoError('input.invalid', `What is it to be called? rondo sessions rename ${idOrBeginning} TITLE`);
  }
  const { sessionId } = await findSession(idOrBeginning);
  await renameSession(sessionId, title);
  return `${sessionId} is called: ${printableLine(title, 200)}\n`;
}

/** Gives the session a tag, or takes its tag away where there is none in the arguments. */
export async function tagSessionText(idOrBeginning: string, tag: string | undefined): Promise<string> {
  const { sessionId, tag: former } = await findSession(idOrBeginning);
  if (tag === undefined && former === undefined) return `${sessionId} has no tag.\n`;
  await tagSession(sessionId, tag ?? null);
  return tag === undefined
    ? `${sessionId} has no tag any more; it was: ${printableLine(former ?? '', 200)}\n`
    : `${sessionId} is tagged: ${printableLine(tag, 200)}\n`;
}
