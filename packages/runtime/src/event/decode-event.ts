import { AnyEvent } from '@rondo/protocol';

/**
 * The event that a line's JSON text says, through the protocol's schema. What this version does not know, a type or a
 * field's value, is kept whole as `unknown`; undefined is a text that is no event at all. Load this module when a log
 * is read: it brings the schemas.
 */
export function decodeEvent(text: string): AnyEvent | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const event = AnyEvent.safeParse(value);
  if (event.success) return event.data;
  if (typeof value !== 'object' || value === null || !('type' in value)) return undefined;
  return AnyEvent.safeParse({ type: 'unknown', originalType: value.type, raw: value }).data;
}
