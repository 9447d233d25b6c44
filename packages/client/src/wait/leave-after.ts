import { createWaitClock } from './wait-clock.ts';

export interface Leaving {
  readonly reason: Promise<'timeout' | 'abort'>;
  /** What goes on until the returned function is called does not count against the time. */
  stopClock(): () => void;
  /** Lets go of timer and signal. */
  dispose(): void;
}

/** When to leave a wait: the time is over, or the signal aborts, whichever comes first. */
export function leaveAfter(timeoutMs: number | undefined, signal: AbortSignal | undefined): Leaving {
  const { promise, resolve } = Promise.withResolvers<'timeout' | 'abort'>();
  const onAbort = (): void => resolve('abort');
  const clock = createWaitClock(timeoutMs, () => resolve('timeout'));
  signal?.addEventListener('abort', onAbort, { once: true });
  return {
    reason: promise,
    stopClock: clock.stop,
    dispose() {
      clock.dispose();
      signal?.removeEventListener('abort', onAbort);
    },
  };
}
