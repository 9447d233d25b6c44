import { getUnfinishedTurn, listSessions, type SDKSessionInfo } from '@rondo/sdk';
import type { ChatRequest } from '../command/chat-request.ts';
import { askedSession } from '../sessions/find-session.ts';
import { sessionTable } from '../sessions/list-sessions.ts';
import type { Keyboard } from './keyboard.ts';

const offered = 9;

/** What the conversation begins with: a session, or none for a new one. `left` when the person chose none. */
export type ChosenSession = SDKSessionInfo | 'left' | undefined;

/**
 * The session to go on with: the one named, the latest, or for a bare `--resume` the one that the person picks.
 * @throws RondoError `session.not_found`.
 */
export async function chooseSession(
  request: ChatRequest,
  keyboard: Pick<Keyboard, 'readLine'>,
): Promise<ChosenSession> {
  if (request.resume !== '') {
    return request.continue || request.resume !== undefined ? await askedSession(request) : undefined;
  }
  const sessions = await listSessions({ dir: process.cwd(), limit: offered });
  if (sessions.length === 0) {
    process.stdout.write('This folder has no session yet: this is a new one.\n');
    return undefined;
  }
  const table = sessionTable(sessions, { width: (process.stdout.columns || 80) - 3, now: Date.now() });
  const rows = table.trimEnd().split('\n');
  process.stdout.write(rows.map((row, index) => `${index + 1}  ${row}\n`).join(''));
  for (;;) {
    const answer = await keyboard.readLine({ prompt: `Which one (1 to ${sessions.length})? `, purpose: 'answer' });
    if (answer.type !== 'line') return 'left';
    const chosen = sessions[Number(answer.text) - 1];
    if (chosen !== undefined) return chosen;
  }
}

/**
 * What is to become of a turn that its process left in the middle: the person says. A turn that waits for an answer
 * asks its question by itself, and most sessions have neither.
 */
export async function chooseUnfinished(
  sessionId: string,
  keyboard: Pick<Keyboard, 'readLine'>,
): Promise<'continue' | undefined> {
  const turn = await getUnfinishedTurn(sessionId);
  if (turn === undefined || turn.questions.length > 0) return undefined;
  process.stdout.write('Its last turn did not finish: the process that ran it has ended.\n');
  for (;;) {
    const answer = await keyboard.readLine({ prompt: 'c continues it, s stops it here: ', purpose: 'answer' });
    if (answer.type !== 'line' || answer.text.trim() === 's') return undefined;
    if (answer.text.trim() === 'c') return 'continue';
  }
}
