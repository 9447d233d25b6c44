import type { Channel, Frame } from '@rondo/protocol';
import { isRondoError } from '@rondo/protocol/values';
import type { Runtime } from '@rondo/runtime';
import { unboundPrincipal, type Principal } from './access/principal.ts';
import { givenPrincipal } from './access/read-principal.ts';
import { createConnection } from './connection.ts';
import { loadParamsDecoder, trustParams } from './decode-params.ts';
import type { ReportBug } from './error-frame.ts';

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
  /** Who is at the other end, and what it may do. A name alone may do everything. Recorded with the answers it gives. */
  readonly principal?: string | Principal;
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

/**
 * Answers a client's requests on a channel until either side closes it.
 * @throws RondoError `input.invalid` for a principal that says something else than what one may do.
 */
export function serveRuntime(runtime: Runtime, channel: Channel, options: ServeOptions = {}): ServedChannel {
  const { principal } = options;
  const known = typeof principal === 'string' ? unboundPrincipal(principal) : principal && givenPrincipal(principal);
  const closed = serve(runtime, channel, known, options);
  return {
    closed,
    close: () => channel.close(),
    async [Symbol.asyncDispose]() {
      channel.close();
      await closed;
    },
  };
}

async function serve(
  runtime: Runtime,
  channel: Channel,
  principal: Principal | undefined,
  options: ServeOptions,
): Promise<void> {
  const report: ReportBug = options.log ?? (() => {});
  const { trusted = false } = options;
  const connection = createConnection({
    runtime,
    link: {
      send: (frame) => sendUnlessClosed(channel, frame),
      room: () => undefined,
      unwritten: () => 0,
      mostEvents: Number.POSITIVE_INFINITY,
    },
    decode: trusted ? trustParams : await loadParamsDecoder(),
    principal,
    name: options.name ?? 'rondo',
    initialized: trusted,
    requests: Number.POSITIVE_INFINITY,
    subscriptions: Number.POSITIVE_INFINITY,
    report,
  });
  try {
    for await (const frame of channel.frames) connection.take({ ok: true, frame });
  } catch (bug) {
    report(bug, 'channel');
    channel.close();
  }
  await connection.abandon();
}

/** A response to a client that has left is nobody's any more. */
function sendUnlessClosed(channel: Channel, frame: Frame): void {
  try {
    channel.send(frame);
  } catch (error) {
    if (!isRondoError(error, 'channel.closed')) throw error;
  }
}
