import { RondoError } from '@rondo/protocol/values';
import { getUnfinishedTurn } from '@rondo/sdk';
import type { ChatRequest } from '../command/chat-request.ts';
import { askedSession } from '../sessions/find-session.ts';
import { printableLine } from '../terminal/printable-text.ts';

/**
 * The ID of the session that was asked for, if it has a turn that can go on without anybody's word.
 * @throws RondoError `session.not_found`; `turn.not_found` when nothing is unfinished; `turn.blocked` naming the question
 * that is open.
 */
export async function unfinishedSession(request: ChatRequest): Promise<string> {
  const { sessionId } = await askedSession(request);
  const turn = await getUnfinishedTurn(sessionId);
  if (turn === undefined) {
    throw new RondoError(
      'turn.not_found',
      `Session ${sessionId} has no unfinished turn to go on with: give it a prompt.`,
    );
  }
  const [question] = turn.questions;
  if (question === undefined) return sessionId;
  const [title, id] = question.type === 'unknown' ? [question.originalType, ''] : [question.title, question.id];
  throw new RondoError(
    'turn.blocked',
    `Session ${sessionId} waits for an answer to question ${id}: ${printableLine(title, 200)}. Answer on a terminal, rondo --resume ${sessionId}, or give a prompt, which leaves the question behind.`,
    { details: { sessionId, turnId: turn.turnId, callbackId: id } },
  );
}
