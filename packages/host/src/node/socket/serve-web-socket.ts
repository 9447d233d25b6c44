import type { Duplex } from 'node:stream';
import type { DecodedFrame, Frame, RequestFrame } from '@rondo/protocol';
import { RondoError } from '@rondo/protocol/values';
import type { WebSocket } from 'ws';
import type { Principal } from '../../access/principal.ts';
import { type Connection, createConnection } from '../../connection.ts';
import { errorFrame } from '../../error-frame.ts';
import type { Link } from '../../link.ts';
import type { Authenticate } from '../access/authenticate.ts';
import { type Edge, FRAME_EVENTS, UNREAD_FACTOR, within } from '../edge.ts';
import { createOutbox } from '../outbox.ts';
import { closeCodes } from './close-codes.ts';

/** How long one without a token in its upgrade has to send it. */
const ADMISSION_MS = 5000;
/** The most that one without a token may say. */
const ADMISSION_BYTES = 64 * 1024;
/** What of it is taken off the network at all, be it a message that is not whole yet: with frames' heads, and others behind. */
const ADMISSION_READ = 2 * ADMISSION_BYTES;

export interface ServedWebSocket {
  /** Resolves when the socket is closed and nothing that came over it is at work. Never rejects. */
  readonly closed: Promise<void>;
  /** Pings, or gives up a socket that has been silent twice. To be called at even times. */
  beat(): void;
  /** Tells the client, answers what it has asked within the bound, and closes. Resolves when the socket is closed. */
  close(): Promise<void>;
}

export interface ServeWebSocketOptions extends Edge {
  /** What the WebSocket goes over. */
  readonly stream: Duplex;
  /** Who sent its token with the upgrade. Absent: its first request must bring one. */
  readonly principal: Principal | undefined;
  readonly authenticate: Authenticate;
}

export function serveWebSocket(socket: WebSocket, options: ServeWebSocketOptions): ServedWebSocket {
  const { runtime, decode, limits, clock, name, report, authenticate } = options;
  const gone = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();
  const admitted = new AbortController();
  let connection: Connection | undefined;
  let isEnding = false;
  let isAlive = true;
  let silences = 0;

  const outbox = createOutbox({
    write: (text, done) => socket.send(text, done),
    queueBytes: limits.queueBytes,
    mostTexts: limits.requests * UNREAD_FACTOR + FRAME_EVENTS,
    onOverflow: () => socket.terminate(),
    onProgress: () => (isAlive = true),
  });
  const link: Link = {
    send: (frame) => outbox.send(JSON.stringify(frame)),
    room: outbox.room,
    unwritten: outbox.unwritten,
    mostEvents: FRAME_EVENTS,
  };

  function open(principal: Principal): Connection {
    admitted.abort();
    connection = createConnection({
      runtime,
      link,
      decode: decode.params,
      principal,
      name,
      report,
      requests: limits.requests,
      requestBytes: limits.requestBytes,
      subscriptions: limits.subscriptions,
    });
    return connection;
  }

  function refuse(id: string | number | null): void {
    isEnding = true;
    const error = new RondoError(
      'access.unauthenticated',
      'a connection begins with its token: in the upgrade as "Authorization: Bearer", or in host/initialize as "token"',
    );
    link.send(errorFrame(id, error.toJSON()));
    socket.close(closeCodes.unauthenticated, 'unauthenticated');
    void giveUpLater();
  }

  async function giveUpLater(): Promise<void> {
    await within(gone.promise, limits.closeMs, clock);
    socket.terminate();
  }

  /** The first frame of one without a token. */
  function admit(incoming: DecodedFrame): void {
    const request = incoming.ok ? requestOf(incoming.frame) : undefined;
    const principal = request?.method === 'host/initialize' ? authenticate(tokenOf(request.params)) : undefined;
    if (principal === undefined) refuse(request?.id ?? null);
    else open(principal).take(incoming);
  }

  function take(data: Buffer, isBinary: boolean): void {
    isAlive = true;
    if (isEnding) return;
    if (connection === undefined && data.length > ADMISSION_BYTES) return refuse(null);
    const incoming = isBinary ? binaryFrame : decode.frame(data.toString());
    if (connection === undefined) admit(incoming);
    else connection.take(incoming, data.length);
  }

  /** ws keeps a message until it is whole: who has not said who it is has no frame's worth of memory to fill. */
  function boundAdmission(): void {
    let read = 0;
    const count = (chunk: Buffer): void => {
      read += chunk.length;
      if (connection !== undefined) options.stream.off('data', count);
      else if (read > ADMISSION_READ) {
        options.stream.off('data', count);
        if (!isEnding) refuse(null);
        socket.pause();
      }
    };
    options.stream.on('data', count);
  }

  async function awaitAdmission(): Promise<void> {
    await clock.sleep(ADMISSION_MS, { signal: admitted.signal }).catch(() => {});
    if (connection === undefined && !isEnding) refuse(null);
  }

  // ws closes by itself on what it cannot receive: this is the last moment at which the client can be told why.
  const close = socket.close.bind(socket);
  socket.close = (code, reason) => {
    const fault = code === undefined || isEnding ? undefined : receivingFault(code, limits.frameBytes);
    if (fault !== undefined) {
      isEnding = true;
      link.send(errorFrame(null, fault.toJSON()));
      void giveUpLater();
    }
    close(code, reason);
  };

  // One buffer a message: the socket's binary type is what it is from the start.
  socket.on('message', (data: Buffer, isBinary) => take(data, isBinary));
  socket.on('pong', () => (isAlive = true));
  // What is wrong with a socket ends in its close.
  socket.on('error', () => {});
  socket.on('close', () => {
    isEnding = true;
    admitted.abort();
    outbox.end();
    gone.resolve();
    void (connection?.abandon() ?? Promise.resolve()).then(closed.resolve);
  });
  if (options.principal === undefined) {
    boundAdmission();
    void awaitAdmission();
  } else open(options.principal);

  return {
    closed: closed.promise,
    beat() {
      silences = isAlive ? 0 : silences + 1;
      isAlive = false;
      if (silences >= 2) socket.terminate();
      else if (socket.readyState === socket.OPEN) socket.ping();
    },
    async close() {
      if (connection !== undefined && !isEnding) await within(connection.close(), limits.closeMs, clock);
      isEnding = true;
      socket.close(closeCodes.goingAway, 'the host is closing');
      await within(gone.promise, limits.closeMs, clock);
      socket.terminate();
      await gone.promise;
    },
  };
}

const binaryFrame: DecodedFrame = {
  ok: false,
  reason: 'invalid',
  message: 'a frame is a text message, not a binary one',
  id: null,
};

function requestOf(frame: Frame): RequestFrame | undefined {
  return 'method' in frame && 'id' in frame ? (frame as RequestFrame) : undefined;
}

function tokenOf(params: unknown): string | undefined {
  const token = typeof params === 'object' && params !== null && 'token' in params ? params.token : undefined;
  return typeof token === 'string' ? token : undefined;
}

/** Why ws closes with this code, where it is for something that it received. */
function receivingFault(code: number, frameBytes: number): RondoError | undefined {
  if (code === closeCodes.tooLarge) {
    return new RondoError('protocol.frame_too_large', `a frame may have ${frameBytes} bytes; send less in each`, {
      details: { frameBytes },
    });
  }
  if (code === closeCodes.notUtf8) return new RondoError('protocol.frame_invalid', 'a text message is not UTF-8');
  if (code === closeCodes.protocolError) {
    return new RondoError('protocol.frame_invalid', 'the WebSocket protocol was broken');
  }
  return undefined;
}
