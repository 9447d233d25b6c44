import type { Query, SDKMessage } from '@rondo/sdk';
import { endWithFailure, endWork } from './end-work.ts';
import { leaveIfBlocked } from './leave-if-blocked.ts';
import type { PeerSession } from './peer-session.ts';

/** Takes a session's lines to the client, to the end. */
export async function followWork(session: PeerSession, query: Query): Promise<void> {
  try {
    for await (const line of query) {
      await session.desk.released();
      await show(session, line);
      leaveIfBlocked(session);
    }
    await endWork(session);
  } catch (error) {
    await endWithFailure(session, error);
  }
}

async function show(session: PeerSession, line: SDKMessage): Promise<void> {
  const { course, states, messages, write } = session;
  // States are told from here, where it is known what the client still has to answer.
  if (line.type === 'system' && line.subtype === 'session_state_changed') return;
  states.shown();
  // The beginning of a turn is told before it is shown, everything else once it has been.
  if (line.type === 'system') await see(session, line);
  if (line.type === 'result') {
    course.hasResult = true;
    course.exitCode = line.is_error ? 1 : 0;
  }
  if (line.type !== 'command_lifecycle' || messages.isNamed(line.command_uuid)) await write(line);
  if (line.type !== 'system') await see(session, line);
}

async function see({ facts, states }: PeerSession, line: SDKMessage): Promise<void> {
  facts.see(line);
  await states.tell();
}
