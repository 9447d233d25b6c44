import type { JsonValue, MethodParams } from '@rondo/protocol';
import { canonicalJson, RondoError } from '@rondo/protocol/values';
import type { EventStore } from '../event/event-store.ts';

type CreateParams = MethodParams<'session/create'>;

/** How long another process that is creating the session at this moment is waited for. */
const CREATION_MS = 2000;

/** The session that a key names, the same in every process: a UUID that follows from agent and key. */
export function keyedSessionId(agentName: string, key: string, sha256: (text: string) => string): string {
  const hex = sha256(`session\n${agentName}\n${key}`);
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}

/** Names what a session is created with, the binding aside: a program that was changed since still finds its session. */
export function creationHash(params: CreateParams, sha256: (text: string) => string): string {
  const { bindingId: _binding, idempotencyKey: _key, ...content } = params;
  return sha256(canonicalJson(content as JsonValue));
}

/**
 * Whether the session was created before with this key and the same content.
 * @throws RondoError `session.idempotency_conflict` when the content was another.
 */
export async function wasCreatedWith(
  store: EventStore,
  sessionId: string,
  { key, contentHash }: { readonly key: string; readonly contentHash: string },
): Promise<boolean> {
  const signal = AbortSignal.timeout(CREATION_MS);
  for await (const event of store.tail(sessionId, { signal })) {
    if (event.type !== 'session.created' || event.idempotencyKey !== key) return false;
    if (event.contentHash === contentHash) return true;
    throw new RondoError(
      'session.idempotency_conflict',
      `the key "${key}" was used for session ${sessionId}, which was created with other content`,
      { details: { sessionId, idempotencyKey: key } },
    );
  }
  return false;
}
