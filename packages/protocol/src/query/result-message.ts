import { z } from 'zod';
import { JsonObject } from '../json/json-value.ts';
import { openObject } from '../json/open-object.ts';
import { isUuid, type UUID } from './derive-uuid.ts';
import { SDKMessageOrigin } from './message-origin.ts';
import { ModelUsage, NonNullableUsage } from './usage.ts';

/** A call that was refused during the turn. */
export const SDKPermissionDenial = openObject({
  tool_name: z.string(),
  tool_use_id: z.string(),
  tool_input: JsonObject,
});
export type SDKPermissionDenial = z.infer<typeof SDKPermissionDenial>;

/** Why a turn's loop ended. An open set: newer peers send others. */
export type TerminalReason =
  | 'completed'
  | 'max_turns'
  | 'tool_deferred'
  | 'aborted_streaming'
  | 'aborted_tools'
  | 'hook_stopped'
  | 'stop_hook_prevented'
  | 'background_requested'
  | 'blocking_limit'
  | 'rapid_refill_breaker'
  | 'prompt_too_long'
  | 'image_error'
  | 'model_error'
  | 'api_error'
  | 'malformed_tool_use_exhausted'
  | 'budget_exhausted'
  | 'structured_output_retry_exhausted'
  | 'tool_deferred_unavailable'
  | 'turn_setup_failed'
  | (string & {});
export const TerminalReason: z.ZodType<TerminalReason> = z.string();

const common = {
  type: z.literal('result'),
  uuid: z.custom<UUID>(isUuid, { error: 'not a UUID' }),
  session_id: z.string(),
  /** The turn, from its start to its end. */
  duration_ms: z.number(),
  /** Of that, spent in model requests that were answered. */
  duration_api_ms: z.number(),
  is_error: z.boolean(),
  num_turns: z.number().int().nonnegative(),
  stop_reason: z.string().nullable(),
  /** The session so far, estimated from list prices. */
  total_cost_usd: z.number(),
  /** This turn. */
  usage: NonNullableUsage,
  /** The session so far, by model. */
  modelUsage: z.record(z.string(), ModelUsage),
  permission_denials: z.array(SDKPermissionDenial),
  terminal_reason: TerminalReason.optional(),
  fast_mode_state: z.enum(['on', 'off', 'cooldown']).optional(),
  origin: SDKMessageOrigin.optional(),
};

/** The end of a turn. `is_error` with `success` means that the model could not be reached. */
export const SDKResultMessage = z.discriminatedUnion('subtype', [
  openObject({
    subtype: z.literal('success'),
    ...common,
    result: z.string(),
    api_error_status: z.number().nullable().optional(),
    ttft_ms: z.number().optional(),
    ttft_stream_ms: z.number().optional(),
    structured_output: z.unknown().optional(),
    deferred_tool_use: openObject({ id: z.string(), name: z.string(), input: JsonObject }).optional(),
  }),
  openObject({
    subtype: z.enum([
      'error_max_turns',
      'error_during_execution',
      'error_max_budget_usd',
      'error_max_structured_output_retries',
    ]),
    ...common,
    errors: z.array(z.string()),
  }),
]);
export type SDKResultMessage = z.infer<typeof SDKResultMessage>;
