import type { JsonObject, JsonValue } from '@rondo/protocol';
import { isWire, modelIn, repliesIn } from '../request-guards.ts';
import type { ServerDialect } from '../server-dialect.ts';
import { checkRequest } from './check-request.ts';
import { flavours, type Flavour } from './flavour.ts';
import { replyChunks } from './reply-chunks.ts';

/** Chat completions in every flavour: OpenAI's own at `/v1/chat/completions`, others at `/FLAVOUR/v1/chat/completions`. */
export const chatCompletionsServers: readonly ServerDialect[] = Object.entries(flavours).map(([name, flavour]) =>
  createServer(name, flavour),
);

function createServer(name: string, flavour: Flavour): ServerDialect {
  const prefix = `${name === '' ? '' : `/${name}`}/v1`;
  return {
    name: name === '' ? 'chat-completions' : `chat-completions/${name}`,
    asksReply: ({ method, path }) => method === 'POST' && path === `${prefix}/chat/completions`,
    answer({ method, path }) {
      if (method !== 'GET' || path !== `${prefix}/models`) return undefined;
      return { status: 200, body: { object: 'list', data: [{ id: 'rondo-test', object: 'model', owned_by: name }] } };
    },
    keyName: 'API key',
    keyOf: ({ headers }) => headers.authorization?.replace(/^Bearer /, ''),
    refuse({ body }, signer) {
      const problem = checkRequest(body, flavour, signer);
      return problem === undefined ? undefined : { status: 400, message: problem };
    },
    modelOf: ({ body }) => modelIn(body),
    repliesIn: (body) => repliesIn(body, 'messages', 'assistant'),
    events: (step, context) => replyChunks(step, context, flavour.manner),
    eventName: () => undefined,
    ...(flavour.manner.noMark !== true && { terminator: '[DONE]' }),
    endsToolCall(event, events) {
      const next = events[events.indexOf(event) + 1];
      return pieceOf(event) !== undefined && (next === undefined || !continues(next));
    },
    errorEvent: (error) => flavour.errorBody(error, 500),
    errorBody: ({ error, status }) => flavour.errorBody(error ?? { type: 'api_error', message: '' }, status),
    requestIdHeader: 'x-request-id',
  };
}

/** The piece of a call in a chunk. */
function pieceOf({ choices }: JsonObject): JsonValue | undefined {
  const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
  const delta = isWire(choice) ? choice['delta'] : undefined;
  const pieces = isWire(delta) ? delta['tool_calls'] : undefined;
  return Array.isArray(pieces) ? (pieces as readonly JsonValue[])[0] : undefined;
}

/** More of the call before it: only the first piece names its function. */
function continues(event: JsonObject): boolean {
  const piece = pieceOf(event);
  const called = isWire(piece) ? piece['function'] : undefined;
  return isWire(called) && called['name'] === undefined;
}
