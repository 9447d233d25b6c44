import type { Channel, Frame } from '@rondo/protocol';
import { isRondoError } from '@rondo/protocol/values';
import type { Runtime } from '@rondo/runtime';
import { loadParamsDecoder, trustParams } from './decode-params.ts';
import type { ReportBug } from './error-frame.ts';
import { createRequests } from './requests.ts';
import { createSubscriptions } from './subscription.ts';

export interface ServeOptions {
  /**
   * The other end is code of this process, checked by the same compiler: params are not parsed, and no schema is loaded.
   * Never for a socket, a pipe or a file.
   */
  readonly trusted?: boolean;
  /** Hears of bugs, which the other end reads as `internal` only. */
  readonly log?: ReportBug;
  /** What the host calls itself in `host/initialize`. */
  readonly name?: string;
  /** Who is at the other end: recorded with the answers it gives. */
  readonly principal?: string;
}

/** A runtime at work on one channel. */
export interface ServedChannel {
  /** Resolves when the channel is closed and nothing that came over it is at work any more. Never rejects. */
  readonly closed: Promise<void>;
  /** Closes the channel. Turns go on: whoever only wants to leave stops nothing. */
  close(): void;
  /** Closes, and waits for `closed`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Answers a client's requests on a channel until either side closes it. */
export function serveRuntime(runtime: Runtime, channel: Channel, options: ServeOptions = {}): ServedChannel {
  const closed = serve(runtime, channel, options);
  return {
    closed,
    close: () => channel.close(),
    async [Symbol.asyncDispose]() {
      channel.close();
      await closed;
    },
  };
}

async function serve(runtime: Runtime, channel: Channel, options: ServeOptions): Promise<void> {
  const report: ReportBug = options.log ?? (() => {});
  const send = (frame: Frame): void => sendUnlessClosed(channel, frame);
  const subscriptions = createSubscriptions({ runtime, send, report });
  const requests = createRequests({
    context: { runtime, subscriptions, name: options.name ?? 'rondo', principal: options.principal },
    decode: options.trusted === true ? trustParams : await loadParamsDecoder(),
    initialized: options.trusted === true,
    send,
    report,
  });
  try {
    // Notifications say nothing to a host of this version, and it asks nothing that a response could answer.
    for await (const frame of channel.frames) if ('method' in frame && 'id' in frame) requests.take(frame);
  } catch (bug) {
    report(bug, 'channel');
    channel.close();
  }
  await subscriptions.abandon();
  await requests.settled();
}

/** A response to a client that has left is nobody's any more. */
function sendUnlessClosed(channel: Channel, frame: Frame): void {
  try {
    channel.send(frame);
  } catch (error) {
    if (!isRondoError(error, 'channel.closed')) throw error;
  }
}
