import type { ErrorCode } from '@rondo/protocol';
import { commonErrors, type ErrorReading } from '../ai-sdk/ai-sdk-error.ts';
import { isWireObject, stringOf, type WireObject } from '../dialect/json.ts';

/** By the name of the status, which also comes inside a stream, or by the reason that is given in its details. */
const codes: Readonly<Record<string, ErrorCode>> = {
  API_KEY_INVALID: 'model.authentication_failed',
  API_KEY_SERVICE_BLOCKED: 'model.permission_denied',
  UNAUTHENTICATED: 'model.authentication_failed',
  PERMISSION_DENIED: 'model.permission_denied',
  NOT_FOUND: 'model.not_found',
  INVALID_ARGUMENT: 'model.request_invalid',
  FAILED_PRECONDITION: 'model.request_invalid',
  OUT_OF_RANGE: 'model.request_invalid',
  RESOURCE_EXHAUSTED: 'model.rate_limited',
  UNAVAILABLE: 'model.overloaded',
  DEADLINE_EXCEEDED: 'model.timeout',
  INTERNAL: 'model.server_error',
  // Of a day: however long the server says to wait, it would say so again.
  QUOTA_OF_DAY: 'model.permission_denied',
};

const telling: ReadonlySet<string> = new Set([
  'API_KEY_INVALID',
  'API_KEY_SERVICE_BLOCKED',
  'QUOTA_OF_DAY',
  'UNAVAILABLE',
]);

export const googleErrors: ErrorReading = {
  parseErrorBody(text) {
    const body = commonErrors.parseErrorBody(text);
    const details = detailsOf(text);
    const reason = details
      .flatMap((detail) => [stringOf(detail['reason']), ...(isOfDay(detail) ? ['QUOTA_OF_DAY'] : [])])
      .find((said) => Object.hasOwn(codes, said));
    const retryAfterMs = details.map((detail) => milliseconds(detail['retryDelay'])).find((wait) => wait !== undefined);
    return {
      ...body,
      ...(body.error && reason !== undefined && { error: { ...body.error, type: reason } }),
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    };
  },
  errorCode({ type, message }, status) {
    if (/input token count .*exceeds|exceeds the maximum number of tokens/i.test(message))
      return 'model.prompt_too_long';
    if (/^API key not valid/i.test(message)) return 'model.authentication_failed';
    // The name of a status says no more than its number, but for these.
    if (status !== undefined && !telling.has(type)) return undefined;
    return Object.hasOwn(codes, type) ? codes[type] : undefined;
  },
  requestIdHeader: 'x-goog-request-id',
};

/** Whether a quota that is used up is one of a day. */
function isOfDay({ violations }: WireObject): boolean {
  if (!Array.isArray(violations)) return false;
  return violations.some((violation) => isWireObject(violation) && stringOf(violation['quotaId']).includes('PerDay'));
}

function detailsOf(text: string): readonly WireObject[] {
  try {
    const parsed: unknown = JSON.parse(text);
    const body: unknown = Array.isArray(parsed) ? parsed[0] : parsed;
    const error = isWireObject(body) && isWireObject(body['error']) ? body['error'] : {};
    return Array.isArray(error['details']) ? error['details'].filter(isWireObject) : [];
  } catch {
    return [];
  }
}

/** A duration as Google writes it: `34.5s`. */
function milliseconds(duration: unknown): number | undefined {
  const seconds = typeof duration === 'string' ? /^(\d+(?:\.\d+)?)s$/.exec(duration)?.[1] : undefined;
  return seconds === undefined ? undefined : Math.round(Number(seconds) * 1_000);
}
