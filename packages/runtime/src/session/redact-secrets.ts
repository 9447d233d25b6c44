import type { SessionEvent } from '@rondo/protocol';
import type { EncodedEvent } from '../event/event-store.ts';
import { redactText, secretValues } from '../event/text-redactor.ts';

/** The event and its JSON text, with every known secret replaced by `[redacted]` wherever it stands. */
export function redactSecrets(event: SessionEvent, secrets: readonly string[]): EncodedEvent {
  const json = JSON.stringify(event);
  const clean = redactJson(json, secrets);
  if (clean === json) return { event, json };
  const redacted = unsigned(JSON.parse(clean) as SessionEvent, event);
  return { event: redacted, json: JSON.stringify(redacted) };
}

/** The same for JSON text of any kind. */
export function redactJson(json: string, secrets: readonly string[]): string {
  return redactText(json, escapedSecrets(secrets));
}

const escaped = new WeakMap<readonly string[], readonly string[]>();

/** As they stand within JSON. A list of secrets never changes: it is made ready once, not for every event. */
function escapedSecrets(secrets: readonly string[]): readonly string[] {
  const known = escaped.get(secrets) ?? secretValues(secrets).map((secret) => JSON.stringify(secret).slice(1, -1));
  escaped.set(secrets, known);
  return known;
}

/**
 * What a provider signed or numbered stands for the very block that it sent: a block that was redacted keeps none of it,
 * and reasoning without it is not sent again.
 */
function unsigned(redacted: SessionEvent, original: SessionEvent): SessionEvent {
  if (redacted.type !== 'entry.completed' || original.type !== 'entry.completed') return redacted;
  if (redacted.entry.type !== 'assistant' || original.entry.type !== 'assistant') return redacted;
  const before = original.entry.content;
  const content = redacted.entry.content.map((block, index) => {
    if (block.type !== 'reasoning' && block.type !== 'text' && block.type !== 'tool_call') return block;
    if (JSON.stringify(before[index]) === JSON.stringify(block)) return block;
    const { providerData: _, ...rest } = block;
    if (rest.type !== 'reasoning') return rest;
    const { signature: _signature, redacted: _redacted, ...unsealed } = rest;
    return unsealed;
  });
  return { ...redacted, entry: { ...redacted.entry, content } };
}
