import { RondoError } from '@rondo/protocol/values';

/** The error a host sent, or `internal` where what came has no Rondo code. */
export function wireError(data: unknown, message: string): RondoError<string> {
  if (!isRecord(data) || typeof data.code !== 'string') return new RondoError('internal', message);
  return RondoError.fromJSON({
    code: data.code,
    message: typeof data.message === 'string' ? data.message : message,
    retryable: data.retryable === true,
    ...(isDetails(data.details) ? { details: data.details } : {}),
  });
}

/** Whether the error says that something could not be seen to the end, rather than that the caller asked for it wrongly. */
export function isLoss(error: unknown): boolean {
  const code: unknown = isRecord(error) ? error.code : undefined;
  return (
    code === 'channel.closed' || code === 'observation.lost' || code === 'store.unavailable' || code === 'internal'
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** Details arrive as part of a frame, so an object among them is JSON. */
function isDetails(value: unknown): value is RondoError['details'] {
  return isRecord(value) && !Array.isArray(value);
}
