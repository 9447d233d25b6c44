import type { SessionMessage } from '@rondo/protocol';
import { createTranscriptProjection } from '../transcript/project-transcript.ts';
import type { TranscriptLine } from '../transcript/transcript-line.ts';
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
    const transcript = createTranscriptProjection(sessionId);
    const branched = createBranchedLines<SessionMessage>();
    let after: string | undefined;
    for (let more = true; more; ) {
      const page = await client.request('events/read', { sessionId, ...(after === undefined ? {} : { after }) });
      for (const event of page.events) branched.add(event, sessionMessages(transcript.push(event), sessionId));
      ({ cursor: after, more } = page);
    }
    return branched.lines().slice(offset, limit === undefined ? undefined : offset + limit);
  });
}

/** What the lines of a session's transcript say, as it was said: a reply's end is known with its last line only. */
export function sessionMessages(lines: readonly TranscriptLine[], sessionId: string): SessionMessage[] {
  return lines.flatMap((line): SessionMessage[] => {
    if (line.type !== 'user' && line.type !== 'assistant') return [];
    const { type, uuid, message, timestamp } = line;
    return [
      {
        type,
        uuid,
        session_id: sessionId,
        message: type === 'assistant' ? { ...message, stop_reason: null } : message,
        parent_tool_use_id: null,
        parent_agent_id: null,
        timestamp,
      },
    ];
  });
}
