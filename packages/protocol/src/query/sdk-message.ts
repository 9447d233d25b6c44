import { z } from 'zod';
import { openObject } from '../json/open-object.ts';
import { PermissionMode } from '../permission/permission-update.ts';
import { isUuid, type UUID } from './derive-uuid.ts';
import { BetaMessage, BetaRawMessageStreamEvent, MessageParam } from './model-message.ts';
import { SDKResultMessage } from './result-message.ts';
import { SDKMessageOrigin } from './message-origin.ts';

const uuid = z.custom<UUID>(isUuid, { error: 'not a UUID' });
const line = { uuid, session_id: z.string() };

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
  request_id: z.string().optional(),
  /** The reply was cut off by an interrupt. */
  aborted: z.boolean().optional(),
  /** With `error`: the line says why there is no reply, it is not one. */
  is_api_error_message: z.boolean().optional(),
  api_error_status: z.number().nullable().optional(),
});
export type SDKAssistantMessage = Omit<z.infer<typeof SDKAssistantMessage>, 'message'> & { message: BetaMessage };

/** A message to the model: what a caller sends, and each tool's result. */
export const SDKUserMessage = openObject({
  type: z.literal('user'),
  uuid: uuid.optional(),
  session_id: z.string().optional(),
  message: MessageParam,
  parent_tool_use_id: z.string().nullable(),
  isSynthetic: z.boolean().optional(),
  shouldQuery: z.boolean().optional(),
  /** The tool's structured output, for programs. */
  tool_use_result: z.unknown().optional(),
  origin: SDKMessageOrigin.optional(),
  timestamp: z.string().optional(),
  /** `now` and `next` join the turn at work at its next step; `later` waits for a turn of its own. */
  priority: z.enum(['now', 'next', 'later']).optional(),
});
export type SDKUserMessage = Omit<z.infer<typeof SDKUserMessage>, 'message'> & { message: MessageParam };

/** A user message that was accepted earlier, said again. */
export const SDKUserMessageReplay = openObject({
  type: z.literal('user'),
  ...line,
  message: MessageParam,
  parent_tool_use_id: z.string().nullable(),
  isSynthetic: z.boolean().optional(),
  tool_use_result: z.unknown().optional(),
  origin: SDKMessageOrigin.optional(),
  timestamp: z.string().optional(),
  isReplay: z.literal(true),
});
export type SDKUserMessageReplay = Omit<z.infer<typeof SDKUserMessageReplay>, 'message'> & { message: MessageParam };

export const ApiKeySource = z.enum(['user', 'project', 'org', 'temporary', 'oauth']);
export type ApiKeySource = z.infer<typeof ApiKeySource>;

/** The first line of every turn: what it runs with. */
export const SDKSystemMessage = openObject({
  type: z.literal('system'),
  subtype: z.literal('init'),
  ...line,
  agents: z.array(z.string()).optional(),
  apiKeySource: ApiKeySource,
  betas: z.array(z.string()).optional(),
  claude_code_version: z.string(),
  cwd: z.string(),
  tools: z.array(z.string()),
  mcp_servers: z.array(openObject({ name: z.string(), status: z.string() })),
  model: z.string(),
  permissionMode: PermissionMode,
  slash_commands: z.array(z.string()),
  output_style: z.string(),
  skills: z.array(z.string()),
  plugins: z.array(openObject({ name: z.string(), path: z.string() })),
  capabilities: z.array(z.string()).optional(),
});
export type SDKSystemMessage = z.infer<typeof SDKSystemMessage>;

/** A piece of a reply as it comes, when partial messages were asked for. */
export const SDKPartialAssistantMessage = openObject({
  type: z.literal('stream_event'),
  ...line,
  event: BetaRawMessageStreamEvent,
  parent_tool_use_id: z.string().nullable(),
  ttft_ms: z.number().optional(),
});
export type SDKPartialAssistantMessage = Omit<z.infer<typeof SDKPartialAssistantMessage>, 'event'> & {
  event: BetaRawMessageStreamEvent;
};

/** The mode changed, or something long began or ended. */
export const SDKStatusMessage = openObject({
  type: z.literal('system'),
  subtype: z.literal('status'),
  ...line,
  status: z.literal('compacting').nullable(),
  permissionMode: PermissionMode.optional(),
});
export type SDKStatusMessage = z.infer<typeof SDKStatusMessage>;

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

/** A line for people. */
export const SDKInformationalMessage = openObject({
  type: z.literal('system'),
  subtype: z.literal('informational'),
  ...line,
  content: z.string(),
  level: z.enum(['info', 'notice', 'suggestion', 'warning']),
  tool_use_id: z.string().optional(),
  prevent_continuation: z.boolean().optional(),
});
export type SDKInformationalMessage = z.infer<typeof SDKInformationalMessage>;

