/** Lets pieces of work begin only when the one before has ended. */
export interface OneAtATime {
  <Value>(work: () => Promise<Value>): Promise<Value>;
  /** Ends with the piece at work; undefined when there is none. */
  pending(): Promise<void> | undefined;
}

export function createOneAtATime(): OneAtATime {
  let current: Promise<void> | undefined;
  async function exclusively<Value>(work: () => Promise<Value>): Promise<Value> {
    while (current !== undefined) await current;
    const { promise, resolve } = Promise.withResolvers<void>();
    current = promise;
    try {
      return await work();
    } finally {
      current = undefined;
      resolve();
    }
  }
  return Object.assign(exclusively, { pending: () => current });
}
