import type { IncomingMessage } from 'node:http';
import { type Channel, decodeFrame } from '@rondo/protocol';
import { RondoError } from '@rondo/protocol/values';
import { type ClientOptions, WebSocket } from 'ws';
import { DEFAULT_SILENCE_MS, silentHost } from '../channel/silence.ts';
import { openWebSocketEnd } from '../channel/web-socket-end.ts';

export interface HeaderedWebSocketOptions {
  /** Sent as a bearer token with the request that opens the socket. */
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Gives the opening up. */
  readonly signal?: AbortSignal;
  /**
   * A host that beats, and then says nothing for that long, is taken for gone. 90 seconds unless said; more for hosts that
   * beat less often than that.
   */
  readonly silenceMs?: number;
}

/** A channel over a WebSocket whose opening request carries headers, as browsers' cannot. Open when it resolves. */
export async function webSocketChannel(url: string | URL, options: HeaderedWebSocketOptions = {}): Promise<Channel> {
  const { token, headers, signal, silenceMs = DEFAULT_SILENCE_MS } = options;
  signal?.throwIfAborted();
  const socketOptions: ClientOptions & { readonly closeTimeout: number } = {
    headers: { ...headers, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) },
    // It would cost the host memory for every connection.
    perMessageDeflate: false,
    // A host that does not close its side must not keep this process from ending.
    closeTimeout: 2000,
  };
  const socket = new WebSocket(url, socketOptions);
  let refusal: RondoError | undefined;
  socket.on('unexpected-response', (request, response) => {
    refusal = refusalOf(String(url), response);
    request.destroy();
    socket.terminate();
  });
  watchSilence(socket, silenceMs, () => {
    refusal ??= silentHost(String(url), silenceMs);
    socket.terminate();
  });
  return await openWebSocketEnd(socket, { url: String(url), decode: decodeFrame, signal, refusal: () => refusal });
}

/** Begins with the host's first beat: one that never beats is not judged. */
function watchSilence(socket: WebSocket, silenceMs: number, onSilence: () => void): void {
  let timer: NodeJS.Timeout | undefined;
  socket.on('ping', () => {
    if (timer === undefined) timer = setTimeout(onSilence, silenceMs).unref();
    else timer.refresh();
  });
  socket.on('message', () => timer?.refresh());
  socket.on('close', () => clearTimeout(timer));
}

function refusalOf(url: string, { statusCode = 0 }: IncomingMessage): RondoError {
  const details = { url, status: statusCode };
  if (statusCode === 401) {
    return new RondoError('access.unauthenticated', `the host at ${url} does not know this token`, { details });
  }
  if (statusCode === 403) return new RondoError('access.denied', `the host at ${url} refuses this client`, { details });
  return new RondoError('channel.closed', `${url} answered with status ${statusCode} and opened no socket`, {
    details,
  });
}
