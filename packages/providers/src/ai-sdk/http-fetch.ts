import type { IncomingHttpHeaders } from 'node:http';
import { statusError } from '../dialect/api-error.ts';
import type { Dialect } from '../dialect/dialect.ts';
import { wellFormedJson } from '../dialect/json.ts';
import { brokenStream, postError, type Endpoint } from '../http/model-failure.ts';
import { post, type Post, type PostTimeouts } from '../http/post.ts';
import type { ErrorReading } from './ai-sdk-error.ts';

export interface HttpFetchOptions {
  readonly endpoint: Endpoint;
  readonly timeouts: PostTimeouts;
  /** How the vendor writes its errors. */
  readonly errors: ErrorReading;
}

/** An error body is read this far. */
const longestErrorBody = 64 * 1024;

/**
 * A `fetch` for provider packages that goes through the same client as our own adapters: its connections, proxies and
 * timeouts, one attempt, and errors of ours in place of answers that are none. Sends POST requests with a text.
 */
export function createHttpFetch({ endpoint, timeouts, errors }: HttpFetchOptions): typeof fetch {
  const readsErrors: Dialect = { ...errors, createReader: () => neverReads };

  return (input, init = {}) =>
    new Promise((resolve, reject) => {
      const { signal, body } = init;
      if (signal?.aborted === true) return reject(abortReason(signal));
      if (typeof body !== 'string') return reject(new TypeError('only a text can be sent to a model'));
      let stream: ReadableStreamDefaultController<Uint8Array> | undefined;
      const errorChunks: Buffer[] = [];
      let errorLength = 0;
      let answer: { readonly status: number; readonly headers: IncomingHttpHeaders } | undefined;

      const settle = (leave: () => void): void => {
        signal?.removeEventListener('abort', onAbort);
        leave();
      };
      const fail = (error: Error): void => {
        settle(() => request.close());
        if (stream === undefined) reject(error);
        else stream.error(error);
      };
      const onAbort = (): void => fail(abortReason(signal));
      const failByStatus = (): void => {
        const { status = 0, headers = {} } = answer ?? {};
        const text = Buffer.concat(errorChunks).toString('utf8');
        fail(statusError({ status, headers, body: text }, readsErrors, endpoint, Date.now()));
      };

      const request: Post = post(
        {
          url: new URL(input instanceof Request ? input.url : input),
          headers: Object.fromEntries(new Headers(init.headers)),
          body: Buffer.from(wellFormed(body)),
          timeouts,
          network: endpoint.network,
        },
        {
          response(status, headers) {
            answer = { status, headers };
            if (status !== 200) return;
            const kind = headers['content-type'] ?? '';
            if (kind.includes('html')) {
              const reason = `it is ${kind}, no event stream: check ${endpoint.baseUrlSource}`;
              fail(brokenStream(endpoint, reason));
              return;
            }
            const content = new ReadableStream<Uint8Array>({
              start(controller) {
                stream = controller;
              },
              pull: () => request.resume(),
              cancel: () => settle(() => request.close()),
            });
            resolve(new Response(content, { status, headers: flatHeaders(headers) }));
          },
          data(bytes) {
            if (stream !== undefined) {
              stream.enqueue(bytes);
              if ((stream.desiredSize ?? 0) <= 0) request.pause();
              return;
            }
            errorChunks.push(bytes);
            errorLength += bytes.byteLength;
            if (errorLength > longestErrorBody) failByStatus();
          },
          end() {
            if (stream === undefined) failByStatus();
            else settle(() => stream?.close());
          },
          fail(failure) {
            // A status that came says more than the body that did not.
            if (answer !== undefined && stream === undefined) failByStatus();
            else fail(postError(failure, endpoint));
          },
        },
      );
      signal?.addEventListener('abort', onAbort, { once: true });
    });
}

const neverReads = {
  read(): void {},
  ended: true,
  position: '',
};

/** Half a character, which no API takes, can only stand in JSON as an escape. */
function wellFormed(body: string): string {
  return body.includes('\\ud') ? wellFormedJson(JSON.parse(body) as object) : body;
}

function flatHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
    ),
  );
}

function abortReason(signal: AbortSignal | null | undefined): Error {
  const reason: unknown = signal?.reason;
  return reason instanceof Error ? reason : new DOMException('the request was aborted', 'AbortError');
}
