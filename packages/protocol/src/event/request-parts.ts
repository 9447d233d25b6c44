import { z } from 'zod';
import { JsonObject } from '../json/json-value.ts';
import { openObject } from '../json/open-object.ts';

/** What a model was asked, as SHA-256: what is said of it beside this is in the log. */
export const RequestParts = openObject({
  /** Of the system prompt. */
  system: z.string(),
  /** Of the tools' specifications, in their order. */
  tools: z.string(),
  /** Of all messages. */
  messages: z.string(),
  /** Of each content block from the last assistant message on, the first 16 digits: what was new when it was asked. */
  blocks: z.array(z.string()),
  maxOutputTokens: z.number().optional(),
  thinking: JsonObject.optional(),
  effort: z.string().optional(),
  temperature: z.number().optional(),
  /** Of the JSON Schema that the model's final answer is to fit. */
  output: z.string().optional(),
  /** What the model takes beside text, where that decided on the content of the messages. */
  input: JsonObject.optional(),
});
export type RequestParts = z.infer<typeof RequestParts>;
