import type { AnswerOutcome, OpenCallback, TurnRecord } from '@rondo/protocol';
import { answerMisfit, isRondoError, RondoError } from '@rondo/protocol/values';
import { clientToolResult } from '../handlers/client-tool-result.ts';
import { isPlatformTool, type KnownTools } from '../handlers/known-tools.ts';
import { freezeRecord } from '../record/freeze-record.ts';
import type { TurnAddress } from '../turn-address.ts';
import { type Answer, isAnswer, isKeepOpen, type PlainAnswer, plainAnswer } from './answer.ts';
import { callbackId } from './callback-id.ts';
import { findSettled, resolutionOf } from './settled-question.ts';

/** A question as a read found it, and the place of that read. */
interface OpenQuestion {
  readonly callback: OpenCallback;
  readonly cursor: string;
}

/**
 * Answers a question of the turn's session by its ID, whichever of its turns asked it. The session is read once before,
 * so that an answer that does not fit is refused here and the question stays open.
 */
export async function answerCallback(
  turn: TurnAddress,
  id: string,
  answer: Answer,
  tools: KnownTools,
): Promise<AnswerOutcome> {
  if (!isUuid(id))
    throw new TypeError(`${JSON.stringify(id)} is no callback ID: pass the id of an open callback, a UUID`);
  if (answer === undefined) throw unfit(id, 'there is no answer');
  if (isKeepOpen(answer))
    throw unfit(id, 'keepCallbackOpen() is for handlers; to leave a question open, do not answer it');

  const question = await findOpen(turn, id);
  if (question === undefined) {
    const settled = await findSettled(turn, id);
    if (settled === undefined) return Object.freeze({ type: 'notFound' });
    await fittingAnswer(settled, answer, tools);
    return Object.freeze({ type: 'alreadySettled', sessionId: turn.sessionId });
  }
  const plain = await fittingAnswer(question.callback, answer, tools);
  const sessionId = ownerOf(question.callback, turn.sessionId);
  const outcome = await turn.connection.request('callback/answer', { sessionId, callbackId: id, answer: plain });
  if (outcome.type !== 'alreadySettled') return freezeRecord(outcome);
  return freezeRecord(await outcomeOfRace(turn, sessionId, question));
}

/** @throws RondoError `answer.unfit` when the question cannot have this answer. */
async function fittingAnswer(callback: OpenCallback, answer: Answer, tools: KnownTools): Promise<PlainAnswer> {
  const plain = await plainAnswerTo(callback, answer, tools);
  const problem = answerMisfit(callback, plain);
  if (problem !== undefined) throw unfit(callbackId(callback), problem);
  return plain;
}

async function plainAnswerTo(callback: OpenCallback, answer: Answer, tools: KnownTools): Promise<PlainAnswer> {
  if (callback.type !== 'client_tool') {
    if (isAnswer(answer)) return plainAnswer(answer);
    throw unfit(callbackId(callback), 'an answer is made by allowApproval(), denyApproval() or signInAnswer()');
  }
  const { toolId, name } = callback.call;
  if (isPlatformTool(toolId)) throw unfit(callback.id, `calls of ${toolId} are the host's to answer`);
  try {
    return await clientToolResult(answer, tools.get(toolId));
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw unfit(callback.id, `the call of ${name} cannot have it: ${cause.message}`, cause);
  }
}

function unfit(id: string, problem: string, cause?: unknown): RondoError {
  return new RondoError('answer.unfit', `question ${id}: ${problem}; nothing was sent`, {
    details: { callbackId: id },
    ...(cause === undefined ? {} : { cause }),
  });
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

/** @throws RondoError `answer.unfit` when two sessions of the tree have a question of this ID. */
function openIn(record: TurnRecord, id: string): OpenQuestion | undefined {
  if (record.type !== 'blocked') return undefined;
  const [callback, another] = record.callbacks.filter((open) => callbackId(open) === id);
  if (callback === undefined) return undefined;
  if (another === undefined) return { callback, cursor: record.cursor };
  const sessions = [callback, another].map((open) => ownerOf(open, record.sessionId)).join(' and ');
  throw unfit(id, `it is open in sessions ${sessions}; answer it on a turn of the one that is meant`);
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
  { callback, cursor }: OpenQuestion,
): Promise<AnswerOutcome> {
  const after = sessionId === turn.sessionId ? cursor : undefined;
  try {
    const resolved = await resolutionOf(turn.connection, { sessionId, callbackId: callbackId(callback), after });
    if (resolved?.resolution === 'closed') return { type: 'alreadySettled', sessionId };
    const counted = resolved?.answer;
    const isDecision = callback.type === 'approval' && (counted?.type === 'allow' || counted?.type === 'deny');
    return { type: 'answered', sessionId, answer: isDecision ? counted : null };
  } catch (error) {
    if (!isRondoError(error)) throw error;
    return { type: 'answered', sessionId, answer: null };
  }
}

function isUuid(id: unknown): boolean {
  return typeof id === 'string' && /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(id);
}
