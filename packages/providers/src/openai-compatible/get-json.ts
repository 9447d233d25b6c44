import type { JsonObject } from '@rondo/protocol';
import { parseJsonObject } from '../dialect/json.ts';

export interface GetJsonOptions {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs: number;
  /** Sent as a POST. */
  readonly body?: JsonObject;
}

const longestAnswer = 4 * 1024 * 1024;

/** The JSON object that a server on this machine answers; undefined for any other answer, and for none in time. */
export function getJson(url: URL, { signal, timeoutMs, body }: GetJsonOptions): Promise<JsonObject | undefined> {
  const { request } = process.getBuiltinModule('node:http');
  const ends = AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(signal === undefined ? [] : [signal])]);
  return new Promise((resolve) => {
    const nothing = (): void => resolve(undefined);
    const asking = request(
      url,
      { method: body === undefined ? 'GET' : 'POST', agent: false, signal: ends, headers: headersOf(body) },
      (response) => {
        const chunks: Buffer[] = [];
        let length = 0;
        response.on('data', (chunk: Buffer) => {
          chunks.push(chunk);
          length += chunk.byteLength;
          if (length > longestAnswer) response.destroy();
        });
        response.on('end', () => resolve(response.statusCode === 200 ? parse(Buffer.concat(chunks)) : undefined));
        response.on('close', nothing);
        response.on('error', nothing);
      },
    );
    asking.on('error', nothing);
    asking.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

function headersOf(body: JsonObject | undefined): Readonly<Record<string, string>> {
  return { accept: 'application/json', ...(body !== undefined && { 'content-type': 'application/json' }) };
}

function parse(bytes: Buffer): JsonObject | undefined {
  try {
    return parseJsonObject(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}
