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

/** For what never became a frame. The rest of the request is not read: the connection ends with the answer. */
export function sendRefusal(response: ServerResponse, status: number, error: RondoError): void {
  response.setHeader('connection', 'close');
  if (status === 401) response.setHeader('www-authenticate', 'Bearer');
  sendJson(response, status, errorFrame(null, error.toJSON()));
}
