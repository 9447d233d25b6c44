/** Time as a connection sees it. Tests bring a manual one. */
export interface Clock {
  /** Resolves after that long; rejects with the signal's reason as soon as it aborts. */
  sleep(milliseconds: number, options: { readonly signal: AbortSignal }): Promise<void>;
}

export const systemClock: Clock = {
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
};
