import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { httpClientFor, type HttpClient } from './http-client.ts';
import type { Network } from './network.ts';

/** Milliseconds; undefined waits for ever. */
export interface PostTimeouts {
  /** From the start, connecting included, until the response's headers. */
  readonly headersMs?: number | undefined;
  /** From the headers until the first byte of the body. */
  readonly firstByteMs?: number | undefined;
  /** Between two bytes of the body. */
  readonly idleMs?: number | undefined;
}

/** Bytes, or pieces of them that are sent one behind the other. Not to be changed until the reply has come. */
export type RequestBody = Buffer | readonly Buffer[];

export interface PostOptions {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: RequestBody;
  readonly timeouts: PostTimeouts;
  /** How the server is reached; straight when not given. */
  readonly network?: Network | undefined;
}

export type PostFailure =
  | { readonly type: 'timeout'; readonly phase: 'headers' | 'first-byte' | 'idle'; readonly afterMs: number }
  /** The connection could not be made or broke; `answered` once the response's headers had come. */
  | { readonly type: 'connection'; readonly cause: NodeJS.ErrnoException; readonly answered: boolean };

/** Called in this order: `response` once, `data` any number of times, then exactly one of `end` and `fail`. */
export interface PostHandlers {
  response(status: number, headers: IncomingHttpHeaders): void;
  /** All that came at once, however many chunks it was. */
  data(bytes: Buffer): void;
  end(): void;
  fail(failure: PostFailure): void;
}

export interface Post {
  /** Stops reading, and the idle timer with it: a slow reader is no silent server. */
  pause(): void;
  resume(): void;
  /** Calls no handler any more and closes the socket at once. */
  close(): void;
  /** Calls no handler any more, and leaves the connection for reuse when the body ends soon. */
  release(): void;
}

/** A body whose content is whole may still miss its last chunk; longer than this the connection is not worth. */
const releaseGraceMs = 1_000;
const longestTimer = 2 ** 31 - 1;

/** A name of the caller's own stays as it is. */
function headersOf({ headers, network }: PostOptions): PostOptions['headers'] {
  if (network?.clientApp === undefined || headers['user-agent'] !== 'rondo') return headers;
  return { ...headers, 'user-agent': `rondo (client-app/${network.clientApp})` };
}

/**
 * Sends one POST. A kept-alive connection may have been closed by the server while it lay idle; such a request was
 * never answered, so it is sent once more on a fresh connection and nobody hears of it. Any other failure is reported.
 */
