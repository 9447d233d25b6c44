import type { SDKUserMessage } from '@rondo/protocol';
import type { Options } from '../options/options.ts';
import type { Run } from '../run/start-run.ts';
import { checkPeerOptions } from './check-peer-options.ts';
import { openPeer, type PeerParts } from './open-peer.ts';

/**
 * Sets a peer process to work, which begins at once. What goes wrong comes out of `next()`.
 * @throws RondoError `input.invalid` at once for an option that cannot be sent to a peer.
 */
export function startPeerRun(
  prompt: string | AsyncIterable<SDKUserMessage>,
  options: Options,
  parts: PeerParts = {},
): Run {
  checkPeerOptions(options);
  return openPeer(options, parts).start(prompt);
}

/** A peer process that is ready and has been told nothing yet. */
export interface WarmPeer {
  /** Once only. */
  start(prompt: string | AsyncIterable<SDKUserMessage>): Run;
  /** Resolves once it has ended, or been told to. */
  close(): Promise<void>;
}

export interface WarmPeerParts extends PeerParts {
  /** Aborts when nobody waits any more for it to be ready. */
  readonly signal?: AbortSignal;
}

/**
 * Starts a peer process and waits until it is ready.
 * @throws RondoError what kept it from being started, or what it answered in place of being ready. It is ended then.
 */
export async function warmPeer(options: Options, { signal, ...parts }: WarmPeerParts = {}): Promise<WarmPeer> {
  checkPeerOptions(options);
  const peer = openPeer(options, parts);
  const giveUp = (): void => void peer.stop();
  if (signal?.aborted === true) giveUp();
  else signal?.addEventListener('abort', giveUp, { once: true });
  try {
    await peer.initialized;
  } catch (error) {
    void peer.stop();
    throw error;
  } finally {
    signal?.removeEventListener('abort', giveUp);
  }
  return { start: peer.start, close: () => peer.stop() };
}
