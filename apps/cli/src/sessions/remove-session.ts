import { createInterface } from 'node:readline/promises';
import { RondoError } from '@rondo/protocol/values';
import { deleteSession, type SDKSessionInfo } from '@rondo/sdk';
import { printableLine } from '../terminal/printable-text.ts';
import { findSession } from './find-session.ts';

/** Removes the session for good, once a person at the terminal or `--force` has said so. */
export async function removeSessionText(idOrBeginning: string, { force }: { force: boolean }): Promise<string> {
  const session = await findSession(idOrBeginning);
  const { sessionId } = session;
  if (!force && !(await confirmed(session))) return `Kept ${sessionId}.\n`;
  await deleteSession(sessionId);
  return `Removed ${sessionId}.\n`;
}

/** Only a plain yes counts: an empty line, another word, or the end of the input keeps the session. */
async function confirmed({ sessionId, summary }: SDKSessionInfo): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stdout.isTTY) {
    throw new RondoError(
      'input.invalid',
      `Nobody can be asked here. --force removes ${sessionId} for good without a question.`,
    );
  }
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  try {
    // Ctrl-C and Ctrl-D close the input.
    const ended = new Promise<string>((resolve) => lines.once('close', () => resolve('')));
    const question = `Remove ${sessionId} (${printableLine(summary, 60)}) for good? [y/N] `;
    const answer = await Promise.race([lines.question(question).catch(() => ''), ended]);
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    lines.close();
  }
}
