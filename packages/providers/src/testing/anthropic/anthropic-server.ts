import type { JsonObject } from '@rondo/protocol';
import { modelIn, repliesIn } from '../request-guards.ts';
import type { ReasoningSigner } from '../reasoning-signature.ts';
import type { DialectRequest, Refusal, ServerDialect } from '../server-dialect.ts';
import { checkRequest } from './check-request.ts';
import { defaultInputTokens } from '../default-usage.ts';
import { replyEvents } from './reply-events.ts';

const countPath = '/v1/messages/count_tokens';

function refuse({ path, headers, body }: DialectRequest, signer: ReasoningSigner): Refusal | undefined {
  if (headers['anthropic-version'] === undefined)
    return { status: 400, message: 'anthropic-version: header is required' };
  const beta = headers['anthropic-beta'];
  const options = { beta: Array.isArray(beta) ? beta.join() : beta, counts: path.endsWith(countPath) };
  const problem = checkRequest(body, signer, options);
  return problem === undefined ? undefined : { status: 400, message: problem };
}

function errorOf({ message }: Refusal): JsonObject {
  return { type: 'error', error: { type: 'invalid_request_error', message } };
}

/** The Messages API. */
export const anthropicServer: ServerDialect = {
  name: 'anthropic',
  asksReply: ({ method, path }) => method === 'POST' && path.endsWith('/v1/messages'),
  keyName: 'x-api-key',
  keyOf({ headers }) {
    const key = headers['x-api-key'] ?? headers.authorization?.replace(/^Bearer /, '');
    return typeof key === 'string' ? key : undefined;
  },
  refuse,
  answer(request, signer) {
    if (request.method !== 'POST' || !request.path.endsWith(countPath)) return undefined;
    const refused = refuse(request, signer);
    if (refused !== undefined) return { ...refused, refused: refused.message, body: errorOf(refused) };
    return { status: 200, body: { input_tokens: defaultInputTokens(JSON.stringify(request.body)) } };
  },
  modelOf: ({ body }) => modelIn(body),
  repliesIn: (body) => repliesIn(body, 'messages', 'assistant'),
  events: replyEvents,
  eventName: ({ type }) => (typeof type === 'string' ? type : 'message'),
  ping: { type: 'ping' },
  endsToolCall({ type, index }, events) {
    return type === 'content_block_stop' && events.some((event) => event['index'] === index && opensToolCall(event));
  },
  errorEvent: (error) => ({ type: 'error', error }),
  errorBody: ({ error }, requestId) => ({ type: 'error', ...(error && { error }), request_id: requestId }),
  requestIdHeader: 'request-id',
};

function opensToolCall({ content_block: block }: JsonObject): boolean {
  return block instanceof Object && 'type' in block && block.type === 'tool_use';
}
