import { RondoError } from '../error/rondo-error.ts';
import type { Frame } from '../frame/frame.ts';
import type { Channel } from './channel.ts';

/**
 * Two ends of a channel within one process. Frames are handed over as the objects they are: nothing is copied,
 * serialised or checked, so neither side may change a frame or anything in it once it is sent. Neither end waits for
 * the other; what is not read yet is kept.
 */
export function createMemoryChannel(): [Channel, Channel] {
  const closing = createClosing();
  const first = createInbox();
  const second = createInbox();
  closing.inboxes.push(first, second);
  return [new End(closing, first, second), new End(closing, second, first)];
}

/** What both ends know of the close. The signal is made when somebody first asks for it. */
interface Closing {
  readonly inboxes: Inbox[];
  readonly closed: Promise<void>;
  isClosed(): boolean;
  signal(): AbortSignal;
  close(): void;
}

function createClosing(): Closing {
  const { promise, resolve } = Promise.withResolvers<void>();
  const inboxes: Inbox[] = [];
  let isClosed = false;
  let controller: AbortController | undefined;
  return {
    inboxes,
    closed: promise,
    isClosed: () => isClosed,
    signal() {
      controller ??= new AbortController();
      if (isClosed) controller.abort(closedError());
      return controller.signal;
    },
    close() {
      if (isClosed) return;
      isClosed = true;
      for (const inbox of inboxes) inbox.end();
      controller?.abort(closedError());
      resolve();
    },
  };
}

/** A class, since an object that is made with a getter of its own costs as much as all the rest of the channel. */
class End implements Channel {
  readonly frames: AsyncIterable<Frame>;
  readonly closed: Promise<void>;
  readonly close: () => void;
  readonly #closing: Closing;
  readonly #outgoing: Inbox;

  constructor(closing: Closing, incoming: Inbox, outgoing: Inbox) {
    this.frames = incoming;
    this.closed = closing.closed;
    this.close = closing.close;
    this.#closing = closing;
    this.#outgoing = outgoing;
  }

  get signal(): AbortSignal {
    return this.#closing.signal();
  }

  readonly send = (frame: Frame): void => {
    if (this.#closing.isClosed()) throw closedError();
    this.#outgoing.put(frame);
  };
}

function closedError(): RondoError {
  return new RondoError('channel.closed', 'the channel is closed; connect again to go on');
}

interface Inbox extends AsyncIterable<Frame> {
  put(frame: Frame): void;
  /** What was put is still read; then the iteration is over. */
  end(): void;
}

/** Frames that wait for the one reader of an end. A reader that leaves lets go of what came and what comes. */
function createInbox(): Inbox {
  let queue: Frame[] = [];
  let head = 0;
  let waiting: ((result: IteratorResult<Frame, undefined>) => void)[] = [];
  let state: 'open' | 'ended' | 'left' = 'open';
  let taken = false;

  function finish(): void {
    const readers = waiting;
    waiting = [];
    for (const reader of readers) reader({ done: true, value: undefined });
  }

  function take(): Frame | undefined {
    const frame = queue[head];
    if (frame === undefined) return undefined;
    head += 1;
    if (head === queue.length) {
      queue = [];
      head = 0;
    }
    return frame;
  }

  return {
    put(frame) {
      if (state !== 'open') return;
      const reader = waiting.shift();
      if (reader === undefined) queue.push(frame);
      else reader({ done: false, value: frame });
    },
    end() {
      if (state === 'open') state = 'ended';
      finish();
    },
    [Symbol.asyncIterator]() {
      if (taken) throw new TypeError('the frames of a channel are read once, by one reader');
      taken = true;
      return {
        next() {
          const frame = take();
          if (frame !== undefined) return Promise.resolve({ done: false, value: frame });
          if (state !== 'open') return Promise.resolve({ done: true, value: undefined });
          return new Promise((resolve) => waiting.push(resolve));
        },
        return() {
          state = 'left';
          queue = [];
          head = 0;
          finish();
          return Promise.resolve({ done: true, value: undefined });
        },
      };
    },
  };
}
