/** Does one thing after the other. */
export interface Relay {
  /** Once what came before is done; at once where nothing is. */
  follow(step: () => Promise<void> | void): void;
}

/** @param fail hears what a step throws. */
export function createRelay(fail: (error: unknown) => void): Relay {
  let last: Promise<void> | undefined;
  return {
    follow(step) {
      const work = last === undefined ? attempt(step) : last.then(step);
      if (work === undefined) return;
      const settled = work.then(() => {
        if (last === settled) last = undefined;
      }, fail);
      last = settled;
    },
  };

  function attempt(step: () => Promise<void> | void): Promise<void> | void {
    try {
      return step();
    } catch (error) {
      fail(error);
    }
  }
}
