import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { checkRequest } from './check-request.ts';
import { status, type StatusStep } from './script.ts';
import type { ThinkingSigner } from './thinking-signature.ts';

/** How a request ended: answered whole, broken off by the script, or left by the client. */
export type RequestEnd = 'answered' | 'broken' | 'left';

export interface RecordedRequest {
  /** Counts the requests from 0. */
  readonly index: number;
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The body as it came. */
  readonly text: string;
  /** The body parsed; undefined when it is not JSON. */
  readonly body: unknown;
  /** Which connection it came on, from 0. */
  readonly connection: number;
  /** Why it was refused without using a step. */
  readonly refused?: string;
  readonly ended: Promise<RequestEnd>;
}

/** The whole body, or undefined when the client leaves before its end. */
export async function readBody(incoming: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
  } catch {
    return undefined;
  }
  return Buffer.concat(chunks).toString('utf8');
}

export function parseBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The answer of the API to a request that it would not take; undefined for a good one. */
export function refuseRequest(
  request: Omit<RecordedRequest, 'refused'>,
  { apiKey, signer }: { readonly apiKey: string | undefined; readonly signer: ThinkingSigner },
): StatusStep | undefined {
  const { method, headers, body, text } = request;
  const path = request.path.split('?')[0] ?? '';
  if (method !== 'POST' || !path.endsWith('/v1/messages'))
    return status(404, { message: `there is no ${method} ${path} here` });
  const key = headers['x-api-key'] ?? headers.authorization?.replace(/^Bearer /, '');
  if (apiKey !== undefined && key !== apiKey) return status(401, { message: 'invalid x-api-key' });
  if (headers['anthropic-version'] === undefined)
    return status(400, { message: 'anthropic-version: header is required' });
  if (body === undefined) return status(400, { message: `the body is not JSON: ${text.slice(0, 100)}` });
  const problem = checkRequest(body, signer);
  return problem === undefined ? undefined : status(400, { message: problem });
}
