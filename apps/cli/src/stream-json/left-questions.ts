import { isUuid } from '@rondo/protocol/values';
import { getLastSession, getUnfinishedTurn } from '@rondo/sdk';
import type { ChatRequest } from '../command/chat-request.ts';
import type { RequestFrame } from './client-requests.ts';

/** How long a session may take to put its open questions again. One that cannot go on here never does. */
const patienceMs = 2_000;

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

export interface AskingWatch {
  /** To be called whenever a question is put. */
  look(): void;
  /** Resolves once all of them are put again, and at the latest when that takes too long. */
  untilAsked(left: readonly LeftQuestion[]): Promise<void>;
}

export interface AskingWatchOptions {
  readonly isAsked: (id: string) => boolean;
  /** Nothing is asked any more. */
  readonly over: Promise<void>;
}

export function createAskingWatch({ isAsked, over }: AskingWatchOptions): AskingWatch {
  let look = (): void => {};
  return {
    look: () => look(),
    async untilAsked(left) {
      const { promise, resolve } = Promise.withResolvers<void>();
      look = () => left.every(({ id }) => isAsked(id)) && resolve();
      look();
      const patience = setTimeout(resolve, patienceMs);
      await Promise.race([promise, over]);
      clearTimeout(patience);
      look = () => {};
    },
  };
}

/** Whether a turn does nothing but wait for these questions: every call that was shown and has no result is one of theirs. */
export function isBlockedBy(questions: readonly RequestFrame[], openCalls: ReadonlySet<string>): boolean {
  const asked = new Set(questions.map((frame) => frame.request['tool_use_id']));
  // What a subagent calls is not shown, and the call that it works for goes on as long as it does.
  if (questions.some((frame) => frame.request['agent_id'] !== undefined)) return true;
  return questions.length > 0 && [...openCalls].every((id) => asked.has(id));
}
