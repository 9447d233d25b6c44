export interface PushIteratorOptions<Value> {
  /** Called when more than `highWaterMark` values wait, and again when they have been taken. */
  readonly onFull: () => void;
  readonly onDrained: () => void;
  /** Called when the reader leaves before the end. */
  readonly onLeft: () => void;
  readonly highWaterMark?: number;
  /**
   * Makes one value of the last one that waits and the next, or undefined where they have to stay two. Asked when the
   * reader is behind by some values.
   */
  readonly join?: (last: Value, next: Value) => Value | undefined;
}

/** How many values wait before the next ones are joined: a reader that keeps up gets each by itself. */
const JOINED_BEHIND = 16;

export interface PushIterator<Value> extends AsyncIterableIterator<Value> {
  push(value: Value): void;
  /** A value that waits, which `next` will not give again; undefined where none does. */
  takeWaiting(): Value | undefined;
  /** Ends after the values pushed so far. */
  end(): void;
  /** Throws `error` after the values pushed so far. */
  fail(error: Error): void;
  /** Throws `error` at once and drops the values not taken yet; after the end it changes nothing. */
  abort(error: Error): void;
}

interface Reader<Value> {
  readonly resolve: (result: IteratorResult<Value>) => void;
  readonly reject: (error: Error) => void;
}

/**
 * An async iterator fed from callbacks. It ends exactly once: the first of `end`, `fail` and `abort` counts. Written by
 * hand because an async generator over a Node stream costs several promises a value, and a streamed delta should cost one.
 */
export function createPushIterator<Value>(options: PushIteratorOptions<Value>): PushIterator<Value> {
  const highWaterMark = options.highWaterMark ?? 512;
  let values: Value[] = [];
  let taken = 0;
  let full = false;
  let settled = false;
  let failure: Error | undefined;
  const readers: Reader<Value>[] = [];

  function take(): Value | undefined {
    const value = values[taken];
    taken += 1;
    if (taken === values.length) {
      values = [];
      taken = 0;
      if (full) {
        full = false;
        options.onDrained();
      }
    }
    return value;
  }

  /** True when the value became a part of the last one that waits. */
  function joinLast(value: Value): boolean {
    if (options.join === undefined || values.length - taken < JOINED_BEHIND) return false;
    const joined = options.join(values[values.length - 1] as Value, value);
    if (joined === undefined) return false;
    values[values.length - 1] = joined;
    return true;
  }

  function settle(error?: Error): void {
    if (settled) return;
    settled = true;
    failure = error;
    for (const reader of readers.splice(0)) {
      if (failure === undefined) {
        reader.resolve({ value: undefined, done: true });
      } else {
        reader.reject(failure);
        failure = undefined;
      }
    }
  }

  function next(): Promise<IteratorResult<Value>> {
    if (taken < values.length) return Promise.resolve({ value: take() as Value, done: false });
    if (failure !== undefined) {
      const error = failure;
      failure = undefined;
      return Promise.reject(error);
    }
    if (settled) return Promise.resolve({ value: undefined, done: true });
    return new Promise((resolve, reject) => readers.push({ resolve, reject }));
  }

  return {
    push(value) {
      if (settled) return;
      const reader = readers.shift();
      if (reader !== undefined) {
        reader.resolve({ value, done: false });
        return;
      }
      if (joinLast(value)) return;
      values.push(value);
      if (!full && values.length - taken > highWaterMark) {
        full = true;
        options.onFull();
      }
    },
    takeWaiting: () => (taken < values.length ? take() : undefined),
    end: () => settle(),
    fail: (error) => settle(error),
    abort(error) {
      if (settled) return;
      values = [];
      taken = 0;
      settle(error);
    },
    next,
    return() {
      const unfinished = !settled;
      values = [];
      taken = 0;
      settle();
      failure = undefined;
      if (unfinished) options.onLeft();
      return Promise.resolve({ value: undefined, done: true });
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
