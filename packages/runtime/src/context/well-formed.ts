import type { JsonObject, JsonValue } from '@rondo/protocol';
import { isArray } from '../tool/json-shape.ts';

/**
 * The value with lone surrogates replaced: half of a cut emoji is valid in JavaScript and makes a request body that
 * providers refuse. The same object when there is none.
 */
export function wellFormed(value: JsonValue): JsonValue {
  if (typeof value === 'string') return value.isWellFormed() ? value : value.toWellFormed();
  if (typeof value !== 'object' || value === null) return value;
  if (isArray(value)) {
    const items = value.map(wellFormed);
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  return wellFormedObject(value);
}

/** The same for an object, its keys included. */
export function wellFormedObject(value: JsonObject): JsonObject {
  let changed = false;
  const members = Object.entries(value).map(([key, member]) => {
    const entry = [key.isWellFormed() ? key : key.toWellFormed(), wellFormed(member)] as const;
    changed ||= entry[0] !== key || entry[1] !== member;
    return entry;
  });
  return changed ? Object.fromEntries(members) : value;
}
