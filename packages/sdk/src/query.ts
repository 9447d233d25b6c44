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
  const lines = linesOf(run);
  const stop = async (): Promise<void> => await run.stop();
  return Object.assign(lines, run.methods, {
    close: () => void run.stop(),
    leave: () => run.stop(undefined, 'leave'),
    // A generator that nobody has begun to read would end without a word to the run.
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
}

async function* linesOf(run: Run): AsyncGenerator<SDKMessage, void> {
  let isLeft = false;
  try {
    for (;;) {
      isLeft = false;
      const line = await run.next();
      if (line === undefined) return;
      isLeft = true;
      yield line;
    }
  } finally {
    // Of a run that has ended by itself, all was given back, or is nobody's to wait for.
    if (isLeft) await run.stop();
  }
}
