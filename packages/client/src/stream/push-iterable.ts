import { createBacklog } from './backlog.ts';

/** Where the values of one iteration come from. */
export interface PushSink<T> {
  push(value: T): void;
  /** The iteration is over once what was pushed has been taken: cleanly, or with one error. Later calls do nothing. */
  end(error?: unknown): void;
  /** Undefined while the reader keeps up; else resolves when it has caught up. */
  room(): Promise<void> | undefined;
}

/** Begins to push; returns the way to stop, which is called once the iteration is over, however it ended. */
export type PushSource<T> = (sink: PushSink<T>) => () => void;

/**
 * An iterable over what a source pushes. The source starts with the first `next()` of an iteration, and each iteration
 * has its own. Leaving (`return`) stops the source at once, also while a `next()` is pending; an error comes out once.
 */
export function pushIterable<T>(source: PushSource<T>): PushIterable<T> {
  return { [Symbol.asyncIterator]: () => pushIterator(source) };
}

export interface PushIterable<T> extends AsyncIterable<T> {
  [Symbol.asyncIterator](): PushIterator<T>;
}

export interface PushIterator<T> extends AsyncIterator<T, undefined, void> {
  /** A value that has come already, and that `next` does not give again; undefined where none has. Makes no promise. */
  takeWaiting(): T | undefined;
}

/** So many values that were taken are kept at most. */
const MOST_TAKEN = 1024;

interface Waiting<T> {
  resolve(result: IteratorResult<T, undefined>): void;
  reject(error: unknown): void;
}

function pushIterator<T>(source: PushSource<T>): PushIterator<T> {
  let queue: T[] = [];
  let head = 0;
  const backlog = createBacklog();
  let waiting: Waiting<T>[] = [];
  let stop: (() => void) | undefined;
  let state: 'new' | 'running' | 'ended' = 'new';
  let failure: { readonly error: unknown } | undefined;

  function end(error?: unknown): void {
    if (state === 'ended') return;
    state = 'ended';
    if (error !== undefined) failure = { error };
    const readers = waiting;
    waiting = [];
    for (const reader of readers) settle(reader);
    stop?.();
  }

  /** Of an iteration that is over: its error, once, then nothing. */
  function settle(reader: Waiting<T>): void {
    if (failure === undefined) {
      reader.resolve({ done: true, value: undefined });
      return;
    }
    const { error } = failure;
    failure = undefined;
    reader.reject(error);
  }

  function push(value: T): void {
    if (state === 'ended') return;
    const reader = waiting.shift();
    if (reader === undefined) {
      queue.push(value);
      backlog.add(1);
    } else reader.resolve({ done: false, value });
  }

  /** What waits longest. A reader that never catches up must not keep what it has taken. */
  function take(): T {
    const value = queue[head] as T;
    head += 1;
    if (head === queue.length || head >= MOST_TAKEN) {
      queue = queue.slice(head);
      head = 0;
    }
    backlog.take(1);
    return value;
  }

  function start(): void {
    state = 'running';
    const stopSource = source({ push, end, room: backlog.room });
    if (isOver()) stopSource();
    else stop = stopSource;
  }

  function isOver(): boolean {
    return state === 'ended';
  }

  return {
    takeWaiting: () => (head < queue.length ? take() : undefined),
    next() {
      if (state === 'new') start();
      if (head < queue.length) return Promise.resolve({ done: false, value: take() });
      return new Promise((resolve, reject) => {
        if (state === 'ended') settle({ resolve, reject });
        else waiting.push({ resolve, reject });
      });
    },
    return() {
      queue = [];
      head = 0;
      failure = undefined;
      end();
      return Promise.resolve({ done: true, value: undefined });
    },
  };
}
