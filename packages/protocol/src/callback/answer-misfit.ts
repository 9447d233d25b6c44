import type { z } from 'zod';
import type { CallbackAnswer, SignInAnswer } from './callback-answer.ts';
import type { OpenCallback, OpenSignIn } from './open-callback.ts';

type GivenAnswer = z.input<typeof CallbackAnswer>;

/** Why an answer is none for this question, as both ends of a channel judge it; undefined where it fits. */
export function answerMisfit(callback: OpenCallback, answer: GivenAnswer): string | undefined {
  switch (callback.type) {
    case 'approval':
      if (answer.type !== 'allow' && answer.type !== 'deny') return 'an approval is allowed or denied';
      if (answer.type === 'allow' && answer.scope === 'session' && callback.request.source === 'hook')
        return 'what a hook asks can be allowed once only, not for the session';
      return undefined;
    case 'sign_in':
      if (answer.type !== 'sign_in') return 'a sign-in says which of its sources were connected and which denied';
      return sourceMisfit(callback, answer);
    case 'client_tool':
      if (answer.type !== 'tool_result') return 'a client tool call takes its result or its error';
      return resultMisfit(answer);
    case 'unknown':
      return `it is of the kind "${callback.originalType}", which this version cannot answer`;
  }
}

/** Every requested source is named once, and nothing else is. */
function sourceMisfit({ requests }: OpenSignIn, { connected, denied }: SignInAnswer): string | undefined {
  const requested = requests.map(({ sourceId }) => sourceId);
  const named = [...connected, ...denied];
  const missing = requested.filter((source) => !named.includes(source));
  if (missing.length > 0) return `the answer leaves out ${missing.join(', ')}`;
  const extra = named.filter((source, index) => !requested.includes(source) || named.indexOf(source) !== index);
  return extra.length > 0
    ? `the answer names ${extra.join(', ')}, which was not asked for or is named twice`
    : undefined;
}

function resultMisfit({ result, content, error }: Extract<GivenAnswer, { type: 'tool_result' }>): string | undefined {
  if (error === undefined || ((result ?? null) === null && content === undefined)) return undefined;
  return 'a call ends with a result or with an error, not with both';
}
