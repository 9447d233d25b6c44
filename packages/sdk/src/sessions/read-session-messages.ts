import type { SessionMessage } from '@rondo/protocol';
import { createProjection } from '../message/project-message.ts';
import type { GetSessionInfoOptions } from './get-session-info.ts';
import { getSessionEvents } from './get-session-events.ts';
import { sessionMessage } from './get-session-messages.ts';

/**
 * What was said in a session, oldest first, read as the iteration goes on: however long the session, one event of it is
 * in memory at a time. Texts that are kept beside the log are whole.
 * @throws RondoError `session.not_found`, `blob.not_found`.
 */
export async function* readSessionMessages(
  sessionId: string,
  options: GetSessionInfoOptions = {},
): AsyncGenerator<SessionMessage, void> {
  const projection = createProjection({ sessionId, replayUserMessages: true });
  for await (const event of getSessionEvents(sessionId, options)) {
    for (const line of projection.push(event)) {
      const message = line.type === 'user' || line.type === 'assistant' ? sessionMessage(line) : undefined;
      if (message !== undefined) yield message;
    }
  }
}
