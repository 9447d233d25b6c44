import type { Channel } from '@rondo/protocol';
import { isRondoError, RondoError } from '@rondo/protocol/values';
import type { Clock } from './clock.ts';
import { createLink, type Link, type LinkOptions } from './link.ts';

/**
 * Opens a channel to the host, a new one each time. An error that is not `retryable`, such as `access.unauthenticated`,
 * says that trying again is of no use.
 */
export type ChannelOpener = (options: { readonly signal: AbortSignal }) => Channel | Promise<Channel>;

export interface OpenLinkOptions extends Omit<LinkOptions, 'trusted'> {
  readonly open: ChannelOpener;
  readonly clock: Clock;
  /** Gives the opening up. */
  readonly signal: AbortSignal;
}

/** A host that has not greeted back by then is taken for one that does not answer. */
const OPENING_LIMIT_MS = 15_000;

/** One try to open a channel and to agree with the host. Rejects with a `RondoError` and leaves nothing open. */
export async function openLink({ open, clock, signal, ...options }: OpenLinkOptions): Promise<Link> {
  const attempt = new AbortController();
  const onAbort = (): void => attempt.abort(signal.reason);
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  clock.sleep(OPENING_LIMIT_MS, { signal: attempt.signal }).then(
    () => attempt.abort(noAnswer()),
    () => {},
  );
  try {
    return await untilAborted(attempt.signal, greeted(open, attempt.signal, options));
  } catch (error) {
    throw openingError(error);
  } finally {
    signal.removeEventListener('abort', onAbort);
    attempt.abort(over);
  }
}

async function greeted(open: ChannelOpener, signal: AbortSignal, options: Omit<LinkOptions, 'trusted'>): Promise<Link> {
  const channel = await open({ signal });
  // Opened too late: nobody waits for it.
  if (signal.aborted) {
    channel.close();
    throw openingError(signal.reason);
  }
  const link = createLink(channel, { ...options, trusted: false });
  const onAbort = (): void => link.close();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    await link.greet();
    return link;
  } catch (error) {
    link.close();
    throw error;
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** Rejects at once when the signal aborts. What is then still at work cleans up after itself. */
async function untilAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const onAbort = (): void => aborted.reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  work.catch(() => {});
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** Ends the limit's timer once the try is over. */
const over = new RondoError('operation.aborted', 'the try to connect is over');

function noAnswer(): RondoError {
  return new RondoError('channel.closed', `the host did not answer within ${OPENING_LIMIT_MS / 1000} seconds`);
}

function openingError(error: unknown): RondoError<string> {
  if (isRondoError(error)) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return new RondoError('channel.closed', `no channel to the host could be opened: ${reason}`, { cause: error });
}
