import type { AnswerOutcome, OpenCallback, TurnRecord } from '@rondo/protocol';
import { isRondoError, RondoError } from '@rondo/protocol/values';
import { freezeRecord } from '../record/freeze-record.ts';
import type { TurnAddress } from '../turn-address.ts';
import { requireFit } from './require-fit.ts';
import { type Answer, isAnswer, plainAnswer } from './answer.ts';
import { callbackId } from './callback-id.ts';

/** A question as a read found it, and the place of that read. */
interface OpenQuestion {
  readonly callback: OpenCallback;
  readonly cursor: string;
}

/**
 * Answers a question of the turn's session by its ID, whichever of its turns asked it. The session is read once before,
 * so that an answer that does not fit is refused here and the question stays open.
 */
export async function answerCallback(turn: TurnAddress, id: string, answer: Answer): Promise<AnswerOutcome> {
  if (!isUuid(id))
    throw new TypeError(`${JSON.stringify(id)} is no callback ID: pass the id of an open callback, a UUID`);
  if (!isAnswer(answer)) {
    throw new RondoError(
      'answer.unfit',
      'an answer is made by allowApproval(), denyApproval() or signInAnswer(); nothing was sent',
      {
        details: { callbackId: id },
      },
    );
  }
  const question = await findOpen(turn, id);
  if (question !== undefined) requireFit(question.callback, answer);

  const sessionId = question === undefined ? turn.sessionId : ownerOf(question.callback, turn.sessionId);
  const outcome = await turn.connection.request('callback/answer', {
    sessionId,
    callbackId: id,
    answer: plainAnswer(answer),
  });
  if (outcome.type !== 'alreadySettled' || question === undefined) return freezeRecord(outcome);
  return freezeRecord(await outcomeOfRace(turn, sessionId, id, question));
}

/** The question in the record of this turn, or else in that of the session's active one. */
async function findOpen(turn: TurnAddress, id: string): Promise<OpenQuestion | undefined> {
  const { connection, sessionId, turnId } = turn;
  const record = await turn.read().catch((error: unknown) => {
    if (isRondoError(error, 'turn.not_found')) return undefined;
    throw error;
  });
  const found = record === undefined ? undefined : openIn(record, id);
  if (found !== undefined || record?.type === 'blocked' || record?.type === 'running') return found;
  const { activeTurnId } = await connection.request('session/read', { sessionId });
  if (activeTurnId === undefined || activeTurnId === turnId) return undefined;
  return openIn(await connection.request('turn/read', { sessionId, turnId: activeTurnId }), id);
}

function openIn(record: TurnRecord, id: string): OpenQuestion | undefined {
  if (record.type !== 'blocked') return undefined;
  const callback = record.callbacks.find((open) => callbackId(open) === id);
  return callback === undefined ? undefined : { callback, cursor: record.cursor };
}

function ownerOf(callback: OpenCallback, sessionId: string): string {
  return callback.type === 'unknown' ? sessionId : callback.sessionId;
}

/**
 * Someone else answered between our read and our answer: both were answers to an open question, and the one that
 * counted is in the log. A question that was closed instead is settled for everyone.
 */
async function outcomeOfRace(
  turn: TurnAddress,
  sessionId: string,
  id: string,
  { callback, cursor }: OpenQuestion,
): Promise<AnswerOutcome> {
  let after = sessionId === turn.sessionId ? cursor : undefined;
  try {
    for (;;) {
      const page = await turn.connection.request('events/read', {
        sessionId,
        ...(after === undefined ? {} : { after }),
      });
      for (const event of page.events) {
        if (event.type !== 'callback.resolved' || event.callbackId !== id) continue;
        if (event.resolution === 'closed') return { type: 'alreadySettled', sessionId };
        const counted = event.answer;
        const isDecision = callback.type === 'approval' && (counted?.type === 'allow' || counted?.type === 'deny');
        return { type: 'answered', sessionId, answer: isDecision ? counted : null };
      }
      if (!page.more) break;
      after = page.cursor;
    }
  } catch (error) {
    if (!isRondoError(error)) throw error;
  }
  return { type: 'answered', sessionId, answer: null };
}

function isUuid(id: unknown): boolean {
  return typeof id === 'string' && /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(id);
}
