import type { SDKMessage, SessionMessage } from '@rondo/protocol';
import { createProjection } from '../message/project-message.ts';
import { foldHistory } from '../run/fold-history.ts';
import { createBranchedLines } from './branched-lines.ts';
import { checkCount } from './check-count.ts';
import { readSession, type GetSessionInfoOptions } from './get-session-info.ts';
import { withHome } from './with-home.ts';

export interface GetSessionMessagesOptions extends GetSessionInfoOptions {
  /** Most messages to give. */
  limit?: number;
  /** Messages to leave out at the start. */
  offset?: number;
}

/**
 * What was said in a session, oldest first: the same lines with the same uuids as when it happened. Where the session went
 * on from an earlier place, that is the newest branch. Empty when there is none of that ID.
 * @throws RondoError `input.invalid` for a limit or an offset that is no count.
 */
export async function getSessionMessages(
  sessionId: string,
  { dir, limit, offset = 0, ...where }: GetSessionMessagesOptions = {},
): Promise<SessionMessage[]> {
  checkCount('limit', limit);
  checkCount('offset', offset);
  return await withHome(where, async (client) => {
    if ((await readSession(client, sessionId, dir)) === undefined) return [];
    const projection = createProjection({ sessionId, replayUserMessages: true });
    const branched = createBranchedLines<SessionMessage>();
    await foldHistory({ client, sessionId }, projection, (lines, event) => {
      branched.add(event, sessionMessages(lines));
    });
    return branched.lines().slice(offset, limit === undefined ? undefined : offset + limit);
  });
}

/** Those of the lines that a transcript has. */
export function sessionMessages(lines: readonly SDKMessage[]): SessionMessage[] {
  return lines.flatMap((line) => {
    const message = line.type === 'user' || line.type === 'assistant' ? sessionMessage(line) : undefined;
    return message === undefined ? [] : [message];
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
