import { RondoError } from '@rondo/protocol/values';
import type { ModelPart } from '@rondo/runtime';
import type { Endpoint } from '../http/model-failure.ts';
import { post, type PostTimeouts } from '../http/post.ts';
import { createPushIterator } from '../http/push-iterator.ts';
import { readReply } from './read-reply.ts';

export interface StreamReplyOptions {
  readonly endpoint: Endpoint;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeouts: PostTimeouts;
  readonly signal: AbortSignal;
  readonly encode: () => Buffer;
}

/** Sends one request and gives its reply as parts. Leaving the iteration early closes the socket, like the signal. */
export function streamReply(options: StreamReplyOptions): AsyncIterableIterator<ModelPart> {
  const { endpoint, signal } = options;
  const parts = createPushIterator<ModelPart>({
    onFull: () => request.pause(),
    onDrained: () => request.resume(),
    onLeft: () => finish(() => request.close()),
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

  const reply = readReply(endpoint, {
    emit: (part) => parts.push(part),
    fail,
    ended() {
      parts.end();
      finish(() => request.release());
    },
  });
  const request = post(
    { url: endpoint.url, headers: options.headers, body: options.encode(), timeouts: options.timeouts },
    reply,
  );
  signal.addEventListener('abort', onAbort, { once: true });
  return parts;
}

function aborted(signal: AbortSignal): RondoError {
  return new RondoError('operation.aborted', 'The model request was aborted.', { cause: signal.reason });
}
