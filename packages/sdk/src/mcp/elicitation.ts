import type { Elicit } from '@rondo/mcp';
import type { JsonObject } from '@rondo/protocol';
import { isRecord } from '../is-record.ts';
import type { ElicitationRequest } from '../options/extension-options.ts';
import type { Options } from '../options/options.ts';

/**
 * Asks the program's function what servers want to know of the person. Only a clear answer is one: where the function throws,
 * or gives something else, the request is declined.
 */
export function elicitBy(onElicitation: NonNullable<Options['onElicitation']>): (server: string) => Elicit {
  return (server) =>
    async (params, { signal }) => {
      try {
        return answerOf(await onElicitation(requestOf(server, params), { signal }));
      } catch {
        return { action: 'decline' };
      }
    };
}

function requestOf(serverName: string, params: JsonObject): ElicitationRequest {
  const { message, mode, url, elicitationId, requestedSchema } = params;
  return {
    serverName,
    message: typeof message === 'string' ? message : '',
    ...(mode === 'form' || mode === 'url' ? { mode } : {}),
    ...(typeof url === 'string' ? { url } : {}),
    ...(typeof elicitationId === 'string' ? { elicitationId } : {}),
    ...(isRecord(requestedSchema) ? { requestedSchema } : {}),
  };
}

function answerOf(answer: unknown): JsonObject {
  const { action, content } = isRecord(answer) ? answer : {};
  if (action !== 'accept') return { action: action === 'cancel' ? 'cancel' : 'decline' };
  if (content === undefined) return { action };
  const copy: unknown = JSON.parse(JSON.stringify(content));
  return isRecord(copy) ? { action, content: copy as JsonObject } : { action: 'decline' };
}
