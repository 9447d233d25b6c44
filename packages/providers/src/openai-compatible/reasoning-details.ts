import type { JsonObject, JsonValue } from '@rondo/protocol';
import { isJsonObject } from '../dialect/json.ts';

/** The details in a delta. */
export function detailsIn(delta: JsonObject): readonly JsonObject[] {
  const details = delta['reasoning_details'];
  return Array.isArray(details) ? (details as readonly JsonValue[]).filter(isJsonObject) : [];
}

/** What a person may read of them. */
export function readableText(details: readonly JsonObject[]): string {
  return details.flatMap(({ text, summary }) => [text, summary].filter((said) => typeof said === 'string')).join('');
}

/** Fields that are streamed in pieces; every other one is whole in the piece that has it. */
const streamed: ReadonlySet<string> = new Set(['text', 'summary']);

/**
 * The details that the pieces of a stream make: those of one index, type and ID are one. What is encrypted comes whole
 * and is never joined to anything, and nothing follows a signature.
 */
export function joinDetails(pieces: readonly JsonObject[]): JsonObject[] {
  const details: JsonObject[] = [];
  for (const piece of pieces) {
    const last = details.at(-1);
    if (last !== undefined && continues(last, piece)) details[details.length - 1] = joined(last, piece);
    else details.push(piece);
  }
  return details;
}

function continues(last: JsonObject, piece: JsonObject): boolean {
  if (piece['data'] !== undefined || last['data'] !== undefined) return false;
  if (typeof last['signature'] === 'string' && typeof piece['text'] === 'string') return false;
  const sameId = last['id'] == null || piece['id'] == null || last['id'] === piece['id'];
  return sameId && last['type'] === piece['type'] && last['index'] === piece['index'];
}

function joined(last: JsonObject, piece: JsonObject): JsonObject {
  const fields: Record<string, JsonValue> = { ...last };
  for (const [name, value] of Object.entries(piece)) {
    const before = fields[name];
    if (streamed.has(name) && typeof before === 'string' && typeof value === 'string') fields[name] = before + value;
    else if (value !== null || before === undefined) fields[name] = value;
  }
  return fields;
}
