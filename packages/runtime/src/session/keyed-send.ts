import type { ContentBlock, JsonObject, TurnLimits } from '@rondo/protocol';
import { RondoError } from '@rondo/protocol/values';
import type { KeyedSend, SessionState } from '../event/session-state.ts';

/** A message on its way into a session. */
export interface TurnMessage {
  readonly content: readonly ContentBlock[];
  /** The caller's own ID for it. */
  readonly messageId?: string | undefined;
  readonly idempotencyKey?: string | undefined;
  readonly limits?: TurnLimits | undefined;
  /** Where it comes from, where that is no person. */
  readonly origin?: JsonObject | undefined;
}

/**
 * What an earlier send with the message's key did.
 * @throws RondoError `session.idempotency_conflict` when that send had other content.
 */
export function keyedBefore(
  state: SessionState,
  message: TurnMessage,
  sha256: (text: string) => string,
): KeyedSend | undefined {
  const key = message.idempotencyKey;
  const known = key === undefined ? undefined : state.keys.get(key);
  if (key === undefined || known === undefined) return undefined;
  if (known.contentHash === contentHash(message, sha256)) return known;
  throw new RondoError(
    'session.idempotency_conflict',
    `the key "${key}" was used in session ${state.sessionId} for another message`,
    {
      details: { sessionId: state.sessionId, idempotencyKey: key },
    },
  );
}

/** What the event of a keyed send carries. */
export function keyFields(
  message: TurnMessage,
  sha256: (text: string) => string,
): { readonly idempotencyKey?: string; readonly contentHash?: string } {
  if (message.idempotencyKey === undefined) return {};
  return { idempotencyKey: message.idempotencyKey, contentHash: contentHash(message, sha256) };
}

function contentHash(message: TurnMessage, sha256: (text: string) => string): string {
  return sha256(JSON.stringify([message.content, message.limits ?? null]));
}
