/**
 * The iteration that `open` comes to, opened when it is first read. Reads go straight to it: a generator around another one
 * makes four promises more for each value.
 */
export function lateIteration<Value>(
  open: () => Promise<AsyncIterator<Value, void>>,
): AsyncIterableIterator<Value, void> {
  let opening: Promise<AsyncIterator<Value, void>> | undefined;
  let opened: AsyncIterator<Value, void> | undefined;
  let isOver = false;

  async function firstOf(): Promise<IteratorResult<Value, void>> {
    try {
      opening ??= open();
      opened = await opening;
    } catch (error) {
      if (isOver) return { done: true, value: undefined };
      isOver = true;
      throw error;
    }
    return await opened.next();
  }

  return {
    next() {
      if (opened !== undefined) return opened.next();
      return isOver ? Promise.resolve({ done: true, value: undefined }) : firstOf();
    },
    async return() {
      isOver = true;
      const inner = opened ?? (await opening?.catch(() => undefined));
      await inner?.return?.();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
