import { z } from 'zod';
import { JsonValue } from '../json/json-value.ts';
import { openObject } from '../json/open-object.ts';

const cacheCreation = openObject({ ephemeral_5m_input_tokens: z.number(), ephemeral_1h_input_tokens: z.number() });
const serverToolUse = openObject({ web_search_requests: z.number(), web_fetch_requests: z.number() });
const serviceTier = z.enum(['standard', 'priority', 'batch']);
const speed = z.enum(['standard', 'fast']);

/** What one reply used, in the provider's words. */
export const Usage = openObject({
  input_tokens: z.number(),
  output_tokens: z.number(),
  cache_creation_input_tokens: z.number().nullable(),
  cache_read_input_tokens: z.number().nullable(),
  cache_creation: cacheCreation.nullable(),
  server_tool_use: serverToolUse.nullable(),
  service_tier: serviceTier.nullable(),
  speed: speed.nullable(),
  inference_geo: z.string().nullable(),
  iterations: z.array(JsonValue).nullable(),
});
export type Usage = z.infer<typeof Usage>;

/** `Usage` with nothing left out: what a result carries for its turn. */
export const NonNullableUsage = openObject({
  input_tokens: z.number(),
  output_tokens: z.number(),
  cache_creation_input_tokens: z.number(),
  cache_read_input_tokens: z.number(),
  cache_creation: cacheCreation,
  server_tool_use: serverToolUse,
  service_tier: serviceTier,
  speed,
  inference_geo: z.string(),
  iterations: z.array(JsonValue),
});
export type NonNullableUsage = z.infer<typeof NonNullableUsage>;

/** What a session used of one model so far. `costUSD` is an estimate from list prices. */
export const ModelUsage = openObject({
  inputTokens: z.number(),
  outputTokens: z.number(),
  cacheReadInputTokens: z.number(),
  cacheCreationInputTokens: z.number(),
  webSearchRequests: z.number(),
  costUSD: z.number(),
  contextWindow: z.number(),
  maxOutputTokens: z.number(),
});
export type ModelUsage = z.infer<typeof ModelUsage>;