export function post(options: PostOptions, handlers: PostHandlers): Post {
  let settled = false;
  let paused = false;
  let request: ClientRequest | undefined;
  let response: IncomingMessage | undefined;
  let timer: NodeJS.Timeout | undefined;
  /** What is waited for, and how long. */
  let waiting: { readonly phase: 'headers' | 'first-byte' | 'idle'; readonly afterMs: number } | undefined;

  function settle(): boolean {
    if (settled) return false;
    settled = true;
    clearTimeout(timer);
    return true;
  }

  function fail(failure: PostFailure): void {
    if (!settle()) return;
    request?.destroy();
    handlers.fail(failure);
  }

  function startTimer(phase: 'headers' | 'first-byte' | 'idle', afterMs: number | undefined): void {
    const isSame = timer !== undefined && waiting?.afterMs === afterMs && !settled;
    waiting = afterMs === undefined ? undefined : { phase, afterMs };
    // Mostly all phases may take as long, and one timer does for them.
    if (isSame) {
      timer?.refresh();
      return;
    }
    clearTimeout(timer);
    timer = undefined;
    if (afterMs === undefined || settled) return;
    timer = setTimeout(timedOut, Math.min(afterMs, longestTimer));
  }

  function timedOut(): void {
    if (waiting !== undefined) fail({ type: 'timeout', ...waiting });
  }

  function send(client: HttpClient, mayRetry: boolean): void {
    if (settled) return;
    const pieces = Buffer.isBuffer(options.body) ? [options.body] : options.body;
    const length = pieces.reduce((sum, piece) => sum + piece.byteLength, 0);
    const headers = { ...headersOf(options), 'content-length': String(length) };
    const sent = client.request(options.url, { method: 'POST', headers });
    request = sent;
    let bytesBefore = 0;
    sent.on('socket', (socket) => {
      bytesBefore = socket.bytesRead;
    });
    sent.on('response', receive);
    sent.on('error', (cause: NodeJS.ErrnoException) => {
      if (settled || sent !== request) return;
      const unanswered = response === undefined && (sent.socket?.bytesRead ?? 0) === bytesBefore;
      if (mayRetry && sent.reusedSocket && unanswered && isBrokenConnection(cause)) {
        client.closeIdle();
        send(client, false);
        return;
      }
      fail({ type: 'connection', cause, answered: response !== undefined });
    });
    sent.cork();
    for (const piece of pieces) sent.write(piece);
    sent.end();
    sent.uncork();
  }

  function receive(message: IncomingMessage): void {
    if (settled) {
      message.destroy();
      return;
    }
    response = message;
    startTimer('first-byte', options.timeouts.firstByteMs);
    let first = true;
    let gathered: Buffer[] = [];
    // One read of the socket holds hundreds of events, each in a chunk of its own: they are handed on together.
    const handOn = (): void => {
      const chunks = gathered;
      gathered = [];
      const [only] = chunks;
      if (settled || only === undefined) return;
      if (first) {
        first = false;
        if (!paused) startTimer('idle', options.timeouts.idleMs);
      } else {
        timer?.refresh();
      }
      handlers.data(chunks.length === 1 ? only : Buffer.concat(chunks));
    };
    handlers.response(message.statusCode ?? 0, message.headers);
    takeChunks(message, (chunk) => {
      if (gathered.push(chunk) === 1) queueMicrotask(handOn);
    });
    message.on('end', () => {
      handOn();
      if (settle()) handlers.end();
    });
    message.on('error', (cause) => {
      handOn();
      fail({ type: 'connection', cause, answered: true });
    });
  }

  startTimer('headers', options.timeouts.headersMs);
  const client = options.network?.clientFor(options.url) ?? httpClientFor(options.url);
  if ('request' in client) send(client, true);
  else
    client.then(
      (made) => send(made, true),
      (cause: Error) => fail({ type: 'connection', cause, answered: false }),
    );

  return {
    pause() {
      paused = true;
      if (response?.complete === false) response.socket.pause();
      startTimer('idle', undefined);
    },
    resume() {
      paused = false;
      startTimer('idle', options.timeouts.idleMs);
      if (response?.complete === false) response.socket.resume();
    },
    close() {
      settle();
      request?.destroy();
    },
    release() {
      settle();
      if (response === undefined) {
        request?.destroy();
        return;
      }
      const unfinished = setTimeout(() => request?.destroy(), releaseGraceMs);
      unfinished.unref();
      request?.once('close', () => clearTimeout(unfinished));
      if (!response.complete) response.socket.resume();
    },
  };
}

/**
 * Takes the body's chunks as the parser finds them, and leaves the stream only its end. A stream does for each chunk what
 * it is for, and nobody waits for chunks here: of a reply of thousands of them that was a good part of the cost. Whoever reads too slowly stops the socket, whose connection is the reply's own until it is complete.
 */
function takeChunks(message: IncomingMessage, take: (chunk: Buffer) => void): void {
  const { push } = message;
  message.push = (chunk: Buffer | null) => {
    if (chunk === null) return push.call(message, null);
    take(chunk);
    return true;
  };
  message.resume();
}

function isBrokenConnection(error: NodeJS.ErrnoException): boolean {
  return error.code === 'ECONNRESET' || error.code === 'EPIPE' || error.code === 'ECONNABORTED';
}
