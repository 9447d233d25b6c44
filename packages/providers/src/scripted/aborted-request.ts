import { RondoError } from '@rondo/protocol/values';

/** What a request fails with when its signal aborts. */
export function abortedRequest(signal: AbortSignal): RondoError {
  return new RondoError('operation.aborted', 'the model request was aborted', { cause: signal.reason });
}
