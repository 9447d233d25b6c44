/** The longest delay a timer takes; a longer one would fire at once. */
const LONGEST_DELAY_MS = 2 ** 31 - 1;

export interface Leaving {
  readonly reason: Promise<'timeout' | 'abort'>;
  /** Lets go of timer and signal. */
  dispose(): void;
}

/** When to leave a wait: the time is over, or the signal aborts, whichever comes first. */
export function leaveAfter(timeoutMs: number | undefined, signal: AbortSignal | undefined): Leaving {
  const { promise, resolve } = Promise.withResolvers<'timeout' | 'abort'>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const onAbort = (): void => resolve('abort');

  function arm(leftMs: number): void {
    const delay = Math.min(leftMs, LONGEST_DELAY_MS);
    timer = setTimeout(() => (leftMs > delay ? arm(leftMs - delay) : resolve('timeout')), delay);
  }

  if (timeoutMs !== undefined && timeoutMs !== Infinity) arm(timeoutMs);
  signal?.addEventListener('abort', onAbort, { once: true });
  return {
    reason: promise,
    dispose() {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    },
  };
}
