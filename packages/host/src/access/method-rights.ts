import type { MethodName } from '@rondo/protocol';
import { RondoError } from '@rondo/protocol/values';
import type { Principal, Right } from './principal.ts';

/** What each method takes of its caller. A method without a line does not compile. */
export const methodRights = {
  'host/initialize': undefined,
  'session/create': 'drive',
  'session/open': 'drive',
  'session/fork': 'drive',
  'session/read': 'read',
  'session/list': 'read',
  'session/update': 'drive',
  'session/configure': 'drive',
  'session/close': 'drive',
  'session/cancel': 'drive',
  'session/delete': 'drive',
  'session/subagents': 'read',
  'turn/start': 'drive',
  'turn/send': 'drive',
  'message/list': 'read',
  'message/cancel': 'drive',
  'turn/steer': 'drive',
  'turn/list': 'read',
  'turn/read': 'read',
  'turn/interrupt': 'drive',
  'history/list': 'read',
  'callback/answer': 'answer',
  'capability/bind': 'drive',
  'events/read': 'read',
  'events/subscribe': 'read',
  'events/unsubscribe': 'read',
  'task/list': 'read',
  'task/output': 'read',
  'task/stop': 'drive',
  'files/rewind': 'drive',
  'session/compact': 'drive',
  'mcp/status': 'read',
  'mcp/reconnect': 'drive',
  'mcp/toggle': 'drive',
  'mcp/set': 'drive',
  'catalog/read': 'read',
  'blobs/read': 'read',
} satisfies Record<MethodName, Right | undefined>;

/** @throws RondoError `access.denied`, naming the right that is missing. */
export function requireRight({ name, rights }: Principal, method: MethodName): void {
  const right: Right | undefined = methodRights[method];
  if (right === undefined || rights.includes(right)) return;
  throw new RondoError(
    'access.denied',
    `"${name}" may not call ${method}: its token does not carry the right "${right}"`,
    {
      details: { method, right },
    },
  );
}
