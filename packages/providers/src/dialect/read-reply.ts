import { RondoError } from '@rondo/protocol/values';
import type { ModelPart } from '@rondo/runtime';
import type { IncomingHttpHeaders } from 'node:http';
import { createEventStreamDecoder } from '../http/event-stream-decoder.ts';
import { brokenStream, postError, type Endpoint } from '../http/model-failure.ts';
import type { PostFailure, PostHandlers } from '../http/post.ts';
import { eventError, statusError } from './api-error.ts';
import type { Dialect } from './dialect.ts';

/** An error body is read this far; what a proxy adds to it is of no use. */
const longestErrorBody = 64 * 1024;

export interface ReplyListener {
  emit(part: ModelPart): void;
  fail(error: Error): void;
  /** The reply is whole. */
  ended(): void;
}

/** Reads the body by what the status says it is: the events of a message, or an error. */
export function readReply(dialect: Dialect, endpoint: Endpoint, listener: ReplyListener): PostHandlers {
  let status = 0;
  let headers: IncomingHttpHeaders = {};
  const errorChunks: Buffer[] = [];
  let errorLength = 0;
  const reader = dialect.createReader({
    emit: listener.emit,
    broken: (reason) => brokenStream(endpoint, reason, replyDetails()),
    failed: (error) => eventError(error, dialect, endpoint),
  });
  const decoder = createEventStreamDecoder(reader.read, reader.readAhead);

  function replyDetails(): { requestId?: string } {
    const id = headers[dialect.requestIdHeader];
    return typeof id === 'string' ? { requestId: id } : {};
  }

  function readEvents(chunk: Buffer): void {
    try {
      decoder.write(chunk);
    } catch (error) {
      const known = error instanceof RondoError;
      listener.fail(known ? error : brokenStream(endpoint, error instanceof Error ? error.message : 'unreadable'));
      return;
    }
    if (reader.ended()) listener.ended();
  }

  /** Some servers end a reply with its body and nothing else; the reader tells whether it is whole. */
  function finishes(): boolean {
    try {
      reader.finish?.();
    } catch (error) {
      listener.fail(error instanceof RondoError ? error : brokenStream(endpoint, 'it cannot be finished'));
      return true;
    }
    if (reader.ended()) listener.ended();
    return reader.ended();
  }

  function readError(chunk: Buffer): void {
    errorChunks.push(chunk);
    errorLength += chunk.byteLength;
    if (errorLength > longestErrorBody) failByStatus();
  }

  function failByStatus(): void {
    const body = Buffer.concat(errorChunks).toString('utf8');
    listener.fail(statusError({ status, headers, body }, dialect, endpoint, Date.now()));
  }

  function failByTransport(failure: PostFailure): void {
    // A status that came says more than the body that did not.
    if (status !== 0 && status !== 200) failByStatus();
    else listener.fail(postError(failure, endpoint));
  }

  return {
    response(received, receivedHeaders) {
      status = received;
      headers = receivedHeaders;
    },
    data: (chunk) => (status === 200 ? readEvents(chunk) : readError(chunk)),
    end() {
      if (status !== 200) return failByStatus();
      if (!decoder.unfinished() && finishes()) return;
      const cut = decoder.unfinished() ? 'it ends inside an event' : 'it ends too early';
      const kind = headers['content-type'] ?? 'text/event-stream';
      const note = kind.includes('event-stream')
        ? ''
        : ` and is ${kind}, no event stream: check ${endpoint.baseUrlSource}`;
      listener.fail(brokenStream(endpoint, `${cut}, ${reader.position()}${note}`, replyDetails()));
    },
    fail: failByTransport,
  };
}
