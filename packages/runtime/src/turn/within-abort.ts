/** How long work may take to notice that it was aborted before it is left behind. */
export const ABORT_GRACE_MS = 4000;

/**
 * Runs work that should end when the signal aborts, and stops waiting for it shortly after that whether it did or not:
 * an interrupt is bounded even when a tool or a model ignores its signal. What left-behind work returns is dropped.
 * @throws what the work throws, or the signal's reason when the work did not end in time.
 */
export function withinAbort<Value>(
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<Value>,
  graceMs: number = ABORT_GRACE_MS,
): Promise<Value> {
  return new Promise((resolve, reject) => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const onAbort = (): void => {
      timer = setTimeout(() => reject(signal.reason), graceMs);
    };
    const over = (): void => {
      signal.removeEventListener('abort', onAbort);
      clearTimeout(timer);
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    const failed = (error: unknown): void => {
      over();
      reject(error);
    };
    try {
      work(signal).then((value) => {
        over();
        resolve(value);
      }, failed);
    } catch (error) {
      failed(error);
    }
  });
}
