import { RondoError } from '@rondo/protocol/values';

/** Waits, and can be told to stop. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>;

/** What a call of an adapter gives, if that comes in time. @throws RondoError `store.unavailable`, which names the call. */
export async function storeCall<Value>(
  what: string,
  timeoutMs: number,
  call: () => Promise<Value>,
  sleep: Sleep = sleepFor,
): Promise<Value> {
  const over = new AbortController();
  const late = sleep(timeoutMs, over.signal).then(() => {
    throw new Error(`it did not settle within ${timeoutMs} ms`);
  });
  late.catch(() => {});
  try {
    return await Promise.race([Promise.resolve().then(call), late]);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new RondoError('store.unavailable', `${what} of the session store failed: ${why}`, { cause: error });
  } finally {
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
