import { RondoError } from '@rondo/protocol/values';

/** Time that a store has for each call that reads, unless said. */
export const LOAD_TIMEOUT_MS = 60_000;

/** Waits, and can be told to stop. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>;

export interface StoreCallOptions {
  readonly sleep?: Sleep | undefined;
  /** Aborts when nobody waits for the answer any more. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * What a call of an adapter gives, if that comes in time and before the signal aborts.
 * @throws RondoError `store.unavailable`, which names the call.
 */
export async function storeCall<Value>(
  what: string,
  timeoutMs: number,
  call: () => Promise<Value>,
  { sleep = sleepFor, signal }: StoreCallOptions = {},
): Promise<Value> {
  const over = new AbortController();
  const late = sleep(timeoutMs, over.signal).then(() => {
    throw new Error(`it did not settle within ${timeoutMs} ms`);
  });
  late.catch(() => {});
  const unwanted = Promise.withResolvers<never>();
  unwanted.promise.catch(() => {});
  const onAbort = (): void => unwanted.reject(new Error('nobody waits for it any more'));
  if (signal?.aborted === true) onAbort();
  else signal?.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([Promise.resolve().then(call), late, unwanted.promise]);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new RondoError('store.unavailable', `${what} of the session store failed: ${why}`, { cause: error });
  } finally {
    signal?.removeEventListener('abort', onAbort);
    over.abort();
  }
}

/** It keeps no process alive. */
function sleepFor(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, Math.min(ms, 2 ** 31 - 1));
    signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
  });
}
