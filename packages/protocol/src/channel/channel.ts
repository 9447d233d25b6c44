import type { Frame } from '../frame/frame.ts';

/**
 * Two ends, frames both ways, in order. `frames` ends when the channel is closed by either side and is read once.
 * Frames are JSON values that nobody may change after sending.
 */
export interface Channel {
  /** @throws RondoError `channel.closed` when the channel has been closed. */
  send(frame: Frame): void;
  readonly frames: AsyncIterable<Frame>;
  /** Aborts when the channel closes. */
  readonly signal: AbortSignal;
  /** Resolves when the channel has closed, whoever closed it. Never rejects. */
  readonly closed: Promise<void>;
  /** Closes both ends; frames already sent are still delivered. Calling it again does nothing. */
  close(): void;
}
