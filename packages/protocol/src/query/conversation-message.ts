import { z } from 'zod';
import { openObject } from '../json/open-object.ts';
import { line, messageUuidSchema } from './message-line.ts';
import { SDKMessageOrigin } from './message-origin.ts';
import { BetaMessage, BetaRawMessageStreamEvent, MessageParam } from './model-message.ts';

/** Why a reply could not be had. */
export const SDKAssistantMessageError = z.enum([
  'authentication_failed',
  'oauth_org_not_allowed',
  'billing_error',
  'rate_limit',
  'overloaded',
  'invalid_request',
  'model_not_found',
  'server_error',
  'max_output_tokens',
  'unknown',
]);
export type SDKAssistantMessageError = z.infer<typeof SDKAssistantMessageError>;

/** One block of a reply; the lines of a reply share `message.id`. */
export const SDKAssistantMessage = openObject({
  type: z.literal('assistant'),
  ...line,
  message: BetaMessage,
  parent_tool_use_id: z.string().nullable(),
  error: SDKAssistantMessageError.optional(),
  timestamp: z.string().optional(),
  /** Names the request that was answered, the same on all lines of its reply. */
  request_id: z.string().optional(),
  /** The reply was cut off by an interrupt. */
  aborted: z.boolean().optional(),
  /** With `error`: the line says why there is no reply, it is not one. */
  is_api_error_message: z.boolean().optional(),
  api_error_status: z.number().nullable().optional(),
});
export type SDKAssistantMessage = Omit<z.infer<typeof SDKAssistantMessage>, 'message'> & { message: BetaMessage };

/** Who let a call run, or refused it. */
export const ToolResultMeta = openObject({
  /** The call's `tool_use` block. */
  id: z.string(),
  permission_decision: openObject({
    decision: z.enum(['accept', 'reject']),
    /** `config`: rules, the mode, a hook or a classifier. `user_temporary`, `user_reject`: somebody who was asked. */
    source: z.string(),
    /** Which part decided, as `SDKPermissionDeniedMessage` names it. */
    reason_type: z.string().optional(),
  }).optional(),
  /** Why a call with a result never ran. */
  non_execution_kind: z.string().optional(),
});
export type ToolResultMeta = z.infer<typeof ToolResultMeta>;

const userLine = {
  type: z.literal('user'),
  message: MessageParam,
  parent_tool_use_id: z.string().nullable(),
  isSynthetic: z.boolean().optional(),
  /** The tool's structured output, for programs. */
  tool_use_result: z.unknown().optional(),
  tool_result_meta: z.array(ToolResultMeta).optional(),
  origin: SDKMessageOrigin.optional(),
  timestamp: z.string().optional(),
};

/** A message to the model: what a caller sends, and each tool's result. */
export const SDKUserMessage = openObject({
  ...userLine,
  uuid: messageUuidSchema.optional(),
  session_id: z.string().optional(),
  shouldQuery: z.boolean().optional(),
  /** `now` and `next` join the turn at work at its next step; `later` waits for a turn of its own. */
  priority: z.enum(['now', 'next', 'later']).optional(),
});
export type SDKUserMessage = Omit<z.infer<typeof SDKUserMessage>, 'message'> & { message: MessageParam };

/** A user message that was accepted earlier, said again. */
export const SDKUserMessageReplay = openObject({ ...userLine, ...line, isReplay: z.literal(true) });
export type SDKUserMessageReplay = Omit<z.infer<typeof SDKUserMessageReplay>, 'message'> & { message: MessageParam };

/** A piece of a reply as it comes, when partial messages were asked for. */
export const SDKPartialAssistantMessage = openObject({
  type: z.literal('stream_event'),
  ...line,
  event: BetaRawMessageStreamEvent,
  parent_tool_use_id: z.string().nullable(),
  /** On `message_start`: how long after its request the reply began. */
  ttft_ms: z.number().optional(),
});
export type SDKPartialAssistantMessage = Omit<z.infer<typeof SDKPartialAssistantMessage>, 'event'> & {
  event: BetaRawMessageStreamEvent;
};
