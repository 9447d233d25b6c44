import type { IncomingMessage, ServerResponse } from 'node:http';
import { RondoError } from '@rondo/protocol/values';
import { requireRight } from '../../access/method-rights.ts';
import type { Principal } from '../../access/principal.ts';
import { type Authenticate, bearerToken } from '../access/authenticate.ts';
import type { Edge } from '../edge.ts';
import { answerRpc } from './answer-rpc.ts';
import { sendJson, sendRefusal } from './send-json.ts';
import { streamEvents } from './stream-events.ts';

export interface RouteOptions extends Edge {
  readonly authenticate: Authenticate;
  readonly heartbeatMs: number;
  /** Aborts when the host closes. */
  readonly closing: AbortSignal;
}

/** Answers a request whose source is allowed. Resolves when the answer is out, or nobody waits for it. */
export async function route(
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
  options: RouteOptions,
): Promise<void> {
  if (request.method === 'OPTIONS') return allowPreflight(response);
  if (url.pathname === '/healthz' && (request.method === 'GET' || request.method === 'HEAD')) {
    const { aborted } = options.closing;
    return sendJson(response, aborted ? 503 : 200, { status: aborted ? 'closing' : 'ok' });
  }
  const principal = options.authenticate(bearerToken(request.headers.authorization));
  if (principal === undefined) return sendRefusal(response, 401, unauthenticated());
  if (url.pathname === '/rpc') {
    if (request.method !== 'POST') return sendWrongMethod(response, 'POST');
    return await answerRpc(request, response, { ...options, principal, isClosing: () => options.closing.aborted });
  }
  const sessionId = sessionOfEvents(url.pathname);
  if (sessionId === undefined) return sendRefusal(response, 404, new RondoError('input.invalid', 'nothing is here'));
  if (request.method !== 'GET') return sendWrongMethod(response, 'GET');
  await answerEvents(request, response, url, { ...options, principal, sessionId });
}

async function answerEvents(
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
  options: RouteOptions & { readonly principal: Principal; readonly sessionId: string },
): Promise<void> {
  try {
    requireRight(options.principal, 'events/subscribe');
  } catch (error) {
    return sendRefusal(response, 403, error as RondoError);
  }
  const last = request.headers['last-event-id'];
  const after = typeof last === 'string' && last !== '' ? last : url.searchParams.get('after');
  await streamEvents(response, {
    ...options,
    after: after === null || after === '' ? undefined : after,
    fromTurn: url.searchParams.get('fromTurn') ?? undefined,
    deltas: deltasOf(url.searchParams.get('deltas')),
  });
}

/** All that is shown and not stored, or the kinds named. */
function deltasOf(text: string | null): boolean | string[] {
  if (text === null || text === '' || text === '0') return false;
  return text === '1' ? true : text.split(',');
}

/** The session of `/sessions/ID/events`. */
function sessionOfEvents(path: string): string | undefined {
  const [, id] = /^\/sessions\/([^/]+)\/events$/.exec(path) ?? [];
  try {
    return id === undefined ? undefined : decodeURIComponent(id);
  } catch {
    return undefined;
  }
}

/** For pages of allowed origins: others have been refused. */
function allowPreflight(response: ServerResponse): void {
  response.writeHead(204, {
    'access-control-allow-methods': 'GET, POST',
    'access-control-allow-headers': 'authorization, content-type, last-event-id',
    'access-control-max-age': '600',
  });
  response.end();
}

function sendWrongMethod(response: ServerResponse, allowed: string): void {
  response.setHeader('allow', allowed);
  sendRefusal(response, 405, new RondoError('input.invalid', `only ${allowed} works here`));
}

function unauthenticated(): RondoError {
  return new RondoError('access.unauthenticated', 'send "Authorization: Bearer TOKEN" with a token of this host');
}
