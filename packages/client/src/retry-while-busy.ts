import { isRondoError } from '@rondo/protocol/values';

/**
 * Tries again what the session refused with `session.busy`, after each of the delays. A refusal has applied nothing, so
 * trying again is safe. @throws what the last try threw; the refusal at once when the signal aborts between tries.
 */
export async function retryWhileBusy<T>(
  attempt: () => Promise<T>,
  delaysMs: readonly number[],
  signal?: AbortSignal,
): Promise<T> {
  for (const delayMs of delaysMs) {
    try {
      return await attempt();
    } catch (error) {
      if (!isRondoError(error, 'session.busy') || signal?.aborted) throw error;
    }
    await pause(delayMs, signal);
  }
  return attempt();
}

/** Resolves early when the signal aborts: the next try then says so. */
function pause(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, delayMs);
    signal?.addEventListener('abort', done, { once: true });
  });
}
