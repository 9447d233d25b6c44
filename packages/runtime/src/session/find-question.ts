import type { AnswerOutcome } from '@rondo/protocol';
import { RondoError } from '@rondo/protocol/values';
import type { SessionState } from '../event/session-state.ts';
import { descendantsOf, type TreeState } from '../event/tree-state.ts';

/**
 * Whose question this is, asked at a session: its own, open or settled, or one that is open in a session below it. One
 * that was settled there is for its owner alone to tell of.
 * @throws RondoError `answer.unfit` when two sessions below have a question open under this ID.
 */
export function findQuestion(
  tree: TreeState,
  state: SessionState,
  callbackId: string,
): { readonly state: SessionState } | { readonly outcome: AnswerOutcome } {
  if (state.callbacks.get(callbackId)?.settled === false) return { state };
  if (state.callbacks.has(callbackId) || state.settledCallbacks.has(callbackId))
    return { outcome: { type: 'alreadySettled', sessionId: state.sessionId } };
  const below = descendantsOf(tree, state.sessionId);
  const [owner, another] = below.filter(({ callbacks }) => callbacks.get(callbackId)?.settled === false);
  if (owner === undefined) return { outcome: { type: 'notFound' } };
  if (another === undefined) return { state: owner };
  throw new RondoError(
    'answer.unfit',
    `two agents have a question ${callbackId} open: answer it in session ${owner.sessionId} or ${another.sessionId}`,
    { details: { callbackId, sessionIds: [owner.sessionId, another.sessionId] } },
  );
}
