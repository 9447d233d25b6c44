import type { Options } from '@rondo/sdk';
import type { ClientRequests } from './client-requests.ts';
import { isFrame } from './read-frames.ts';

/**
 * Puts to the client what a server asks of the person. A client that is gone, fails, or answers something else has accepted
 * nothing; a call that is interrupted takes its request back.
 */
export function elicitByClient(requests: ClientRequests): NonNullable<Options['onElicitation']> {
  return async ({ serverName, message, mode, url, elicitationId, requestedSchema }, { signal }) => {
    const fields = {
      mcp_server_name: serverName,
      message,
      ...(mode === undefined ? {} : { mode }),
      ...(url === undefined ? {} : { url }),
      ...(elicitationId === undefined ? {} : { elicitation_id: elicitationId }),
      ...(requestedSchema === undefined ? {} : { requested_schema: requestedSchema }),
    };
    const { action, content } = await requests.ask('elicitation', fields, { signal, whenGone: 'fails' });
    if (action !== 'accept') return { action: action === 'cancel' ? action : 'decline' };
    if (content === undefined) return { action };
    return isFrame(content) ? { action, content } : { action: 'decline' };
  };
}
