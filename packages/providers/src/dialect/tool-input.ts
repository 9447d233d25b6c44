import type { JsonObject, JsonValue, ToolCallBlock } from '@rondo/protocol';
import { isJsonObject, parseJsonObject } from './json.ts';

/** The input of a call, with what is said about it where it did not come as plain JSON. */
export type ToolInput = { readonly input: JsonObject } & Pick<ToolCallBlock, 'malformed' | 'repaired'>;

/**
 * A call's input from the text that the model wrote, or `initial` where it wrote none. Text that is no JSON object is
 * repaired only where it can mean one thing; anything else is `malformed` beside an empty input, and never runs.
 */
export function readToolInput(text: string, initial?: JsonValue): ToolInput {
  if (text.trim() === '') return { input: isJsonObject(initial) ? initial : {} };
  try {
    const input = parseJsonObject(text);
    if (input !== undefined) return { input };
    return { input: {}, malformed: { text, error: 'the input is not a JSON object' } };
  } catch (error) {
    return { input: {}, malformed: { text, error: error instanceof Error ? error.message : 'not JSON' } };
  }
}
