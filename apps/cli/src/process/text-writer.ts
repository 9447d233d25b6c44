/** Writes to a stream that may be slow, or whose reader may leave. */
export interface TextWriter {
  /** Resolves once the stream takes more. After the reader has left it resolves at once and writes nothing. */
  write(text: string): Promise<void>;
  /** Resolves once everything written has left the process, or the reader has. */
  flush(): Promise<void>;
  /** Aborts when the reader has left. */
  readonly closed: AbortSignal;
}

export function createTextWriter(stream: NodeJS.WritableStream): TextWriter {
  const closing = new AbortController();
  const { signal: closed } = closing;
  // EPIPE is a reader that has seen enough. Any other failure (a full disk behind a redirect) ends the output as well.
  stream.on('error', (error: Error) => closing.abort(error));

  /** One wait for all writers: many may write before the reader goes on. */
  let draining: Promise<void> | undefined;
  const drained = (): Promise<void> =>
    (draining ??= new Promise((resolve) => {
      const done = (): void => {
        draining = undefined;
        stream.off('drain', done);
        closed.removeEventListener('abort', done);
        resolve();
      };
      stream.on('drain', done);
      closed.addEventListener('abort', done);
    }));

  return {
    closed,
    async write(text) {
      if (closed.aborted || text === '') return;
      if (!stream.write(text) && !closed.aborted) await drained();
    },
    flush() {
      return new Promise((resolve) => {
        if (closed.aborted) return resolve();
        closed.addEventListener('abort', () => resolve(), { once: true });
        stream.write('', () => resolve());
      });
    },
  };
}
