/** The values of an iterable until it ends or the promise resolves, also while the next value is awaited. */
export async function* takeUntil<Value>(source: AsyncIterable<Value>, end: Promise<void>): AsyncGenerator<Value, void> {
  const iterator = source[Symbol.asyncIterator]();
  const over = end.then(() => undefined);
  try {
    for (;;) {
      const step = await Promise.race([over, iterator.next()]);
      if (step === undefined || step.done === true) return;
      yield step.value;
    }
  } finally {
    // A source that never answers must not hold up who leaves it.
    void Promise.resolve(iterator.return?.()).catch(() => {});
  }
}
