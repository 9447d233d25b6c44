import type { JsonObject } from '@rondo/protocol';
import { isWire, repliesIn } from '../request-guards.ts';
import type { ServerDialect } from '../server-dialect.ts';
import { checkRequest } from './check-request.ts';
import { replyEvents } from './reply-events.ts';

const path = /\/v1beta\/models\/([^/:]+):streamGenerateContent$/;

/** The generative language API, `streamGenerateContent`. */
export const googleServer: ServerDialect = {
  name: 'google',
  asksReply: (request) => request.method === 'POST' && path.test(request.path),
  keyName: 'API key',
  keyOf({ headers, query }) {
    const key = headers['x-goog-api-key'] ?? query.get('key') ?? undefined;
    return typeof key === 'string' ? key : undefined;
  },
  refuse(request, signer) {
    if (request.query.get('alt') !== 'sse')
      return { status: 400, message: 'alt: this server only streams events, by alt=sse' };
    const problem = checkRequest(request.body, { model: modelIn(request.path) ?? '', signer });
    return problem === undefined ? undefined : { status: 400, message: problem };
  },
  modelOf: (request) => modelIn(request.path),
  repliesIn: (body) => repliesIn(body, 'contents', 'model'),
  events: replyEvents,
  eventName: () => undefined,
  // The call comes whole, in one event.
  endsToolCall: (event) => holdsCall(event),
  errorEvent({ type, message }) {
    const code = Object.entries(scriptTypes).find(([, known]) => known === type)?.[0];
    const status = Number(code ?? 500);
    return { error: { code: status, message, status: statusNames[status] ?? 'INTERNAL' } };
  },
  errorBody: ({ status, error }) => ({
    error: { code: status, message: error?.message ?? '', status: statusNames[status] ?? 'UNKNOWN', details: [] },
  }),
  requestIdHeader: 'x-goog-request-id',
};

const statusNames: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
};

/** What a script calls an error, by the status that Google gives it. */
const scriptTypes: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
  500: 'api_error',
  503: 'overloaded_error',
  504: 'timeout_error',
};

function modelIn(requestPath: string): string | undefined {
  return path.exec(requestPath)?.[1];
}

function holdsCall({ candidates }: JsonObject): boolean {
  const [candidate] = Array.isArray(candidates) ? candidates : [];
  const content: unknown = isWire(candidate) ? candidate['content'] : undefined;
  const parts: unknown = isWire(content) ? content['parts'] : undefined;
  return Array.isArray(parts) && parts.some((part) => isWire(part) && part['functionCall'] !== undefined);
}
