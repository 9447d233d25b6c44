import type { Channel, Frame, JsonValue, RequestFrame } from '@rondo/protocol';
import { RondoError } from '@rondo/protocol/values';
import { createChannelEnd, unreadable } from './channel-end.ts';
import { createEventStreamReader, type StreamedEvent } from './event-stream.ts';
import { type Decode, errorFrame, noHost, responseFrame, saysClosing, errorIn } from './http-response.ts';
import { DEFAULT_SILENCE_MS, silentHost } from './silence.ts';

export interface HttpChannelOptions {
  /** Sent as a bearer token with every request. */
  readonly token?: string;
  readonly fetch?: typeof globalThis.fetch;
  /**
   * A stream of events on which nothing comes for that long, not even a comment, is taken for lost. 90 seconds unless
   * said; more for hosts that beat less often than that.
   */
  readonly silenceMs?: number;
}

/**
 * A channel over HTTP: every request is a `POST /rpc` of its own, every subscription a stream of server-sent events that
 * is read by `fetch`. Nothing is sent before the first request. Requests that do not wait for each other may arrive in any order.
 * When a request or a stream fails to come through, the channel is over.
 */
export async function httpChannel(url: string | URL, options: HttpChannelOptions = {}): Promise<Channel> {
  const { decodeFrame } = await import('@rondo/protocol');
  return createHttpChannel(new URL(url), decodeFrame, options);
}

function createHttpChannel(
  url: URL,
  decode: Decode,
  { token, fetch = globalThis.fetch, silenceMs = DEFAULT_SILENCE_MS }: HttpChannelOptions,
): Channel {
  const base = `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
  const authorization: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const streams = new Map<string, AbortController>();
  const over = new AbortController();
  const end = createChannelEnd({ send, close });

  function send(frame: Frame): void {
    // Responses and notifications have no way over HTTP, and no host that speaks it asks for one.
    if (!('method' in frame) || !('id' in frame)) return;
    if (frame.method === 'events/subscribe') void guard(follow(frame));
    else if (frame.method === 'events/unsubscribe') leave(frame);
    else void guard(post(frame));
  }

  function close(): void {
    over.abort(end.channel.signal.reason);
    for (const controller of streams.values()) controller.abort(end.channel.signal.reason);
    streams.clear();
  }

  /** What does not come through ends the channel: whoever reconnects asks again, and reads on at the cursor. */
  async function guard(work: Promise<void>): Promise<void> {
    try {
      await work;
    } catch (error) {
      end.end(noHost(base, error));
    }
  }

  async function post(frame: RequestFrame): Promise<void> {
    const response = await fetch(`${base}/rpc`, {
      method: 'POST',
      headers: { ...authorization, 'content-type': 'application/json' },
      body: JSON.stringify(frame),
      signal: over.signal,
    });
    receive(responseFrame(frame.id, response, await response.text(), decode));
  }

  /** Nothing closes a channel over HTTP but what its host says. */
  function receive(frame: Frame): void {
    end.receive(frame);
    if (saysClosing(frame)) end.end(new RondoError('host.closing', `the host at ${base} goes away`));
  }

  async function follow(frame: RequestFrame): Promise<void> {
    const { subscriptionId, ...params } = subscriptionOf(frame);
    const controller = new AbortController();
    streams.set(subscriptionId, controller);
    try {
      const response = await fetch(addressOf(base, params), {
        headers: { ...authorization, accept: 'text/event-stream' },
        signal: controller.signal,
      });
      if (!response.ok || response.body === null) {
        receive(errorFrame(frame.id, response, await response.text(), decode));
        return;
      }
      end.receive({ jsonrpc: '2.0', id: frame.id, result: { subscriptionId } });
      const onSilence = (): void => end.end(silentHost(base, silenceMs));
      const whole = await readStream(response.body, { subscriptionId, receive, silenceMs, onSilence });
      if (!whole) throw new Error('a stream of events broke off');
    } catch (error) {
      if (!controller.signal.aborted) throw error;
    } finally {
      streams.delete(subscriptionId);
    }
  }

  function leave(frame: RequestFrame): void {
    const { subscriptionId } = subscriptionOf(frame);
    streams.get(subscriptionId)?.abort(left);
    streams.delete(subscriptionId);
    end.receive({ jsonrpc: '2.0', id: frame.id, result: {} });
  }

  return end.channel;
}

const left = new RondoError('operation.aborted', 'the subscription was left');

interface Subscription {
  readonly subscriptionId: string;
  readonly sessionId: string;
  readonly after?: string;
  readonly fromTurn?: string;
  readonly deltas?: boolean | readonly string[];
}

/** The frame is this client's own, checked by the compiler where it was made. */
function subscriptionOf(frame: RequestFrame): Subscription {
  return frame.params as unknown as Subscription;
}

function addressOf(base: string, { sessionId, after, fromTurn, deltas }: Omit<Subscription, 'subscriptionId'>): string {
  const query = new URLSearchParams();
  if (after !== undefined) query.set('after', after);
  if (fromTurn !== undefined) query.set('fromTurn', fromTurn);
  if (deltas === true) query.set('deltas', '1');
  else if (deltas !== undefined && deltas !== false) query.set('deltas', deltas.join(','));
  const search = query.size === 0 ? '' : `?${query}`;
  return `${base}/sessions/${encodeURIComponent(sessionId)}/events${search}`;
}

interface StreamReading {
  readonly subscriptionId: string;
  readonly receive: (frame: Frame) => void;
  readonly silenceMs: number;
  readonly onSilence: () => void;
}

/** Hands a stream's events on until it is over. Returns whether the host ended it, rather than that it broke off. */
async function readStream(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  { subscriptionId, receive, silenceMs, onSilence }: StreamReading,
): Promise<boolean> {
  const read = createEventStreamReader();
  const reader = body.getReader();
  let hasHeard = true;
  const watch = setInterval(() => {
    if (!hasHeard) onSilence();
    hasHeard = false;
  }, silenceMs);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return false;
      hasHeard = true;
      if (handOn(read(value), subscriptionId, receive)) return true;
    }
  } finally {
    clearInterval(watch);
    reader.cancel().catch(() => {});
  }
}

/** One notification for what came together. Returns whether the stream's end was among it. */
function handOn(streamed: readonly StreamedEvent[], subscriptionId: string, receive: (frame: Frame) => void): boolean {
  const events: JsonValue[] = [];
  let last: JsonValue | undefined;
  for (const { name, data } of streamed) {
    if (name === 'end') last = parse(data);
    else events.push(parse(data));
  }
  if (events.length > 0) receive({ jsonrpc: '2.0', method: 'events/item', params: { subscriptionId, events } });
  if (last === undefined) return false;
  const error = errorIn(last);
  receive({
    jsonrpc: '2.0',
    method: 'events/end',
    params: { subscriptionId, ...(error === undefined ? {} : { error }) },
  });
  return true;
}

function parse(data: string): JsonValue {
  try {
    return JSON.parse(data) as JsonValue;
  } catch (error) {
    throw unreadable(error instanceof Error ? error.message : String(error));
  }
}
