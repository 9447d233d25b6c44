/**
 * The values of an iterable until it ends or the promise resolves, also while the next value is awaited. `onWhole` hears that
 * it was the iterable that ended.
 */
export async function* takeUntil<Value>(
  source: AsyncIterable<Value>,
  end: Promise<void>,
  onWhole?: () => void,
): AsyncGenerator<Value, void> {
  const iterator = source[Symbol.asyncIterator]();
  let isOver = false;
  let leave = (): void => {};
  // Once for all values: a race with the promise for each of them would keep each until it resolves.
  void end.then(() => {
    isOver = true;
    leave();
  });
  const next = (): Promise<IteratorResult<Value> | undefined> =>
    new Promise((resolve, reject) => {
      leave = () => resolve(undefined);
      if (isOver) return leave();
      Promise.resolve(iterator.next()).then(resolve, reject);
    });
  try {
    for (;;) {
      const step = await next();
      if (step?.done === true) onWhole?.();
      if (step === undefined || step.done === true) return;
      yield step.value;
    }
  } finally {
    // A source that never answers, or throws, must not hold up who leaves it.
    void (async () => await iterator.return?.())().catch(() => {});
  }
}
