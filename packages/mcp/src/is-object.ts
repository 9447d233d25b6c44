import type { JsonObject, JsonValue } from '@rondo/protocol';

/** Whether JSON is an object, and no list. */
export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
