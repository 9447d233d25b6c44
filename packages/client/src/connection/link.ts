import type { Channel, Frame, JsonValue, MethodName, MethodParams, MethodResult, StreamEvent } from '@rondo/protocol';
import { PROTOCOL_VERSION, RondoError } from '@rondo/protocol/values';
import { type HostReader, loadHostReader, trustHost } from './host-reader.ts';
import { abortedRequest, createPending } from './pending.ts';
import { wireError } from './wire-error.ts';

export interface RequestOptions {
  /** Stops waiting for the answer. What was asked may still be done: nothing is sent. */
  readonly signal?: AbortSignal;
}

/** Where a subscription's events go. After `end` nothing more comes. */
export interface EventSink {
  events(batch: readonly StreamEvent[]): void;
  /** Called once, unless the subscriber leaves first: cleanly, or with what went wrong. */
  end(error?: unknown): void;
}

export type SubscriptionParams = Omit<MethodParams<'events/subscribe'>, 'subscriptionId'>;

/** Requests and subscriptions over one channel. */
export interface Connection {
  request<Method extends MethodName>(
    method: Method,
    params: MethodParams<Method>,
    options?: RequestOptions,
  ): Promise<MethodResult<Method>>;
  /** Returns the way to leave, which unsubscribes at once; calling it again, or after the end, does nothing. */
  subscribe(params: SubscriptionParams, sink: EventSink): () => void;
  /** Resolves when the channel has closed. Never rejects. */
  readonly closed: Promise<void>;
  close(): void;
}

export interface ConnectionOptions {
  /** The other end is a host of this process: nothing it sends is parsed, and no version is negotiated. */
  readonly trusted: boolean;
  /** What this client calls itself to the host. */
  readonly name: string;
}

export function createConnection(channel: Channel, { trusted, name }: ConnectionOptions): Connection {
  const pending = createPending();
  const sinks = new Map<string, EventSink>();
  let greeted = trusted;
  let lastSubscription = 0;
  let ended: RondoError | undefined;

  function ask<Method extends MethodName>(method: Method, params: unknown, signal?: AbortSignal): Promise<unknown> {
    if (ended !== undefined) return Promise.reject(ended);
    return pending.ask(method, signal, (id) =>
      channel.send({ jsonrpc: '2.0', id, method, params: params as JsonValue }),
    );
  }

  /** Sent ahead of the first request and not waited for: a host that refuses the version refuses what follows too. */
  function greet(): void {
    greeted = true;
    const greeting = ask('host/initialize', { protocolVersion: PROTOCOL_VERSION, client: name });
    greeting.then(
      (result) => {
        const { protocolVersion } = result as MethodResult<'host/initialize'>;
        if (protocolVersion !== PROTOCOL_VERSION) end(versionError(protocolVersion));
      },
      () => {},
    );
  }

  function end(error: RondoError): void {
    if (ended !== undefined) return;
    ended = error;
    channel.close();
    pending.fail(error);
    const open = [...sinks.values()];
    sinks.clear();
    for (const sink of open) sink.end(error);
  }

  function take(frame: Frame, reader: HostReader): void {
    if (!('method' in frame)) {
      pending.settle(frame, reader);
      return;
    }
    if ('id' in frame) {
      const error = new RondoError('protocol.method_unknown', `this client has no method "${frame.method}"`);
      channel.send({
        jsonrpc: '2.0',
        id: frame.id,
        error: { code: -32601, message: error.message, data: { ...error.toJSON(), details: error.details } },
      });
      return;
    }
    if (frame.method === 'events/item') takeItem(frame.params, reader);
    else if (frame.method === 'events/end') takeEnd(frame.params, reader);
  }

  function takeItem(params: unknown, reader: HostReader): void {
    const sink = sinks.get(subscriptionOf(params));
    if (sink === undefined) return;
    try {
      sink.events(reader.notification('events/item', params).events);
    } catch (error) {
      leave(subscriptionOf(params));
      sink.end(error);
    }
  }

  function takeEnd(params: unknown, reader: HostReader): void {
    const id = subscriptionOf(params);
    const sink = sinks.get(id);
    if (sink === undefined) return;
    sinks.delete(id);
    try {
      const { error } = reader.notification('events/end', params);
      sink.end(error === undefined ? undefined : wireError(error, 'the host ended the subscription'));
    } catch (error) {
      sink.end(error);
    }
  }

  function leave(subscriptionId: string): void {
    if (!sinks.delete(subscriptionId)) return;
    ask('events/unsubscribe', { subscriptionId }).catch(() => {});
  }

  async function readFrames(): Promise<void> {
    try {
      const reader = trusted ? trustHost : await loadHostReader();
      for await (const frame of channel.frames) take(frame, reader);
      end(closedError());
    } catch (error) {
      end(new RondoError('channel.closed', 'the channel broke; connect again to go on', { cause: error }));
    }
  }
  void readFrames();

  return {
    request: <Method extends MethodName>(
      method: Method,
      params: MethodParams<Method>,
      { signal }: RequestOptions = {},
    ) => {
      if (signal?.aborted) return Promise.reject(abortedRequest(method, signal));
      if (!greeted) greet();
      return ask(method, params, signal) as Promise<MethodResult<Method>>;
    },
    subscribe(params, sink) {
      if (!greeted) greet();
      lastSubscription += 1;
      const subscriptionId = String(lastSubscription);
      sinks.set(subscriptionId, sink);
      ask('events/subscribe', { ...params, subscriptionId }).catch((error: unknown) => {
        if (sinks.delete(subscriptionId)) sink.end(error);
      });
      return () => leave(subscriptionId);
    },
    closed: channel.closed,
    close: () => end(closedError()),
  };
}

function subscriptionOf(params: unknown): string {
  const hasId = typeof params === 'object' && params !== null && 'subscriptionId' in params;
  return hasId ? String(params.subscriptionId) : '';
}

function closedError(): RondoError {
  return new RondoError('channel.closed', 'the channel to the host is closed; connect again to go on');
}

function versionError(answered: number): RondoError {
  return new RondoError(
    'protocol.version_unsupported',
    `the host answered with version ${answered} of the protocol, this client speaks ${PROTOCOL_VERSION}; install versions that go together`,
    { details: { answered, supported: [PROTOCOL_VERSION] } },
  );
}
