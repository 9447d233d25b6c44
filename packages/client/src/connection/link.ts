import type { Channel, Frame, JsonValue, MethodName, MethodParams, MethodResult, RequestFrame } from '@rondo/protocol';
import { isRondoError, PROTOCOL_VERSION, RondoError } from '@rondo/protocol/values';
import { createHookDesk, type HookDesk } from '../hooks/hook-desk.ts';
import { answerHost } from './answer-host.ts';
import type { Connection, EventSink, RequestOptions } from './connection.ts';
import { type HostReader, loadHostReader, trustHost } from './host-reader.ts';
import { abortedRequest, createPending } from './pending.ts';
import { wireError } from './wire-error.ts';

/** A connection over one channel: when the channel is gone, so is the link. */
export interface Link extends Connection {
  /** A request whose method the caller keeps with its params. */
  ask(method: MethodName, params: unknown): Promise<unknown>;
  /** Agrees on a version with the host, and says who this is. Otherwise done ahead of the first request. */
  greet(): Promise<void>;
  /** Why the link is over. The very error that rejected what waited. */
  ended(): RondoError<string> | undefined;
  /** False once the link is over, or the host has said that it takes nothing more. */
  takesRequests(): boolean;
}

export interface LinkOptions {
  /** The other end is a host of this process: nothing it sends is parsed, and no version is negotiated. */
  readonly trusted: boolean;
  /** What this client calls itself to the host. */
  readonly name: string;
  /** Sent with the greeting, by who cannot send it in a header. */
  readonly token?: string | undefined;
  /** Hooks that outlive the link; its own unless given. */
  readonly hooks?: HookDesk;
  /** Called once, after everything that waited has been told. */
  readonly onEnd?: (error: RondoError<string>) => void;
}

export function createLink(channel: Channel, options: LinkOptions): Link {
  const { trusted, name, token, onEnd, hooks = createHookDesk() } = options;
  /** Made with the first question of the host: few ask any. */
  let over: AbortController | undefined;
  const pending = createPending();
  const sinks = new Map<string, EventSink>();
  let greeted = trusted;
  let lastSubscription = 0;
  let hostCloses = false;
  /** Why it is over. The error is made when somebody hears of it: most links are closed by who is done with them. */
  let reason: (() => RondoError<string>) | undefined;
  let ended: RondoError<string> | undefined;

  function endedBy(why: () => RondoError<string>): RondoError<string> {
    return (ended ??= why());
  }

  function ask(method: MethodName, params: unknown, signal?: AbortSignal): Promise<unknown> {
    if (reason !== undefined) return Promise.reject(endedBy(reason));
    return pending.ask(method, params, signal, (id) =>
      channel.send({ jsonrpc: '2.0', id, method, params: params as JsonValue }),
    );
  }

  async function greet(): Promise<void> {
    greeted = true;
    const greeting = { protocolVersion: PROTOCOL_VERSION, client: name, ...(token === undefined ? {} : { token }) };
    const { protocolVersion } = (await ask('host/initialize', greeting)) as MethodResult<'host/initialize'>;
    if (protocolVersion === PROTOCOL_VERSION) return;
    const error = versionError(protocolVersion);
    end(() => error);
    throw error;
  }

  /** Sent ahead of the first request and not waited for: a host that refuses the version refuses what follows too. */
  function greetFirst(): void {
    if (!greeted) greet().catch(() => {});
  }

  function end(why: () => RondoError<string>): void {
    if (reason !== undefined) return;
    reason = why;
    channel.close();
    over?.abort(endedBy(why));
    pending.fail(() => endedBy(why));
    const open = [...sinks.values()];
    sinks.clear();
    for (const sink of open) sink.lost(endedBy(why));
    onEnd?.(endedBy(why));
  }

  function take(frame: Frame, reader: HostReader): void {
    if (!('method' in frame)) {
      pending.settle(frame, reader);
      return;
    }
    if ('id' in frame) {
      void answer(frame as RequestFrame, reader);
      return;
    }
    if (frame.method === 'events/item') takeItem(frame.params, reader);
    else if (frame.method === 'events/end') takeEnd(frame.params, reader);
    else if (frame.method === 'host/closing') hostCloses = true;
  }

  async function answer(request: RequestFrame, reader: HostReader): Promise<void> {
    if (reason !== undefined) return;
    over ??= new AbortController();
    const response = await answerHost(request, { hooks, reader, signal: over.signal });
    if (reason !== undefined || channel.signal.aborted) return;
    channel.send(response);
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
      const problem = error === undefined ? undefined : wireError(error, 'the host ended the subscription');
      // A host that goes away ends what it sends; what is observed has not ended with it.
      if (problem?.code === 'host.closing' || (problem === undefined && hostCloses)) {
        sink.lost(problem ?? new RondoError('host.closing', 'the host went away; connect again to go on'));
      } else sink.end(problem);
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
      if (reason !== undefined) return;
      const known: unknown = channel.signal.reason;
      end(() => (isRondoError(known) ? known : closedError()));
    } catch (error) {
      end(() => new RondoError('channel.closed', 'the channel broke; connect again to go on', { cause: error }));
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
      greetFirst();
      return ask(method, params, signal) as Promise<MethodResult<Method>>;
    },
    hooks,
    ask,
    greet,
    subscribe(params, sink) {
      greetFirst();
      lastSubscription += 1;
      const subscriptionId = String(lastSubscription);
      sinks.set(subscriptionId, sink);
      ask('events/subscribe', { ...params, subscriptionId }).catch((error: unknown) => {
        if (!sinks.delete(subscriptionId)) return;
        if ((ended !== undefined && error === ended) || isRondoError(error, 'host.closing')) sink.lost(error);
        else sink.end(error);
      });
      return () => leave(subscriptionId);
    },
    ended: () => reason && endedBy(reason),
    takesRequests() {
      return reason === undefined && !hostCloses && !channel.signal.aborted;
    },
    closed: channel.closed,
    close: () => end(closedError),
  };
}

function subscriptionOf(params: unknown): string {
  const hasId = typeof params === 'object' && params !== null && 'subscriptionId' in params;
  return hasId ? String(params.subscriptionId) : '';
}

/** What a connection that was closed from here rejects with. */
export function closedError(): RondoError {
  return new RondoError('channel.closed', 'the channel to the host is closed; connect again to go on');
}

function versionError(answered: number): RondoError {
  return new RondoError(
    'protocol.version_unsupported',
    `the host answered with version ${answered} of the protocol, this client speaks ${PROTOCOL_VERSION}; install versions that go together`,
    { details: { answered, supported: [PROTOCOL_VERSION] } },
  );
}
