import type { MethodName } from '@rondo/protocol';
import { whenLost } from './when-lost.ts';

/** A request as it is sent, the first time and every time again. */
export interface Repeatable {
  readonly params: unknown;
  /** The session that this request makes, where its ID comes from here: that it exists is then this request's own doing. */
  readonly ownSessionId?: string;
}

/** The field in which a method takes the ID of the session that it makes. */
const idFields: Readonly<Partial<Record<MethodName, string>>> = {
  'session/create': 'sessionId',
  'session/fork': 'newSessionId',
};

/** Gives the params what makes sending them again safe. What the caller gave stays. */
export function repeatable(method: MethodName, params: object, newId: () => string): Repeatable {
  const meaning = whenLost[method];
  if (meaning !== 'keyed' && meaning !== 'named') return { params };
  const given = new Map<string, unknown>(Object.entries(params));
  // A keyed session is the host's to recognise: with another ID each time it would be another session.
  if (given.get('idempotencyKey') !== undefined) return { params };
  if (meaning === 'keyed') return { params: { ...params, idempotencyKey: newId() } };
  const field = idFields[method];
  if (field === undefined || given.get(field) !== undefined) return { params };
  const ownSessionId = newId();
  return { params: { ...params, [field]: ownSessionId }, ownSessionId };
}
