import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { status, type StatusStep } from './script.ts';
import type { DialectRequest, ServerDialect } from './server-dialect.ts';
import type { ReasoningSigner } from './reasoning-signature.ts';

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
  /** The dialect that its path belongs to; undefined for a path of none. */
  readonly dialect: string | undefined;
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

/** The answer of the vendor to a request that it would not take; undefined for a good one. */
export function refuseRequest(
  request: DialectRequest,
  options: {
    readonly dialect: ServerDialect | undefined;
    readonly apiKey: string | undefined;
    readonly signer: ReasoningSigner;
    readonly text: string;
  },
): StatusStep | undefined {
  const { dialect, apiKey, signer, text } = options;
  if (dialect === undefined) return status(404, { message: `there is no ${request.method} ${request.path} here` });
  if (apiKey !== undefined && dialect.keyOf(request) !== apiKey)
    return status(401, { message: `invalid ${dialect.keyName}` });
  if (request.body === undefined) return status(400, { message: `the body is not JSON: ${text.slice(0, 100)}` });
  const refusal = dialect.refuse(request, signer);
  return refusal === undefined ? undefined : status(refusal.status, { message: refusal.message });
}
