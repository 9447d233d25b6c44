import type { SessionMessage } from '@rondo/protocol';
import { createTranscriptProjection } from '../transcript/project-transcript.ts';
import type { GetSessionInfoOptions } from './get-session-info.ts';
import { getSessionEvents } from './get-session-events.ts';
import { createBranchedLines } from './branched-lines.ts';
import { sessionMessages } from './get-session-messages.ts';

/**
 * What was said in a session, oldest first, read as the iteration goes on: however long the session, one event of it is
 * in memory at a time. Texts that are kept beside the log are whole.
 * @throws RondoError `session.not_found`, `blob.not_found`.
 */
export async function* readSessionMessages(
  sessionId: string,
  options: GetSessionInfoOptions = {},
): AsyncGenerator<SessionMessage, void> {
  const kept = await keptUuids(sessionId, options);
  const projection = createTranscriptProjection(sessionId);
  for await (const event of getSessionEvents(sessionId, options)) {
    for (const message of sessionMessages(projection.push(event), sessionId))
      if (kept === undefined || kept.has(message.uuid)) yield message;
  }
}

/**
 * What the newest branch has, where there is more than one: which lines those are is known at the end only, so that such
 * a session is read twice. Of its lines, the first reading keeps the names alone.
 */
async function keptUuids(sessionId: string, options: GetSessionInfoOptions): Promise<ReadonlySet<string> | undefined> {
  const projection = createTranscriptProjection(sessionId);
  const branched = createBranchedLines<{ readonly uuid: string }>();
  let isBranched = false;
  for await (const event of getSessionEvents(sessionId, { ...options, isWhole: false })) {
    isBranched ||= event.type === 'session.branched';
    branched.add(
      event,
      sessionMessages(projection.push(event), sessionId).map(({ uuid }) => ({ uuid })),
    );
  }
  return isBranched ? new Set(branched.lines().map(({ uuid }) => uuid)) : undefined;
}
