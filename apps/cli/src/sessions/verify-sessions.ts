import { RondoError } from '@rondo/protocol/values';
import { getStoredSessionIds, type SessionCheck, verifySession } from '@rondo/sdk';
import { printableLine } from '../terminal/printable-text.ts';

/** What is right and wrong with a session, or with all of them; exit code 1 where anything is wrong. */
export async function verifySessionsText(
  idOrBeginning: string | undefined,
): Promise<{ readonly text: string; readonly exitCode: number }> {
  const asked = idOrBeginning === undefined ? await getStoredSessionIds() : [await storedSessionId(idOrBeginning)];
  let text = '';
  let exitCode = 0;
  for (const sessionId of asked) {
    const check = await verifySession(sessionId);
    text += checkText(sessionId, check);
    if (check.problems.length > 0) exitCode = 1;
  }
  return { text: text === '' ? 'No sessions yet.\n' : text, exitCode };
}

/** Among the folders: a session that no list can read any more has its name still. */
export async function storedSessionId(idOrBeginning: string): Promise<string> {
  const wanted = idOrBeginning.toLowerCase();
  const found = (await getStoredSessionIds()).filter((sessionId) => sessionId.startsWith(wanted));
  const [only, another] = found;
  if (only === undefined) {
    const name = printableLine(idOrBeginning, 60);
    throw new RondoError(
      'session.not_found',
      `There is no session ${name}. rondo sessions verify --all looks at all there are.`,
    );
  }
  if (another !== undefined) {
    const ids = found.slice(0, 5).join(', ');
    throw new RondoError('input.invalid', `${found.length} sessions begin with ${wanted}: ${ids}`);
  }
  return only;
}

function checkText(sessionId: string, { events, blobs, problems }: SessionCheck): string {
  if (problems.length === 0) return `${sessionId}  sound: ${events} events, ${blobs} blobs\n`;
  const lines = problems.map(({ where, what, opening }) => `  ${where}: ${what}. Opening it ${opening}.\n`);
  return `${sessionId}  damaged: ${events} events can be read\n${lines.join('')}`;
}
