import { listSessions } from '@rondo/sdk';
import type { ChatRequest } from '../command/chat-request.ts';
import { findSession } from '../sessions/find-session.ts';
import { sessionTable } from '../sessions/list-sessions.ts';
import type { Keyboard } from './keyboard.ts';

const offered = 9;

/**
 * The request with its session named in full: a beginning is completed, a bare `--resume` asks which one. Undefined
 * when the person chose none.
 */
export async function chooseSession(
  request: ChatRequest,
  keyboard: Pick<Keyboard, 'readLine'>,
): Promise<ChatRequest | undefined> {
  if (request.resume === undefined) return request;
  if (request.resume !== '') return { ...request, resume: (await findSession(request.resume)).sessionId };

  const sessions = await listSessions({ dir: process.cwd(), limit: offered });
  if (sessions.length === 0) {
    process.stdout.write('There is no session of this folder yet: this is a new one.\n');
    const { resume: _none, ...fresh } = request;
    return fresh;
  }
  const table = sessionTable(sessions, { width: (process.stdout.columns || 80) - 3, now: Date.now() });
  const rows = table.trimEnd().split('\n');
  process.stdout.write(rows.map((row, index) => `${index + 1}  ${row}\n`).join(''));
  for (;;) {
    const answer = await keyboard.readLine({ prompt: `Which one (1 to ${sessions.length})? `, purpose: 'answer' });
    if (answer.type !== 'line') return undefined;
    const chosen = sessions[Number(answer.text) - 1];
    if (chosen !== undefined) return { ...request, resume: chosen.sessionId };
  }
}
