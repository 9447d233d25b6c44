import { RondoError } from '@rondo/protocol/values';
import { beginWork } from './begin-work.ts';
import { initializeAnswer } from './initialize-answer.ts';
import type { PeerSession, Work } from './peer-session.ts';
import type { Frame } from './read-frames.ts';

/**
 * Begins the session with what the client says, or takes what it says again, and gives what the session offers once it is open,
 * whose failure is the answer too. A client that resumes a session finds the questions that wait in it beside this answer.
 */
export async function answerInitialize(session: PeerSession, fields: Frame): Promise<object> {
  const { course, facts, request, asking, questions, states } = session;
  const isFirst = course.work === undefined;
  if (isFirst) course.isInitializing = true;
  try {
    const work = await beginWork(session, fields);
    if (!isFirst) renew(session, work, fields);
    const offered = await work.query.reinitialize();
    if (isFirst) await asking.untilAsked(work.left);
    course.isInitializing = false;
    const pending = questions();
    return {
      response: initializeAnswer(offered, { facts, isMirrored: request.sessionMirror }),
      pending_permission_requests: pending,
      pending_user_dialog_requests: [],
    };
  } catch (error) {
    if (isFirst && course.isInitializing) await releaseQuestions(session);
    throw error;
  } finally {
    if (isFirst) void states.tell();
  }
}

/** Questions that were kept for the answer are put by themselves. */
async function releaseQuestions({ course, questions, write }: PeerSession): Promise<void> {
  course.isInitializing = false;
  for (const frame of questions()) await write(frame);
}

/** A session that began without them cannot take functions and servers of its client any more. */
function renew({ servers }: PeerSession, { isInitialized, hooks }: Work, fields: Frame): void {
  const late = ['hooks', 'sdkMcpServers'].find((name) => Object.keys(fields[name] ?? {}).length > 0);
  if (!isInitialized && late !== undefined)
    throw new RondoError(
      'input.invalid',
      `initialize.${late} comes too late: the session has begun without initialize.`,
    );
  const [unknown] = servers.unknown(fields['sdkMcpServers']);
  if (unknown !== undefined)
    throw new RondoError(
      'input.invalid',
      `initialize.sdkMcpServers cannot name ${JSON.stringify(unknown)} any more: a session at work takes servers by mcp_set_servers.`,
    );
  if (fields['hooks'] !== undefined) hooks.renew(fields['hooks']);
}
