import type { RondoError } from '@rondo/protocol/values';

/** How often and how fast a model request is tried again. */
export interface RetryPolicy {
  /** Tries after the first. */
  readonly maxRetries: number;
  /** Whether tries go on for as long as the provider says that it has no capacity, however often and long that is. */
  readonly waitsForCapacity?: boolean;
  /** The first delay; it doubles with each retry. */
  readonly baseDelayMs: number;
  readonly maxDelayMs: number;
  /** The longest wait that a provider may ask for. Where it asks for more, the request fails at once. */
  readonly maxRetryAfterMs: number;
  /** 0 to 1; how much of the delay is random on top. */
  readonly jitter: number;
}

export const defaultRetryPolicy: RetryPolicy = {
  maxRetries: 10,
  baseDelayMs: 500,
  maxDelayMs: 32_000,
  maxRetryAfterMs: 600_000,
  jitter: 0.25,
};

/** Milliseconds before retry number `attempt` (from 1). What the provider asked for (`retry-after`) is obeyed. */
export function retryDelay(
  policy: RetryPolicy,
  attempt: number,
  retryAfterMs: number | undefined,
  random: () => number,
): number {
  const backoff = Math.min(policy.baseDelayMs * 2 ** (attempt - 1), policy.maxDelayMs);
  const base = Math.max(backoff, retryAfterMs ?? 0);
  return Math.round(base + base * policy.jitter * random());
}

/** Whether the provider is there and says that it has nothing left for the request now. */
export function isCapacityError({ code }: Pick<RondoError<string>, 'code'>): boolean {
  return code === 'model.overloaded' || code === 'model.rate_limited';
}
