export interface ChangeSignal {
  /** Resolves at the next change, at the latest after the poll's time, and when the signal aborts. */
  next(): Promise<void>;
  changed(): void;
  stop(): void;
}

/** Wakes one waiter at a time; a change while nobody waits is kept for the next. */
export function createChangeSignal(signal: AbortSignal, pollMs: number | undefined): ChangeSignal {
  let wake: (() => void) | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const changed = (): void => {
    clearTimeout(timer);
    wake?.();
    wake = undefined;
  };
  signal.addEventListener('abort', changed, { once: true });
  return {
    next: () =>
      new Promise((resolve) => {
        if (signal.aborted) {
          resolve();
          return;
        }
        wake = resolve;
        if (pollMs !== undefined) timer = setTimeout(changed, pollMs);
      }),
    changed,
    stop() {
      signal.removeEventListener('abort', changed);
      changed();
    },
  };
}
