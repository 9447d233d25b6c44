import { type Query, query, type SDKUserMessage } from '@rondo/sdk';
import type { ChatRequest } from '../command/chat-request.ts';
import { queryOptions } from '../compose.ts';

/**
 * Sets the prompt to work in the session that was asked for. Without a prompt the unfinished turn of that session goes
 * on.
 * @throws RondoError `session.not_found`, `turn.not_found`, `turn.blocked`, `input.invalid`.
 */
export async function startQuery(
  request: ChatRequest,
  prompt: string | undefined,
  note: (text: string) => void,
): Promise<Query> {
  const options = queryOptions(request, note);
  if (prompt === undefined) {
    const { unfinishedSession } = await import('./unfinished-session.ts');
    const resume = await unfinishedSession(request);
    return query({ prompt: nothing(), options: { ...options, continue: false, resume, unfinished: 'continue' } });
  }
  // A whole ID is looked for by the query itself; only a beginning takes a list.
  if (request.resume === undefined || request.resume.length === 36) return query({ prompt, options });
  const { findSession } = await import('../sessions/find-session.ts');
  return query({ prompt, options: { ...options, resume: (await findSession(request.resume)).sessionId } });
}

async function* nothing(): AsyncGenerator<SDKUserMessage> {}
