import { z } from 'zod';
import { openObject } from '../json/open-object.ts';
import { SDKAssistantMessageError } from './conversation-message.ts';
import { line } from './message-line.ts';

/** A model request failed and will be sent again. */
export const SDKAPIRetryMessage = openObject({
  type: z.literal('system'),
  subtype: z.literal('api_retry'),
  ...line,
  attempt: z.number().int().positive(),
  max_retries: z.number().int().nonnegative(),
  retry_delay_ms: z.number(),
  error_status: z.number().nullable(),
  error: SDKAssistantMessageError,
});
export type SDKAPIRetryMessage = z.infer<typeof SDKAPIRetryMessage>;

/** A call was refused without asking anyone. */
export const SDKPermissionDeniedMessage = openObject({
  type: z.literal('system'),
  subtype: z.literal('permission_denied'),
  ...line,
  tool_name: z.string(),
  tool_use_id: z.string(),
  agent_id: z.string().optional(),
  decision_reason_type: z.string().optional(),
  decision_reason: z.string().optional(),
  message: z.string(),
});
export type SDKPermissionDeniedMessage = z.infer<typeof SDKPermissionDeniedMessage>;

/** The model thinks: about so many tokens of this block so far, and with this line. An estimate, for display. */
export const SDKThinkingTokensMessage = openObject({
  type: z.literal('system'),
  subtype: z.literal('thinking_tokens'),
  ...line,
  estimated_tokens: z.number(),
  estimated_tokens_delta: z.number(),
});
export type SDKThinkingTokensMessage = z.infer<typeof SDKThinkingTokensMessage>;

/** A tool is still at work; said every few seconds. */
export const SDKToolProgressMessage = openObject({
  type: z.literal('tool_progress'),
  ...line,
  tool_use_id: z.string(),
  tool_name: z.string(),
  parent_tool_use_id: z.string().nullable(),
  elapsed_time_seconds: z.number(),
  task_id: z.string().optional(),
});
export type SDKToolProgressMessage = z.infer<typeof SDKToolProgressMessage>;

/** What a stretch of calls did, in a sentence. */
export const SDKToolUseSummaryMessage = openObject({
  type: z.literal('tool_use_summary'),
  ...line,
  summary: z.string(),
  preceding_tool_use_ids: z.array(z.string()),
});
export type SDKToolUseSummaryMessage = z.infer<typeof SDKToolUseSummaryMessage>;

/** Somebody is signing in. */
export const SDKAuthStatusMessage = openObject({
  type: z.literal('auth_status'),
  ...line,
  isAuthenticating: z.boolean(),
  output: z.array(z.string()),
  error: z.string().optional(),
});
export type SDKAuthStatusMessage = z.infer<typeof SDKAuthStatusMessage>;

/** How much of a provider's limit is left. `resetsAt` is in seconds since 1970, `utilization` from 0 to 1. */
export const SDKRateLimitEvent = openObject({
  type: z.literal('rate_limit_event'),
  ...line,
  rate_limit_info: openObject({
    status: z.enum(['allowed', 'allowed_warning', 'rejected']),
    resetsAt: z.number().optional(),
    utilization: z.number().optional(),
    errorCode: z.literal('credits_required').optional(),
    canUserPurchaseCredits: z.boolean().optional(),
    hasChargeableSavedPaymentMethod: z.boolean().optional(),
  }),
});
export type SDKRateLimitEvent = z.infer<typeof SDKRateLimitEvent>;

/** What the person may want to say next. */
export const SDKPromptSuggestionMessage = openObject({
  type: z.literal('prompt_suggestion'),
  ...line,
  suggestion: z.string(),
});
export type SDKPromptSuggestionMessage = z.infer<typeof SDKPromptSuggestionMessage>;
