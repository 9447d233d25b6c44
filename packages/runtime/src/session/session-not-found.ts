import { RondoError } from '@rondo/protocol/values';

export function sessionNotFound(sessionId: string): RondoError {
  return new RondoError('session.not_found', `there is no session ${sessionId}`, { details: { sessionId } });
}
