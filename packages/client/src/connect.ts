import type { Channel } from '@rondo/protocol';
import { type Client, type ClientOptions, createClient } from './client.ts';
import { systemClock } from './connection/clock.ts';
import type { ConnectionStatus } from './connection/connection-status.ts';
import type { Connection } from './connection/connection.ts';
import { createLink } from './connection/link.ts';
import type { ChannelOpener } from './connection/open-link.ts';
import { randomUuid } from './connection/random-uuid.ts';
import { createReconnectingConnection } from './connection/reconnecting.ts';
import { targetOf } from './connection/target.ts';

export interface ConnectOptions extends ClientOptions {
  /**
   * The other end is a host of this process, checked by the same compiler: nothing it sends is parsed, no schema is
   * loaded and no version negotiated. Never for a socket, a pipe or a file.
   */
  readonly trusted?: boolean;
  /** What this client calls itself to the host. */
  readonly name?: string;
  /**
   * Names the place that the channel leads to, such as an address or a runtime of this process. Handles of clients with
   * one place are equal when they name one session; by default every client is a place of its own.
   */
  readonly place?: string;
}

/** To a host that is reached by address, or by a channel that can be opened again. */
export interface ConnectToHostOptions extends Omit<ConnectOptions, 'trusted'> {
  /** Who this is, to a host at an address. It goes in a header or with the greeting, never in an address. */
  readonly token?: string;
  /**
   * How long to wait before each try to open a lost channel again, spread a little; what comes through begins the delays
   * anew. False: a lost channel ends the client. About five minutes of growing delays by default.
   */
  readonly reconnect?: { readonly delaysMs: Iterable<number> } | false;
  /** Closes the client when it aborts. */
  readonly signal?: AbortSignal;
  /** Hears what becomes of the connection. */
  readonly onConnection?: (status: ConnectionStatus) => void;
}

/** About five minutes. */
const DEFAULT_RECONNECT_DELAYS_MS: readonly number[] = [100, 250, 500, 1000, 2000, 4000, 8000].concat(
  Array.from({ length: 20 }, () => 15_000),
);

/** A client at one end of a channel, whose other end a host serves. Nothing is sent before the first call that asks for something. */
export function connect(channel: Channel, options?: ConnectOptions): Client;
/**
 * A client of the host at an address, `ws://…` or `http://…`, or behind a channel that a function opens. The channel is
 * opened by the first call that asks for something, and again when it is lost.
 */
export function connect(target: string | URL | ChannelOpener, options?: ConnectToHostOptions): Client;
export function connect(
  target: Channel | string | URL | ChannelOpener,
  options: ConnectOptions & ConnectToHostOptions = {},
): Client {
  if (typeof target !== 'string' && typeof target !== 'function' && !(target instanceof URL)) {
    const connection = createLink(target, { trusted: options.trusted ?? false, name: options.name ?? 'rondo' });
    return createClient(connection, options.place ?? newPlace(), options);
  }
  const { open, token, place } =
    typeof target === 'function'
      ? { open: target, token: options.token, place: newPlace() }
      : targetOf(target, options.token);
  return createClient(reconnecting(open, token, options), options.place ?? place, options);
}

function reconnecting(
  open: ChannelOpener,
  token: string | undefined,
  { name = 'rondo', reconnect, signal, onConnection }: ConnectToHostOptions,
): Connection {
  const connection = createReconnectingConnection({
    open,
    token,
    name,
    delaysMs: reconnect === false ? undefined : (reconnect?.delaysMs ?? DEFAULT_RECONNECT_DELAYS_MS),
    clock: systemClock,
    random: Math.random,
    newId: randomUuid,
    onStatus: onConnection,
  });
  if (signal !== undefined) closeOnAbort(connection, signal);
  return connection;
}

function closeOnAbort({ close, closed }: Connection, signal: AbortSignal): void {
  if (signal.aborted) {
    close();
    return;
  }
  signal.addEventListener('abort', close, { once: true });
  void closed.then(() => signal.removeEventListener('abort', close));
}

function newPlace(): string {
  return `client:${randomUuid()}`;
}
