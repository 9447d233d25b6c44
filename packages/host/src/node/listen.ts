import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { RondoError } from '@rondo/protocol/values';
import { type Clock, type Runtime, systemClock } from '@rondo/runtime';
import { loadEdgeDecoder } from '../decode-params.ts';
import { defaultLimits, type HostLimits } from '../limits.ts';
import { inUrl, isLoopback } from './access/address.ts';
import { bearerToken, createAuthenticate } from './access/authenticate.ts';
import { createGuard } from './access/create-guard.ts';
import { readGrant } from './access/read-grant.ts';
import type { TokenGrant } from './access/token-grant.ts';
import { type Edge, within } from './edge.ts';
import { type HostLog, reportTo, silentLog } from './host-log.ts';
import { route } from './http/route.ts';
import { sendRefusal } from './http/send-json.ts';
import { createSocketDoor } from './socket/socket-door.ts';

export interface ListenOptions {
  /** The address to bind. The machine itself, `127.0.0.1`, unless said; any other needs `tokens`. */
  readonly host?: string;
  /** A free one unless said. */
  readonly port?: number;
  /** Who may do what. Absent, everybody who reaches the address may do everything. */
  readonly tokens?: readonly TokenGrant[];
  /** Names, beside the loopback ones and `host`, under which clients may reach this host; with or without a port. */
  readonly allowedHosts?: readonly string[];
  /** Origins of pages, beside this host's own, that may speak to it. */
  readonly allowedOrigins?: readonly string[];
  readonly limits?: Partial<HostLimits>;
  /** How often a connection is asked whether it still is there. 30 seconds unless said. */
  readonly heartbeatMs?: number;
  readonly log?: HostLog;
  readonly clock?: Clock;
  /** What the host calls itself in `host/initialize`. */
  readonly name?: string;
}

export interface Listening {
  /** Where it listens: `http://127.0.0.1:4711`. */
  readonly url: string;
  readonly port: number;
  /** How many WebSockets, event streams and requests over HTTP are open. */
  connections(): number;
  /**
   * Takes no more work, tells clients, answers what they have asked within `limits.closeMs`, and closes every connection.
   * Turns go on: they are the runtime's.
   */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

const HEARTBEAT_MS = 30_000;

/**
 * Serves a runtime over WebSocket (`/ws`), HTTP (`POST /rpc`) and server-sent events (`/sessions/ID/events`).
 * @throws RondoError `input.invalid` when an address that others reach is to be bound without tokens, and for a grant
 * that says something else than what a principal may do.
 */
export async function listen(runtime: Runtime, options: ListenOptions = {}): Promise<Listening> {
  const { host = '127.0.0.1', tokens, log = silentLog, heartbeatMs = HEARTBEAT_MS } = options;
  if (tokens === undefined && !isLoopback(host)) throw openToAll(host);
  const grants = tokens === undefined ? undefined : await readGrants(tokens);
  const edge: Edge = {
    runtime,
    decode: await loadEdgeDecoder(),
    limits: { ...defaultLimits, ...options.limits },
    clock: options.clock ?? systemClock,
    name: options.name ?? 'rondo',
    report: reportTo(log),
  };
  const authenticate = createAuthenticate(grants);
  const closing = new AbortController();
  const door = await createSocketDoor({ ...edge, authenticate });
  const streams = new Set<Promise<void>>();
  const guard = createGuard({ ...options, host, log });

  const server = createServer((request, response) => {
    const work = answer(request, response).finally(() => streams.delete(work));
    streams.add(work);
  });
  server.maxConnections = edge.limits.connections;
  server.on('upgrade', (request, socket, head) => upgrade(request, socket, head));

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // A client that leaves in the middle of its request or of our answer is no fault.
    request.on('error', () => {});
    response.on('error', () => {});
    try {
      const url = guard.admit(request);
      if (url instanceof RondoError) return sendRefusal(response, url.code === 'access.denied' ? 403 : 401, url);
      allowOrigin(request, response);
      await route(request, response, url, { ...edge, authenticate, heartbeatMs, closing: closing.signal });
    } catch (bug) {
      edge.report(bug, request.method ?? '');
      response.destroy();
    }
  }

  function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => {});
    const url = guard.admit(request);
    if (url instanceof RondoError) return refuseUpgrade(socket, url.code === 'access.denied' ? 403 : 401);
    if (url.pathname !== '/ws') return refuseUpgrade(socket, 404);
    if (closing.signal.aborted) return refuseUpgrade(socket, 503);
    const { authorization } = request.headers;
    const principal = authorization === undefined && tokens !== undefined ? undefined : ofHeader(authorization);
    if (principal === undefined && authorization !== undefined) return refuseUpgrade(socket, 401);
    door.open(request, socket, head, principal);
  }

  const ofHeader = (header: string | undefined) => authenticate(bearerToken(header));
  const { port } = await bind(server, host, options.port ?? 0, edge.limits.connections);
  const url = `http://${inUrl(host)}:${port}`;
  const stopped = new AbortController();
  void beatFor(stopped.signal, { clock: edge.clock, heartbeatMs, beat: door.beat });
  log.info({ url }, 'listening');

  let closed: Promise<void> | undefined;
  async function close(): Promise<void> {
    closing.abort();
    await Promise.all([door.close(), within(Promise.allSettled(streams), edge.limits.closeMs, edge.clock)]);
    stopped.abort();
    const ended = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeAllConnections();
    await ended;
    log.info({ url }, 'closed');
  }
  return {
    url,
    port,
    connections: () => door.size() + streams.size,
    close: () => (closed ??= close()),
    [Symbol.asyncDispose]: () => (closed ??= close()),
  };
}

/** A page may read answers only when they name its origin; others were refused before this. */
function allowOrigin({ headers: { origin } }: IncomingMessage, response: ServerResponse): void {
  response.setHeader('vary', 'Origin');
  if (origin !== undefined) response.setHeader('access-control-allow-origin', origin);
}

/**
 * Nothing is told but the number. The socket is no longer the server's, whose bounds of time would end it: one whose
 * client keeps its half open would stay for ever.
 */
function refuseUpgrade(socket: Duplex, status: number): void {
  socket.resume();
  socket.once('finish', () => socket.destroy());
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}

/** As many may wait to be accepted as may be there: after a restart all clients come back in the same moment. */
async function bind(server: Server, host: string, port: number, backlog: number): Promise<AddressInfo> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port, backlog }, () => {
      server.off('error', reject);
      resolve();
    });
  });
  return server.address() as AddressInfo;
}

interface Beating {
  readonly clock: Clock;
  readonly heartbeatMs: number;
  readonly beat: () => void;
}

async function beatFor(signal: AbortSignal, { clock, heartbeatMs, beat }: Beating): Promise<void> {
  try {
    for (;;) {
      await clock.sleep(heartbeatMs, { signal });
      beat();
    }
  } catch {
    // The host is closed.
  }
}

async function readGrants(tokens: unknown): Promise<readonly TokenGrant[]> {
  const invalid = (why: string): RondoError => new RondoError('input.invalid', `listen(): ${why}`);
  if (!Array.isArray(tokens)) throw invalid('tokens is not a list');
  return await Promise.all(tokens.map((grant: unknown, index) => readGrant(grant, `tokens[${index}]`, invalid)));
}

function openToAll(host: string): RondoError {
  return new RondoError(
    'input.invalid',
    `${host} is reached from other machines: give listen() tokens, or bind 127.0.0.1 (the default)`,
    { details: { host } },
  );
}
