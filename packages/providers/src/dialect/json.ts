import type { JsonObject, JsonValue } from '@rondo/protocol';

/** An object from outside whose members nobody has looked at yet. */
export type WireObject = { readonly [key: string]: unknown };

export function isWireObject(value: unknown): value is WireObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A JSON object parsed from text, so that its values are JSON too; undefined for JSON of another kind. Throws on what is no JSON. */
export function parseJsonObject(text: string): JsonObject | undefined {
  const value: unknown = JSON.parse(text);
  return isWireObject(value) ? (value as JsonObject) : undefined;
}

export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return isWireObject(value);
}

/** The string, or an empty one in place of anything else. */
export function stringOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** A whole number from 0, as counts of tokens are. */
export function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0;
}

/** JSON without lone surrogates, which no API takes; they come from text that was cut in half. */
export function wellFormedJson(value: object): string {
  const json = JSON.stringify(value);
  if (!json.includes('\\ud')) return json;
  return JSON.stringify(value, (_key, field: unknown) => (typeof field === 'string' ? field.toWellFormed() : field));
}
