import type { SDKMessage, SDKUserMessage } from '@rondo/protocol';
import { RondoError } from '@rondo/protocol/values';
import type { Options } from './options/options.ts';
import { runFor } from './run/choose-run.ts';
import type { QueryMethods } from './run/query-methods.ts';
import type { Run } from './run/start-run.ts';

/** The messages of an agent at work, and the ways to steer it. */
export interface Query extends AsyncGenerator<SDKMessage, void>, QueryMethods {
  /**
   * Stops everything. The iteration ends without an error once the turn has stopped; with `url` at once, however deaf the
   * host is, which stops the turn when it hears of it.
   */
  close(): void;
  /**
   * Ends the iteration and gives the session up as it is: a turn at work stays unfinished, with its questions open, for whoever
   * resumes it. Resolves once nothing is held any more. Rondo's own.
   */
  leave(): Promise<void>;
  /** As `close()`, and resolves once nothing is held any more: for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

export interface QueryParameters {
  /** One prompt, or messages as they come. A stream keeps the session open until it ends. */
  prompt: string | AsyncIterable<SDKUserMessage>;
  options?: Options;
}

/**
 * Sets an agent to work and yields what it says and does. Work begins at once, in this process unless the options name a
 * host or a peer process that does it.
 *
 * A turn that failed ends in a `result` with `is_error: true`. With one prompt that is thrown as well, once the result was
 * read; a stream goes on with its next message. What keeps a turn from being started (no such session, no key, a wrong
 * option) is thrown.
 * Leaving the loop stops the turn and waits until it has stopped, at a host for ten seconds at most.
 * @throws RondoError `input.invalid` at once for an option that cannot be served as given.
 */
export function query({ prompt, options = {} }: QueryParameters): Query {
  checkPrompt(prompt);
  return queryOf(runFor(prompt, options));
}

/** @throws RondoError `input.invalid` for what says nothing to work on. */
export function checkPrompt(prompt: QueryParameters['prompt']): void {
  if (typeof prompt !== 'string' && typeof prompt?.[Symbol.asyncIterator] !== 'function') {
    throw new RondoError('input.invalid', 'prompt must be a text, or an async iterable of user messages.');
  }
  if (typeof prompt === 'string' && prompt.trim() === '')
    throw new RondoError('input.invalid', 'prompt is empty: it says nothing to work on.');
}

/** What a program has of a run. */
export function queryOf(run: Run): Query {
  const stop = async (): Promise<void> => await run.stop();
  const query = Object.assign(linesOf(run), run.methods, {
    close: () => void run.stop(),
    leave: () => run.stop(undefined, 'leave'),
    async return(): Promise<IteratorResult<SDKMessage, void>> {
      await stop();
      return { done: true, value: undefined };
    },
    async throw(error: unknown): Promise<never> {
      await stop();
      throw error;
    },
    [Symbol.asyncDispose]: stop,
  });
  // Its iterator is itself, with all of these.
  return query as typeof query & Query;
}

/** The iteration of a run's lines. By hand: a generator makes four promises more for each of them, of which a reply may have thousands. */
function linesOf(run: Run): AsyncIterableIterator<SDKMessage, void> & { readonly [Symbol.toStringTag]: string } {
  const done = { done: true, value: undefined } as const;
  let isOver = false;
  /** The read that waits; whoever reads meanwhile comes after it. */
  let pending: Promise<IteratorResult<SDKMessage, void>> | undefined;

  function took(line: SDKMessage | undefined): IteratorResult<SDKMessage, void> {
    pending = undefined;
    isOver = line === undefined;
    return line === undefined ? done : { done: false, value: line };
  }

  function failed(error: unknown): never {
    pending = undefined;
    isOver = true;
    throw error;
  }

  function readNext(): Promise<IteratorResult<SDKMessage, void>> {
    if (pending !== undefined) return pending.then(readNext, readNext);
    if (isOver) return Promise.resolve(done);
    const line = run.takeWaiting?.();
    if (line !== undefined) return Promise.resolve({ done: false, value: line });
    pending = run.next().then(took, failed);
    return pending;
  }

  return {
    next: readNext,
    [Symbol.toStringTag]: 'AsyncGenerator',
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
