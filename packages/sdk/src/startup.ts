import type { SDKUserMessage } from '@rondo/protocol';
import { RondoError } from '@rondo/protocol/values';
import type { Options } from './options/options.ts';
import { checkPrompt, type Query, queryOf } from './query.ts';
import { warmFor, type WarmRun } from './run/choose-run.ts';

export interface StartupParameters {
  options?: Options;
  /** How long to wait until all is ready; 60,000 unless given. */
  initializeTimeoutMs?: number;
}

/** A query that waits for its prompt, with everything loaded that it needs. */
export interface WarmQuery extends AsyncDisposable {
  /** Sets the agent to work. Once only. @throws RondoError `input.invalid` the second time, and `channel.closed` once closed. */
  query(prompt: string | AsyncIterable<SDKUserMessage>): Query;
  /** Gives up what is ready, where it was not used. A query that was started goes on. */
  close(): void;
}

const defaultTimeoutMs = 60_000;

/**
 * Loads what a query of these options needs before its prompt is known: the model's adapter, the tools, the settings, the
 * hooks, the sandbox, the MCP servers. No session is begun or taken up until the prompt comes.
 * @throws RondoError what would keep the query from being started, and `operation.aborted` when it is not ready in time.
 */
export async function startup({ options = {}, initializeTimeoutMs }: StartupParameters = {}): Promise<WarmQuery> {
  const timeoutMs = checkedTimeout(initializeTimeoutMs);
  const warm = await within(timeoutMs, (signal) => warmFor(options, signal));
  let state: 'ready' | 'started' | 'closed' = 'ready';
  let closing: Promise<void> | undefined;

  async function close(): Promise<void> {
    if (state === 'ready') {
      state = 'closed';
      closing = warm.close();
    }
    await closing;
  }

  return {
    query(prompt) {
      checkPrompt(prompt);
      if (state === 'started')
        throw new RondoError('input.invalid', 'this warm query has had its prompt; call startup() again for another.');
      if (state === 'closed')
        throw new RondoError('channel.closed', 'this warm query was closed; call startup() again.');
      state = 'started';
      return queryOf(warm.start(prompt));
    },
    close: () => void close().catch(() => {}),
    [Symbol.asyncDispose]: close,
  };
}

/** What is ready too late is given back. */
async function within(timeoutMs: number, warm: (signal: AbortSignal) => Promise<WarmRun>): Promise<WarmRun> {
  const givingUp = new AbortController();
  const warming = warm(givingUp.signal);
  const { promise: late, reject } = Promise.withResolvers<never>();
  const message = `startup() was not ready within ${timeoutMs} ms (initializeTimeoutMs)`;
  const timer = setTimeout(
    () => reject(new RondoError('operation.aborted', message, { details: { timeoutMs } })),
    timeoutMs,
  );
  try {
    return await Promise.race([warming, late]);
  } catch (error) {
    givingUp.abort();
    warming.then(
      ({ close }) => close(),
      () => {},
    );
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

function checkedTimeout(timeoutMs: number | undefined): number {
  if (timeoutMs === undefined) return defaultTimeoutMs;
  if (typeof timeoutMs === 'number' && timeoutMs > 0 && timeoutMs < 2 ** 31) return timeoutMs;
  const message = `startup(): initializeTimeoutMs takes milliseconds above 0, not ${JSON.stringify(timeoutMs)}.`;
  throw new RondoError('input.invalid', message, { details: { option: 'initializeTimeoutMs' } });
}
