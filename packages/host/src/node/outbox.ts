/** What is on its way out of one connection. */
export interface Outbox {
  send(text: string): void;
  /** Undefined while less is unwritten than the queue holds; else resolves when half of it is out, or the outbox ended. */
  room(): Promise<void> | undefined;
  /** How many texts are not written yet. */
  unwritten(): number;
  /** Resolves when everything is written, or the outbox ended. */
  flushed(): Promise<void>;
  /** For when nothing can be written any more. Whoever waits goes on. */
  end(): void;
}

export interface OutboxOptions {
  /** Calls `done` when the text has left, or cannot. */
  readonly write: (text: string, done: () => void) => void;
  readonly queueBytes: number;
  /** More unwritten texts than this are nobody's slow reading: the other end asks and never reads. */
  readonly mostTexts: number;
  readonly onOverflow: () => void;
  /** Something has left. */
  readonly onProgress?: () => void;
}

export function createOutbox(options: OutboxOptions): Outbox {
  const { write, queueBytes, mostTexts } = options;
  let bytes = 0;
  let texts = 0;
  let ended = false;
  let room: PromiseWithResolvers<void> | undefined;
  let flushed: PromiseWithResolvers<void> | undefined;

  function settle(): void {
    if (bytes <= queueBytes / 2 || ended) {
      room?.resolve();
      room = undefined;
    }
    if (texts === 0 || ended) {
      flushed?.resolve();
      flushed = undefined;
    }
  }

  return {
    send(text) {
      if (ended) return;
      const size = Buffer.byteLength(text);
      bytes += size;
      texts += 1;
      write(text, () => {
        bytes -= size;
        texts -= 1;
        options.onProgress?.();
        settle();
      });
      if (texts > mostTexts) options.onOverflow();
    },
    room() {
      if (ended || bytes < queueBytes) return undefined;
      room ??= Promise.withResolvers<void>();
      return room.promise;
    },
    unwritten: () => texts,
    async flushed() {
      if (ended || texts === 0) return;
      flushed ??= Promise.withResolvers<void>();
      await flushed.promise;
    },
    end() {
      ended = true;
      settle();
    },
  };
}
