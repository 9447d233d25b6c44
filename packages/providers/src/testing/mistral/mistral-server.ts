import type { JsonObject } from '@rondo/protocol';
import { isWire, modelIn, repliesIn } from '../request-guards.ts';
import type { ServerDialect } from '../server-dialect.ts';
import { checkRequest } from './check-request.ts';
import { replyEvents } from './reply-events.ts';

/**
 * Mistral's chat completions, for a base URL of `/mistral`: their path is that of every server of the kind, and they are
 * stricter than the others.
 */
export const mistralServer: ServerDialect = {
  name: 'mistral',
  asksReply: ({ method, path }) => method === 'POST' && path.endsWith('/mistral/v1/chat/completions'),
  keyName: 'API key',
  keyOf: ({ headers }) => headers.authorization?.replace(/^Bearer /, ''),
  refuse({ body }) {
    const problem = checkRequest(body);
    return problem === undefined ? undefined : { status: 400, message: problem };
  },
  modelOf: ({ body }) => modelIn(body),
  repliesIn: (body) => repliesIn(body, 'messages', 'assistant'),
  events: replyEvents,
  eventName: () => undefined,
  terminator: '[DONE]',
  endsToolCall(event, events) {
    const mine = callIndex(event);
    return mine !== undefined && events.findLast((other) => callIndex(other) === mine) === event;
  },
  errorEvent: ({ type, message }) => ({ object: 'error', message, type, param: null, code: null }),
  errorBody({ status, error }, requestId) {
    const message = error?.message ?? '';
    if (status === 401) return { detail: message };
    return { object: 'error', message, type: error?.type ?? 'unknown', param: null, code: null, request_id: requestId };
  },
  requestIdHeader: 'mistral-correlation-id',
};

function callIndex({ choices }: JsonObject): unknown {
  const [choice] = Array.isArray(choices) ? choices : [];
  const delta: unknown = isWire(choice) ? choice['delta'] : undefined;
  const calls: unknown = isWire(delta) ? delta['tool_calls'] : undefined;
  const call: unknown = Array.isArray(calls) ? calls[0] : undefined;
  return isWire(call) ? call['index'] : undefined;
}
