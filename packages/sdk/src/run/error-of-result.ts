import type { SDKResultMessage } from '@rondo/protocol';
import { RondoError } from '@rondo/protocol/values';

/** What a query of one message throws once its error result has been read. The result says the same, with more. */
export function errorOfResult(result: SDKResultMessage): RondoError {
  const what = result.subtype === 'success' ? result.result : result.errors.join('; ');
  return new RondoError('turn.failed', `the query ended with an error result: ${what}`, {
    details: { subtype: result.subtype, sessionId: result.session_id, terminalReason: result.terminal_reason ?? null },
  });
}
