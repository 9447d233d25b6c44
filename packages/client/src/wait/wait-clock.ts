/** The longest delay a timer takes; a longer one would fire at once. */
const LONGEST_DELAY_MS = 2 ** 31 - 1;

/** Counts a wait's time down, but for the time in which it is stopped. */
export interface WaitClock {
  /** What goes on until the returned function is called does not count. Several may go on at once. */
  stop(): () => void;
  /** Lets go of the timer. */
  dispose(): void;
}

/** @param timeoutMs undefined or Infinity never runs out. */
export function createWaitClock(timeoutMs: number | undefined, onTimeout: () => void): WaitClock {
  let leftMs = timeoutMs ?? Infinity;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let startedAt = 0;
  let stops = 0;

  function start(): void {
    if (leftMs === Infinity) return;
    startedAt = performance.now();
    const delay = Math.min(Math.max(leftMs, 0), LONGEST_DELAY_MS);
    timer = setTimeout(() => {
      leftMs -= delay;
      if (leftMs > 0) start();
      else onTimeout();
    }, delay);
  }

  function pause(): void {
    if (timer === undefined) return;
    clearTimeout(timer);
    timer = undefined;
    leftMs -= performance.now() - startedAt;
  }

  start();
  return {
    stop() {
      if (stops === 0) pause();
      stops += 1;
      let isStopped = true;
      return () => {
        if (!isStopped) return;
        isStopped = false;
        stops -= 1;
        if (stops === 0) start();
      };
    },
    dispose() {
      clearTimeout(timer);
      timer = undefined;
      leftMs = Infinity;
    },
  };
}
