import { RondoError } from '@rondo/protocol/values';
import type { ModelPart, ModelParts } from '@rondo/runtime';
import type { Endpoint } from '../http/model-failure.ts';
import { post, type PostTimeouts, type RequestBody } from '../http/post.ts';
import { createPushIterator } from '../http/push-iterator.ts';
import type { Dialect } from './dialect.ts';
import { readReply } from './read-reply.ts';

export interface StreamReplyOptions {
  readonly dialect: Dialect;
  readonly endpoint: Endpoint;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeouts: PostTimeouts;
  readonly signal: AbortSignal;
  readonly encode: () => RequestBody;
}

/** Sends one request and gives its reply as parts. Leaving the iteration early closes the socket, like the signal. */
export function streamReply(options: StreamReplyOptions): ModelParts {
  const { endpoint, signal } = options;
  const parts = createPushIterator<ModelPart>({
    onFull: () => request.pause(),
    onDrained: () => request.resume(),
    onLeft: () => finish(() => request.close()),
    join: joinDeltas,
  });
  if (signal.aborted) {
    parts.abort(aborted(signal));
    return parts;
  }
  const onAbort = (): void => {
    parts.abort(aborted(signal));
    finish(() => request.close());
  };

  function finish(leave: () => void): void {
    signal.removeEventListener('abort', onAbort);
    leave();
  }

  function fail(error: Error): void {
    parts.fail(error);
    finish(() => request.close());
  }

  const reply = readReply(options.dialect, endpoint, {
    emit: (part) => parts.push(part),
    fail,
    ended() {
      parts.end();
      finish(() => request.release());
    },
  });
  const request = post(
    {
      url: endpoint.url,
      headers: options.headers,
      body: options.encode(),
      timeouts: options.timeouts,
      network: endpoint.network,
    },
    reply,
  );
  signal.addEventListener('abort', onAbort, { once: true });
  return parts;
}

/** A piece of text above this is handed on as it is: what waits is to be bounded by its number. */
const longestJoined = 16 * 1024;

/** Two pieces of one block that wait for the same reader are one piece: the text is what counts, not how it was cut. */
function joinDeltas(last: ModelPart, next: ModelPart): ModelPart | undefined {
  if (last.type !== 'delta' || next.type !== 'delta' || last.index !== next.index) return undefined;
  if (last.text.length + next.text.length > longestJoined) return undefined;
  return { type: 'delta', index: last.index, text: last.text + next.text };
}

/** The error of a request whose signal has aborted. */
export function aborted(signal: AbortSignal): RondoError {
  return new RondoError('operation.aborted', 'The model request was aborted.', { cause: signal.reason });
}
