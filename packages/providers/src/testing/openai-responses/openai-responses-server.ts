import { defaultInputTokens } from '../default-usage.ts';
import { type Wire, isWire, modelIn } from '../request-guards.ts';
import { status } from '../script.ts';
import type { ServerDialect } from '../server-dialect.ts';
import { isModels } from './check-input.ts';
import { checkCount, checkRequest } from './check-request.ts';
import { errorBody } from './error-body.ts';
import { replyEvents } from './reply-events.ts';

/** The Responses API. */
export const openaiResponsesServer: ServerDialect = {
  name: 'openai-responses',
  asksReply: ({ method, path }) => method === 'POST' && path.endsWith('/responses'),
  answer({ method, path, body }, signer) {
    if (method !== 'POST' || !path.endsWith('/responses/input_tokens')) return undefined;
    const problem = checkCount(body, signer);
    if (problem !== undefined)
      return { status: 400, refused: problem, body: errorBody(status(400, { message: problem })) };
    const tokens = defaultInputTokens(JSON.stringify(body));
    return { status: 200, body: { object: 'response.input_tokens', input_tokens: tokens } };
  },
  keyName: 'API key',
  keyOf({ headers }) {
    return headers.authorization?.replace(/^Bearer /, '');
  },
  refuse({ body }, signer) {
    const problem = checkRequest(body, signer);
    return problem === undefined ? undefined : { status: 400, message: problem };
  },
  modelOf: ({ body }) => modelIn(body),
  repliesIn(body) {
    const input: unknown = isWire(body) ? body['input'] : undefined;
    const items: readonly Wire[] = Array.isArray(input) ? input.filter(isWire) : [];
    return items.filter((item, index) => {
      const before = items[index - 1];
      return isModels(item) && (before === undefined || !isModels(before));
    }).length;
  },
  events: replyEvents,
  eventName: ({ type }) => (typeof type === 'string' ? type : 'message'),
  ping: { type: 'keepalive', sequence_number: 0 },
  endsToolCall: ({ type, item }) =>
    type === 'response.output_item.done' && isWire(item) && item['type'] === 'function_call',
  errorEvent: ({ type, message }) => ({ type: 'error', code: type, message, param: null, sequence_number: 0 }),
  errorBody,
  requestIdHeader: 'x-request-id',
};
