import type { JsonObject, JsonValue, ToolCallBlock } from '@rondo/protocol';
import { isJsonObject } from './json.ts';
import { repairJson } from './repair-json.ts';

/** The input of a call, with what is said about it where it did not come as plain JSON. */
export type ToolInput = { readonly input: JsonObject } & Pick<ToolCallBlock, 'malformed' | 'repaired'>;

/** How often JSON may stand in a string of JSON. */
const deepestEncoding = 3;

/**
 * A call's input from the text that the model wrote, or `initial` where it wrote none. Text that is no JSON object is
 * repaired only where it can mean one thing; anything else is `malformed` beside an empty input, and never runs.
 */
export function readToolInput(text: string, initial?: JsonValue): ToolInput {
  if (text.trim() === '') return { input: isJsonObject(initial) ? initial : {} };
  const plain = parse(text);
  if (plain.ok && isJsonObject(plain.value)) return { input: plain.value };
  const found = decode(text, 0);
  if (found !== undefined) return { input: found.input, repaired: { text, mended: found.mended.join('; ') } };
  return { input: {}, malformed: { text, error: plain.ok ? 'the input is not a JSON object' : plain.error } };
}

function decode(text: string, depth: number): { input: JsonObject; mended: readonly string[] } | undefined {
  const whole = parse(text);
  const repaired = whole.ok ? { json: text, mended: [] } : repairJson(text);
  const parsed = repaired === undefined ? undefined : parse(repaired.json);
  if (repaired === undefined || parsed?.ok !== true) return undefined;
  if (isJsonObject(parsed.value)) return { input: parsed.value, mended: repaired.mended };
  if (typeof parsed.value !== 'string' || depth === deepestEncoding) return undefined;
  const inner = decode(parsed.value, depth + 1);
  return inner && { input: inner.input, mended: [...repaired.mended, 'JSON inside a JSON string', ...inner.mended] };
}

type Parsed = { readonly ok: true; readonly value: JsonValue } | { readonly ok: false; readonly error: string };

function parse(text: string): Parsed {
  try {
    return { ok: true, value: JSON.parse(text) as JsonValue };
  } catch (error) {
    return { ok: false, error: error instanceof Error ? error.message : 'not JSON' };
  }
}
