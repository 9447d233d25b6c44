import { salvageSession } from '@rondo/sdk';
import { storedSessionId } from './verify-sessions.ts';

/** Makes a new session of what can be read of a damaged one, and lists what cannot; exit code 1 where anything is lost. */
export async function salvageSessionText(
  idOrBeginning: string,
): Promise<{ readonly text: string; readonly exitCode: number }> {
  const damaged = await storedSessionId(idOrBeginning);
  const { sessionId, events, lost } = await salvageSession(damaged);
  const lines = lost.length === 0 ? '  Nothing was lost.\n' : lost.map((what) => `  Lost: ${what}.\n`).join('');
  const text = `${sessionId}  has ${events} events of ${damaged}, which stays as it is\n${lines}Go on with: rondo --resume ${sessionId}\n`;
  return { text, exitCode: lost.length === 0 ? 0 : 1 };
}
