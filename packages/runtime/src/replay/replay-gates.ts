/**
 * Holds back whatever the turn waits for (a model, a tool, an answer) until the log says that it comes next. So what
 * happened at once then happens now in the order of then.
 */
export interface ReplayGates {
  /** Resolves when it is so. Rejects when the turn is given up. */
  until(ready: () => boolean): Promise<void>;
  /** Something has changed: whoever can go on does, soon. */
  moved(): void;
  /** Work of the world, which takes as long as it takes. */
  working<Value>(work: Promise<Value>): Promise<Value>;
  /** Resolves when the turn has done what it could, and nothing of the world is at work. */
  rest(): Promise<void>;
  /** Ends every wait. */
  giveUp(): void;
}

interface Waiter {
  readonly ready: () => boolean;
  readonly resolve: () => void;
  readonly reject: (reason: Error) => void;
}

/** @param before done ahead of each look at what waits. */
export function createReplayGates(before: () => void): ReplayGates {
  let waiters: Waiter[] = [];
  let isDue = false;
  let givenUp: Error | undefined;
  const atWork = new Set<Promise<unknown>>();

  function look(): void {
    isDue = false;
    if (givenUp !== undefined) return;
    before();
    waiters = waiters.filter(({ ready, resolve }) => {
      if (!ready()) return true;
      resolve();
      return false;
    });
  }

  function moved(): void {
    if (isDue) return;
    isDue = true;
    queueMicrotask(look);
  }

  return {
    until(ready) {
      if (givenUp !== undefined) return Promise.reject(givenUp);
      return new Promise((resolve, reject) => {
        waiters.push({ ready, resolve, reject });
        moved();
      });
    },
    moved,
    async working(work) {
      const settled = work.catch(() => {});
      atWork.add(settled);
      try {
        return await work;
      } finally {
        atWork.delete(settled);
      }
    },
    async rest() {
      do {
        await Promise.all(atWork);
        // Everything else that the turn waits for is settled by then: it takes no more than jobs of this thread.
        await new Promise((resolve) => setTimeout(resolve, 0));
      } while (atWork.size > 0);
    },
    giveUp() {
      givenUp ??= new Error('the replay of this turn was given up');
      for (const { reject } of waiters.splice(0)) reject(givenUp);
    },
  };
}
