import type { SessionEvent } from '@rondo/protocol';
import type { EncodedEvent } from '../event/event-store.ts';

/** Shorter values would match by accident. */
const SHORTEST_SECRET = 8;

/** The event and its JSON text, with every known secret replaced by `[redacted]` wherever it stands. */
export function redactSecrets(event: SessionEvent, secrets: readonly string[]): EncodedEvent {
  const json = JSON.stringify(event);
  let clean = json;
  for (const secret of secrets) {
    if (secret.length < SHORTEST_SECRET) continue;
    const escaped = JSON.stringify(secret).slice(1, -1);
    if (clean.includes(escaped)) clean = clean.replaceAll(escaped, '[redacted]');
  }
  return clean === json ? { event, json } : { event: JSON.parse(clean) as SessionEvent, json: clean };
}
