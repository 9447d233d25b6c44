/** How long work may take to notice that it was aborted before it is left behind. */
export const ABORT_GRACE_MS = 4000;

/**
 * Runs work that should end when the signal aborts, and stops waiting for it shortly after that whether it did or not:
 * an interrupt is bounded even when a tool or a model ignores its signal. What left-behind work returns is dropped.
 * @throws what the work throws, or the signal's reason when the work did not end in time.
 */
export async function withinAbort<Value>(
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<Value>,
  graceMs: number = ABORT_GRACE_MS,
): Promise<Value> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let onAbort: (() => void) | undefined;
  const leftBehind = new Promise<never>((_, reject) => {
    onAbort = () => {
      timer = setTimeout(() => reject(signal.reason), graceMs);
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([work(signal), leftBehind]);
  } finally {
    if (onAbort !== undefined) signal.removeEventListener('abort', onAbort);
    clearTimeout(timer);
  }
}
