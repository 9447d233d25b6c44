import type { ServerResponse } from 'node:http';
import type { RondoError } from '@rondo/protocol/values';
import { errorFrame } from '../../error-frame.ts';

export function sendJson(response: ServerResponse, status: number, value: unknown): void {
  const body = Buffer.from(JSON.stringify(value));
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': body.length,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  response.end(body);
}

/**
 * For what never became a frame. What is still to come of the request is read and dropped, by Node: a connection that is
 * closed while its client writes may take the answer with it.
 */
export function sendRefusal(response: ServerResponse, status: number, error: RondoError): void {
  if (status === 401) response.setHeader('www-authenticate', 'Bearer');
  sendJson(response, status, errorFrame(null, error.toJSON()));
}
