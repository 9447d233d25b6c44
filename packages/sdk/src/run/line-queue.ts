/** Lines between a run that makes them and the one reader who takes them. */
export interface LineQueue<Line> {
  put(lines: readonly Line[]): void;
  /** What was put is still read; then the reader is done, or gets the error. Only the first end counts. */
  end(error?: unknown): void;
  /** Ends it: what was put and not read is dropped. The reader is told at once, or when `until` has settled. */
  drop(error?: unknown, until?: Promise<unknown>): void;
  /** The next line, or undefined when there will be none. */
  next(): Promise<Line | undefined>;
  /** A line that waits, which `next` will not give again; undefined where none does. */
  takeWaiting(): Line | undefined;
}

export function createLineQueue<Line>(): LineQueue<Line> {
  let lines: Line[] = [];
  let head = 0;
  let ended: { readonly error: unknown } | undefined;
  let isHeld = false;
  let waiting: PromiseWithResolvers<Line | undefined> | undefined;

  function settle(): void {
    if (waiting === undefined || isHeld) return;
    const reader = waiting;
    const line = take();
    if (line === undefined && ended === undefined) return;
    waiting = undefined;
    if (line !== undefined) reader.resolve(line);
    else if (ended?.error === undefined) reader.resolve(undefined);
    else reader.reject(ended.error);
  }

  function take(): Line | undefined {
    const line = lines[head];
    if (line === undefined) return undefined;
    head += 1;
    if (head === lines.length) {
      lines = [];
      head = 0;
    }
    return line;
  }

  return {
    put(more) {
      if (ended !== undefined) return;
      for (const line of more) lines.push(line);
      settle();
    },
    end(error) {
      ended ??= { error };
      settle();
    },
    drop(error, until) {
      if (ended !== undefined && head === lines.length) return;
      lines = [];
      head = 0;
      ended = { error };
      if (until === undefined) return settle();
      isHeld = true;
      const release = (): void => {
        isHeld = false;
        settle();
      };
      until.then(release, release);
    },
    takeWaiting: () => (isHeld ? undefined : take()),
    next() {
      const line = isHeld ? undefined : take();
      if (line !== undefined) return Promise.resolve(line);
      waiting = Promise.withResolvers();
      const { promise } = waiting;
      settle();
      return promise;
    },
  };
}
