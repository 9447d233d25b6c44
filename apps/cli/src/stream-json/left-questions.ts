import { isUuid } from '@rondo/protocol/values';
import { getLastSession, getUnfinishedTurn } from '@rondo/sdk';
import type { ChatRequest } from '../command/chat-request.ts';

/** A question that a former process of the session left open. */
export interface LeftQuestion {
  readonly id: string;
  readonly toolUseId: string;
}

/** The questions that are open in the session that is to be gone on with. What cannot be read is no matter here. */
export async function leftQuestions({
  continue: latest,
  resume,
  forkSession,
}: ChatRequest): Promise<readonly LeftQuestion[]> {
  if (forkSession || (resume === undefined && !latest)) return [];
  try {
    const sessionId = resume ?? (await getLastSession({ dir: process.cwd() }))?.sessionId;
    const turn = sessionId === undefined || !isUuid(sessionId) ? undefined : await getUnfinishedTurn(sessionId);
    return (turn?.questions ?? []).flatMap((question) =>
      question.type === 'approval' ? [{ id: question.id, toolUseId: question.request.toolCallId }] : [],
    );
  } catch {
    return [];
  }
}
