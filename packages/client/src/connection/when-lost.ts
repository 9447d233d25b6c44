import type { MethodName } from '@rondo/protocol';

/**
 * What a request does that was on its way when the channel was lost: nobody knows whether the host has seen it.
 * - `again`: it reads, or doing it twice is doing it once. It is sent again.
 * - `keyed`: it carries an idempotency key, a fresh one where the caller gave none. It is sent again and applied once.
 * - `named`: it makes a session whose ID comes from here. It is sent again; that the session exists then is its success.
 * - `unknown`: it rejects with `operation.outcome_unknown`, and the caller looks.
 */
export type WhenLost = 'again' | 'keyed' | 'named' | 'unknown';

/** One row a method: a new one does not compile before somebody has thought about its loss. */
export const whenLost = {
  'host/initialize': 'again',
  'session/create': 'named',
  'session/open': 'again',
  'session/fork': 'named',
  'session/read': 'again',
  'session/list': 'again',
  'session/subagents': 'again',
  'session/cancel': 'again',
  'session/close': 'again',
  // Sent again, it would find nothing to remove.
  'session/delete': 'unknown',
  'session/update': 'again',
  'session/configure': 'again',
  'turn/start': 'keyed',
  'turn/send': 'keyed',
  'message/list': 'again',
  // Sent again, it would find nothing that waits.
  'message/cancel': 'unknown',
  'turn/steer': 'keyed',
  'turn/read': 'again',
  'turn/list': 'again',
  'turn/interrupt': 'again',
  'callback/answer': 'again',
  'capability/bind': 'again',
  'history/list': 'again',
  'events/read': 'again',
  // Subscriptions are the connection's own: it opens them again at their cursor.
  'events/subscribe': 'unknown',
  'events/unsubscribe': 'again',
  'task/list': 'again',
  'task/output': 'again',
  'task/stop': 'again',
  'files/rewind': 'again',
  'session/compact': 'unknown',
  'mcp/status': 'again',
  'mcp/reconnect': 'again',
  'mcp/toggle': 'again',
  'mcp/set': 'again',
  'catalog/read': 'again',
  'blobs/read': 'again',
} as const satisfies Record<MethodName, WhenLost>;
