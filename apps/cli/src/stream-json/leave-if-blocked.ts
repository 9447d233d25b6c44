import { isBlockedBy } from './left-questions.ts';
import type { PeerSession } from './peer-session.ts';

/**
 * Nobody can answer a question any more, and nothing else is at work: the session is given up with the question open. A client
 * that resumes it is asked again.
 */
export function leaveIfBlocked({ course, questions, facts }: PeerSession): void {
  const open = questions();
  if (!course.isDeaf || course.leftOpen !== undefined || open.length === 0) return;
  if (!isBlockedBy(open, facts.openCalls)) return;
  course.leftOpen = open;
  course.exitCode = 1;
  void course.work?.then(({ query }) => query.leave()).catch(() => {});
}
