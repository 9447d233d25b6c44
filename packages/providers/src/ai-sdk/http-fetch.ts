import type { IncomingHttpHeaders } from 'node:http';
import { statusError } from '../dialect/api-error.ts';
import type { Dialect, ReplyReader } from '../dialect/dialect.ts';
import { wellFormedJson } from '../dialect/json.ts';
import { brokenStream, postError, type Endpoint } from '../http/model-failure.ts';
import { post, type Post, type PostHandlers, type PostTimeouts } from '../http/post.ts';
import type { ErrorReading } from './ai-sdk-error.ts';

export interface HttpFetchOptions {
  readonly endpoint: Endpoint;
  readonly timeouts: PostTimeouts;
  /** How the vendor writes its errors. */
  readonly errors: ErrorReading;
}

/** An error body is read this far. */
const longestErrorBody = 64 * 1024;
/** Reads of the socket that may wait for whoever reads the stream. */
const chunksAhead = 8;

/**
 * A `fetch` for provider packages that goes through the same client as our own adapters: its connections, proxies and
 * timeouts, one attempt, and errors of ours in place of answers that are none. Sends POST requests with a text.
 */
export function createHttpFetch(options: HttpFetchOptions): typeof fetch {
  return (input, { signal, body, headers } = {}) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted === true) return reject(abortReason(signal));
      if (typeof body !== 'string') return reject(new TypeError('only a text can be sent to a model'));
      let content: Content | undefined;
      const settle = (): void => signal?.removeEventListener('abort', onAbort);
      const fail = (error: Error): void => {
        settle();
        request.close();
        if (content === undefined) reject(error);
        else content.fail(error);
      };
      const onAbort = (): void => fail(abortReason(signal));
      const request = post(
        {
          url: new URL(input instanceof Request ? input.url : input),
          headers: Object.fromEntries(new Headers(headers)),
          body: Buffer.from(wellFormed(body)),
          timeouts: options.timeouts,
          network: options.endpoint.network,
        },
        readAnswer(options, {
          fail,
          ended: settle,
          begin(status, received) {
            content = createContent({ request, onLeft: () => fail(new Error('nobody reads it any more')) });
            resolve(new Response(content.stream, { status, headers: flatHeaders(received) }));
            return content;
          },
        }),
      );
      signal?.addEventListener('abort', onAbort, { once: true });
    });
}

interface AnswerListener {
  /** The answer is one to read. */
  begin(status: number, headers: IncomingHttpHeaders): Content;
  fail(error: Error): void;
  ended(): void;
}

/** Reads an answer by what its status says it is: content for the package, or an error of ours. */
function readAnswer({ endpoint, errors }: HttpFetchOptions, { begin, fail, ended }: AnswerListener): PostHandlers {
  const readsErrors: Dialect = { ...errors, createReader: () => neverReads };
  let content: Content | undefined;
  let answer: { readonly status: number; readonly headers: IncomingHttpHeaders } | undefined;
  const errorChunks: Buffer[] = [];
  let errorLength = 0;

  function failByStatus(): void {
    const { status = 0, headers = {} } = answer ?? {};
    const body = Buffer.concat(errorChunks).toString('utf8');
    fail(statusError({ status, headers, body }, readsErrors, endpoint, Date.now()));
  }

  return {
    response(status, headers) {
      answer = { status, headers };
      const kind = headers['content-type'] ?? '';
      if (status !== 200) return;
      if (!kind.includes('html')) content = begin(status, headers);
      else fail(brokenStream(endpoint, `it is ${kind}, no event stream: check ${endpoint.baseUrlSource}`));
    },
    data(bytes) {
      if (content !== undefined) return content.push(bytes);
      errorChunks.push(bytes);
      errorLength += bytes.byteLength;
      if (errorLength > longestErrorBody) failByStatus();
    },
    end() {
      if (content === undefined) return failByStatus();
      content.close();
      ended();
    },
    fail(failure) {
      // A status that came says more than the body that did not.
      if (answer !== undefined && content === undefined) failByStatus();
      else fail(postError(failure, endpoint));
    },
  };
}

const neverReads: ReplyReader = { read: () => undefined, ended: () => true, position: () => '' };

interface Content {
  readonly stream: ReadableStream<Uint8Array>;
  push(bytes: Uint8Array): void;
  close(): void;
  fail(error: Error): void;
}

/** The body as a stream that holds its request back while nobody reads. */
function createContent({ request, onLeft }: { readonly request: Post; readonly onLeft: () => void }): Content {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  let held = false;
  const stream = new ReadableStream<Uint8Array>(
    {
      start(made) {
        controller = made;
      },
      pull() {
        if (held) request.resume();
        held = false;
      },
      cancel: onLeft,
    },
    { highWaterMark: chunksAhead },
  );
  return {
    stream,
    push(bytes) {
      controller?.enqueue(bytes);
      if ((controller?.desiredSize ?? 0) > 0) return;
      held = true;
      request.pause();
    },
    close: () => controller?.close(),
    fail: (error) => controller?.error(error),
  };
}

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
