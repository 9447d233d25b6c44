import type { ModelBlock, SessionEvent } from '@rondo/protocol';
import type { EncodedEvent } from '../event/event-store.ts';
import { redactJson } from '../event/redact-json.ts';

/** The event and its JSON text, with every known secret replaced by `[redacted]` wherever it stands. */
export function redactSecrets(event: SessionEvent, secrets: readonly string[]): EncodedEvent {
  const json = JSON.stringify(event);
  const clean = redactJson(json, secrets);
  if (clean === json) return { event, json };
  const redacted = unsealed(JSON.parse(clean) as SessionEvent, event);
  return { event: redacted, json: JSON.stringify(redacted) };
}

/**
 * What a provider signed or numbered stands for the very block that it sent: a block that was redacted keeps none of it.
 * Reasoning without it is not sent again, and goes as a whole: providers know a row of it. A block that only its
 * provider understands says that it is no longer what came.
 */
function unsealed(redacted: SessionEvent, original: SessionEvent): SessionEvent {
  if (redacted.type !== 'entry.completed' || original.type !== 'entry.completed') return redacted;
  if (redacted.entry.type !== 'assistant' || original.entry.type !== 'assistant') return redacted;
  const before = original.entry.content;
  const changed = redacted.entry.content.map((block, index) => JSON.stringify(before[index]) !== JSON.stringify(block));
  const reasoningChanged = redacted.entry.content.some((block, index) => block.type === 'reasoning' && changed[index]);
  const content = redacted.entry.content.map((block, index) =>
    changed[index] === true || (block.type === 'reasoning' && reasoningChanged) ? withoutSeal(block) : block,
  );
  return { ...redacted, entry: { ...redacted.entry, content } };
}

function withoutSeal(block: ModelBlock): ModelBlock {
  switch (block.type) {
    case 'text':
    case 'tool_call': {
      const { providerData: _, ...rest } = block;
      return rest;
    }
    case 'reasoning': {
      const { providerData: _data, signature: _signature, redacted: _redacted, ...rest } = block;
      return rest;
    }
    case 'opaque':
      return { ...block, altered: true };
    case 'image':
    case 'unknown':
      return block;
  }
}
