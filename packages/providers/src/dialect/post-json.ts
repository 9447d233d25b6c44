import type { JsonObject } from '@rondo/protocol';
import type { IncomingHttpHeaders } from 'node:http';
import { brokenStream, postError } from '../http/model-failure.ts';
import { post } from '../http/post.ts';
import { statusError } from './api-error.ts';
import { parseJsonObject } from './json.ts';
import { aborted, type StreamReplyOptions } from './stream-reply.ts';

export type PostJsonOptions = StreamReplyOptions;

/** More than any answer that is not streamed. */
const longestAnswer = 1024 * 1024;

/** Sends one request that is answered by one JSON object. Fails as a streamed request does, with the same errors. */
export function postJson(options: PostJsonOptions): Promise<JsonObject> {
  const { dialect, endpoint, signal } = options;
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(aborted(signal));
      return;
    }
    let status = 0;
    let headers: IncomingHttpHeaders = {};
    const chunks: Buffer[] = [];
    let length = 0;
    const settle = (act: () => void): void => {
      signal.removeEventListener('abort', onAbort);
      act();
    };
    const read = (): void => {
      const body = Buffer.concat(chunks).toString('utf8');
      if (status !== 200) return reject(statusError({ status, headers, body }, dialect, endpoint, Date.now()));
      try {
        const answer = parseJsonObject(body);
        if (answer !== undefined) return resolve(answer);
      } catch {
        // Said below.
      }
      reject(brokenStream(endpoint, 'it is no JSON object'));
    };
    const request = post(
      {
        url: endpoint.url,
        headers: options.headers,
        body: options.encode(),
        timeouts: options.timeouts,
        network: endpoint.network,
      },
      {
        response(received, receivedHeaders) {
          status = received;
          headers = receivedHeaders;
        },
        data(chunk) {
          chunks.push(chunk);
          length += chunk.byteLength;
          if (length <= longestAnswer) return;
          request.close();
          settle(
            status === 200 ? () => reject(brokenStream(endpoint, `it is longer than ${longestAnswer} bytes`)) : read,
          );
        },
        end: () => settle(read),
        fail: (failure) => settle(() => reject(postError(failure, endpoint))),
      },
    );
    function onAbort(): void {
      request.close();
      settle(() => reject(aborted(signal)));
    }
    signal.addEventListener('abort', onAbort, { once: true });
  });
}
