import type { JsonObject, JsonValue } from '@rondo/protocol';

/**
 * A copy of the object as it is now, so that what the caller does to it later changes nothing that was sent.
 * @throws TypeError that names the first member that JSON cannot carry.
 */
export function copyJsonObject(value: unknown, path: string): JsonObject {
  if (!isPlainObject(value)) throw new TypeError(`${path} must be a plain object of JSON values`);
  const copy: Record<string, JsonValue> = {};
  for (const [key, member] of Object.entries(value)) {
    if (member === undefined) continue;
    Object.defineProperty(copy, key, {
      value: copyJson(member, `${path}.${key}`),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return copy;
}

/** The same for any value. */
export function copyJson(value: unknown, path: string): JsonValue {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (Array.isArray(value)) return value.map((member: unknown, index) => copyJson(member, `${path}.${index}`));
  if (isPlainObject(value)) return copyJsonObject(value, path);
  throw new TypeError(
    `${path} is ${typeof value === 'object' ? 'an object with a class' : typeof value}, which JSON cannot carry`,
  );
}

export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
