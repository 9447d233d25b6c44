/** Time as the engine sees it. Tests bring a manual one. */
export interface Clock {
  /** Milliseconds since 1970, for event times and durations. */
  now(): number;
  /** Resolves after that long; rejects with the signal's reason as soon as it aborts. */
  sleep(milliseconds: number, options: { readonly signal: AbortSignal }): Promise<void>;
  /** Calls `run` after that long, unless what comes back is called before. Absent: it is done with `sleep`, which costs more. */
  after?(milliseconds: number, run: () => void): () => void;
}

/** The clock's own `after`, or the same by its `sleep`. */
export function runAfter(clock: Clock, milliseconds: number, run: () => void): () => void {
  if (clock.after !== undefined) return clock.after(milliseconds, run);
  const cancelled = new AbortController();
  clock.sleep(milliseconds, { signal: cancelled.signal }).then(
    () => {
      if (!cancelled.signal.aborted) run();
    },
    () => {},
  );
  return () => cancelled.abort('cancelled');
}

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (milliseconds, { signal }) =>
    new Promise((resolve, reject) => {
      if (signal.aborted) {
        reject(signal.reason);
        return;
      }
      const onAbort = (): void => {
        clearTimeout(timer);
        reject(signal.reason);
      };
      const timer = setTimeout(() => {
        signal.removeEventListener('abort', onAbort);
        resolve();
      }, milliseconds);
      signal.addEventListener('abort', onAbort, { once: true });
    }),
  after(milliseconds, run) {
    const timer = setTimeout(run, milliseconds);
    return () => clearTimeout(timer);
  },
};