const hook = { ...line, hook_id: z.string(), hook_name: z.string(), hook_event: z.string() };

/** A hook begins to run. `hook_name` is its event and what that is about, such as `PreToolUse:Bash`. */
export const SDKHookStartedMessage = openObject({
  type: z.literal('system'),
  subtype: z.literal('hook_started'),
  ...hook,
});
export type SDKHookStartedMessage = z.infer<typeof SDKHookStartedMessage>;

/** What a running hook has written so far. */
export const SDKHookProgressMessage = openObject({
  type: z.literal('system'),
  subtype: z.literal('hook_progress'),
  ...hook,
  stdout: z.string(),
  stderr: z.string(),
  output: z.string(),
});
export type SDKHookProgressMessage = z.infer<typeof SDKHookProgressMessage>;

/** A hook has ended. `cancelled` when its turn was stopped: then nothing that it said counts. */
export const SDKHookResponseMessage = openObject({
  type: z.literal('system'),
  subtype: z.literal('hook_response'),
  ...hook,
  output: z.string(),
  stdout: z.string(),
  stderr: z.string(),
  exit_code: z.number().optional(),
  outcome: z.enum(['success', 'error', 'cancelled']),
});
export type SDKHookResponseMessage = z.infer<typeof SDKHookResponseMessage>;

/** Everything that `query()` of this version yields. Later kinds join; ignore what you do not know. */
export type SDKMessage =
  | SDKAssistantMessage
  | SDKUserMessage
  | SDKUserMessageReplay
  | SDKResultMessage
  | SDKSystemMessage
  | SDKPartialAssistantMessage
  | SDKStatusMessage
  | SDKAPIRetryMessage
  | SDKPermissionDeniedMessage
  | SDKInformationalMessage
  | SDKHookStartedMessage
  | SDKHookProgressMessage
  | SDKHookResponseMessage;

/** Members of `SDKMessage` with type `system`, by subtype. */
export const systemMessages = {
  init: SDKSystemMessage,
  status: SDKStatusMessage,
  api_retry: SDKAPIRetryMessage,
  permission_denied: SDKPermissionDeniedMessage,
  informational: SDKInformationalMessage,
  hook_started: SDKHookStartedMessage,
  hook_progress: SDKHookProgressMessage,
  hook_response: SDKHookResponseMessage,
};
/** The other members by type; `user` has two, told apart by `isReplay`. */
export const messages = {
  assistant: SDKAssistantMessage,
  result: SDKResultMessage,
  stream_event: SDKPartialAssistantMessage,
};

/** Reads a line from outside: a known kind is checked, an object of a kind this version does not know passes as it came. */
export const SDKMessage = openObject({ type: z.string(), subtype: z.string().optional() }).transform(
  (value, context): unknown => {
    const schema = schemaOf(value);
    if (schema === undefined) return value;
    const result = schema.safeParse(value);
    if (result.success) return result.data;
    for (const issue of result.error.issues) context.issues.push({ ...issue, input: value } as z.core.$ZodRawIssue);
    return z.NEVER;
  },
) as unknown as z.ZodType<SDKMessage>;

function schemaOf(value: { type: string; subtype?: string | undefined }): z.ZodType | undefined {
  if (value.type === 'system') return own(systemMessages, value.subtype ?? '');
  if (value.type === 'user') return 'isReplay' in value ? SDKUserMessageReplay : SDKUserMessage;
  return own(messages, value.type);
}

function own(table: Readonly<Record<string, z.ZodType>>, name: string): z.ZodType | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

/** What interrupting answers: the queued messages that will still run. */
export const SDKControlInterruptResponse = openObject({ still_queued: z.array(z.string()) });
export type SDKControlInterruptResponse = z.infer<typeof SDKControlInterruptResponse>;

/** A past session, in a list. Times are milliseconds since the epoch. */
export const SDKSessionInfo = openObject({
  sessionId: z.string(),
  summary: z.string(),
  lastModified: z.number(),
  fileSize: z.number().optional(),
  customTitle: z.string().optional(),
  firstPrompt: z.string().optional(),
  gitBranch: z.string().optional(),
  cwd: z.string().optional(),
  tag: z.string().optional(),
  createdAt: z.number().optional(),
});
export type SDKSessionInfo = z.infer<typeof SDKSessionInfo>;

/** A user or assistant message of a past session. */
export const SessionMessage = openObject({
  type: z.enum(['user', 'assistant']),
  ...line,
  message: z.unknown(),
  parent_tool_use_id: z.string().nullable(),
  parent_agent_id: z.string().nullable(),
  timestamp: z.string().optional(),
});
export type SessionMessage = z.infer<typeof SessionMessage>;
