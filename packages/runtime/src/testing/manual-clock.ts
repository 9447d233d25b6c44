import type { Clock } from '../event/clock.ts';

export interface ManualClock extends Clock {
  /** Moves time on, waking sleepers in the order of their time; who sleeps again within the span is woken too. */
  advance(milliseconds: number): Promise<void>;
  /** Resolves once that many are asleep at the same time. */
  whenSleeping(count?: number): Promise<void>;
  /** How long each sleeper has left, the next to wake first. */
  readonly sleeping: readonly number[];
}

interface Sleeper {
  readonly at: number;
  wake(): void;
}

/** A clock that stands still until the test moves it. Starts at 2026-01-01 UTC unless said. */
export function manualClock(start: number = Date.UTC(2026, 0, 1)): ManualClock {
  let now = start;
  const sleepers: Sleeper[] = [];
  const waiting: { readonly count: number; readonly resolve: () => void }[] = [];

  const remove = (sleeper: Sleeper): void => {
    const index = sleepers.indexOf(sleeper);
    if (index >= 0) sleepers.splice(index, 1);
  };

  return {
    now: () => now,
    sleep: (milliseconds, { signal }) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) {
          reject(signal.reason);
          return;
        }
        const onAbort = (): void => {
          remove(sleeper);
          reject(signal.reason);
        };
        const sleeper: Sleeper = {
          at: now + milliseconds,
          wake: () => {
            remove(sleeper);
            signal.removeEventListener('abort', onAbort);
            resolve();
          },
        };
        signal.addEventListener('abort', onAbort, { once: true });
        const later = sleepers.findIndex((other) => other.at > sleeper.at);
        sleepers.splice(later < 0 ? sleepers.length : later, 0, sleeper);
        for (const watcher of waiting.filter(({ count }) => sleepers.length >= count)) {
          waiting.splice(waiting.indexOf(watcher), 1);
          watcher.resolve();
        }
      }),
    async advance(milliseconds) {
      const end = now + milliseconds;
      await settle();
      for (let next = sleepers[0]; next !== undefined && next.at <= end; next = sleepers[0]) {
        now = Math.max(now, next.at);
        next.wake();
        await settle();
      }
      now = end;
    },
    whenSleeping: (count = 1) =>
      new Promise((resolve) => {
        if (sleepers.length >= count) resolve();
        else waiting.push({ count, resolve });
      }),
    get sleeping() {
      return sleepers.map(({ at }) => at - now);
    },
  };
}

/** Lets whoever was woken run until it waits for something outside. */
function settle(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
