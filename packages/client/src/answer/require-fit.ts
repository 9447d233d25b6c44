import type { OpenCallback } from '@rondo/protocol';
import { RondoError } from '@rondo/protocol/values';
import type { Answer } from './answer.ts';
import { callbackId } from './callback-id.ts';

/** @throws RondoError `answer.unfit` when the question cannot have this answer. */
export function requireFit(callback: OpenCallback, answer: Answer): void {
  const problem = misfit(callback, answer);
  if (problem === undefined) return;
  const id = callbackId(callback);
  throw new RondoError('answer.unfit', `question ${id}: ${problem}; it stays open and nothing was sent`, {
    details: { callbackId: id, callbackType: callback.type, answerType: answer.type },
  });
}

function misfit(callback: OpenCallback, answer: Answer): string | undefined {
  switch (callback.type) {
    case 'approval':
      if (answer.type === 'sign_in') return 'an approval takes allowApproval() or denyApproval()';
      if (answer.type === 'allow' && answer.scope === 'session' && callback.request.source === 'hook') {
        return 'what a hook asks can be allowed once only, not for the session';
      }
      return undefined;
    case 'sign_in':
      if (answer.type !== 'sign_in') return 'a sign-in takes signInAnswer()';
      return sourceProblem(
        callback.requests.map(({ sourceId }) => sourceId),
        [...answer.connected, ...answer.denied],
      );
    case 'client_tool':
      return 'a client tool call takes its result, not an approval or a sign-in';
    case 'unknown':
      return `it is of the kind "${callback.originalType}", which this version cannot answer`;
  }
}

/** Every requested source is named once, and nothing else is. */
function sourceProblem(requested: readonly string[], named: readonly string[]): string | undefined {
  const missing = requested.filter((source) => !named.includes(source));
  if (missing.length > 0) return `the answer leaves out ${missing.join(', ')}`;
  const extra = named.filter((source, index) => !requested.includes(source) || named.indexOf(source) !== index);
  return extra.length > 0
    ? `the answer names ${extra.join(', ')}, which was not asked for or is named twice`
    : undefined;
}
