import { isRondoError } from '@rondo/protocol/values';
import { problemOf } from '../command/problem.ts';
import { failureResult } from '../headless/output.ts';
import type { PeerSession } from './peer-session.ts';

/** All is done, or the session was given up with a question open, which is told. */
export function endWork(session: PeerSession): Promise<void> {
  return finish(session, sayWhatIsLeft);
}

/** Something came in place of a result, or behind it. */
export function endWithFailure(session: PeerSession, error: unknown): Promise<void> {
  return finish(session, () => tellFailure(session, error));
}

async function finish(session: PeerSession, lastWords: (session: PeerSession) => Promise<void>): Promise<void> {
  session.messages.end('drop');
  session.requests.end();
  await lastWords(session);
  await session.desk.settled();
  await session.states.tellEnd();
  session.over.resolve();
}

async function sayWhatIsLeft({ course: { leftOpen }, facts, context }: PeerSession): Promise<void> {
  if (leftOpen === undefined) return;
  const ids = leftOpen.map(({ request_id: id }) => id).join(', ');
  context.say(`Session ${facts.sessionId} waits for an answer to question ${ids}: --resume asks it again.`);
}

async function tellFailure({ course, facts, context, request, write }: PeerSession, error: unknown): Promise<void> {
  context.debug.write('error', error);
  const isUsage = !course.hasSent && isUsageError(error);
  const { message } = problemOf(error);
  context.say(message);
  course.exitCode = isUsage ? 2 : 1;
  if (!isUsage && !course.hasResult)
    await write(failureResult(context.redact(message), facts.sessionId ?? request.sessionId));
}

/** What whoever wrote the command line has to change. */
const usageCodes: ReadonlySet<string> = new Set(['input.invalid', 'permission.bypass_refused', 'session.exists']);

function isUsageError(error: unknown): boolean {
  return isRondoError(error) && usageCodes.has(error.code);
}
