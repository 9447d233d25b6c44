import type { SDKMessage, SessionMessage } from '@rondo/protocol';
import { createProjection } from '../message/project-message.ts';
import { foldHistory } from '../run/fold-history.ts';
import { readSession, type GetSessionInfoOptions } from './get-session-info.ts';
import { withHome } from './with-home.ts';

export interface GetSessionMessagesOptions extends GetSessionInfoOptions {
  /** Most messages to give. */
  limit?: number;
  /** Messages to leave out at the start. */
  offset?: number;
}

/** What was said in a session, oldest first: the same lines with the same uuids as when it happened. Empty when there is none of that ID. */
export async function getSessionMessages(
  sessionId: string,
  { dir, limit, offset = 0, ...where }: GetSessionMessagesOptions = {},
): Promise<SessionMessage[]> {
  return await withHome(where, async (client) => {
    const messages: SessionMessage[] = [];
    if ((await readSession(client, sessionId, dir)) === undefined) return messages;
    const projection = createProjection({ sessionId, replayUserMessages: true });
    await foldHistory({ client, sessionId }, projection, (lines) => {
      for (const line of lines) {
        const message = line.type === 'user' || line.type === 'assistant' ? sessionMessage(line) : undefined;
        if (message !== undefined) messages.push(message);
      }
    });
    return messages.slice(offset, limit === undefined ? undefined : offset + limit);
  });
}

type Said = Extract<SDKMessage, { type: 'user' | 'assistant' }>;

export function sessionMessage(line: Said): SessionMessage | undefined {
  const { type, uuid, session_id, message, parent_tool_use_id, timestamp } = line;
  if (uuid === undefined || session_id === undefined) return undefined;
  return {
    type,
    uuid,
    session_id,
    message,
    parent_tool_use_id,
    parent_agent_id: null,
    ...(timestamp === undefined ? {} : { timestamp }),
  };
}
