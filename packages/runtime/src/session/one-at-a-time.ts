/** Lets pieces of work begin only when those before have ended, in the order in which they came. */
export interface OneAtATime {
  <Value>(work: () => Promise<Value>): Promise<Value>;
  /** Ends with the last piece that has come by now; undefined when there is none. */
  pending(): Promise<void> | undefined;
}

export function createOneAtATime(): OneAtATime {
  let last: Promise<void> | undefined;
  async function exclusively<Value>(work: () => Promise<Value>): Promise<Value> {
    const before = last;
    const { promise, resolve } = Promise.withResolvers<void>();
    last = promise;
    if (before !== undefined) await before;
    try {
      return await work();
    } finally {
      if (last === promise) last = undefined;
      resolve();
    }
  }
  return Object.assign(exclusively, { pending: () => last });
}
