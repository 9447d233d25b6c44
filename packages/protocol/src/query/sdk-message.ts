import { z } from 'zod';
import { openObject } from '../json/open-object.ts';
import {
  SDKAssistantMessage,
  SDKPartialAssistantMessage,
  SDKUserMessage,
  SDKUserMessageReplay,
} from './conversation-message.ts';
import { SDKHookProgressMessage, SDKHookResponseMessage, SDKHookStartedMessage } from './hook-message.ts';
import { SDKResultMessage } from './result-message.ts';
import {
  SDKCommandsChangedMessage,
  SDKCompactBoundaryMessage,
  SDKConversationResetMessage,
  SDKElicitationCompleteMessage,
  SDKFilesPersistedEvent,
  SDKInformationalMessage,
  SDKLocalCommandOutputMessage,
  SDKMemoryRecallMessage,
  SDKMirrorErrorMessage,
  SDKNotificationMessage,
  SDKPluginInstallMessage,
  SDKSessionStateChangedMessage,
  SDKStatusMessage,
  SDKSystemMessage,
  SDKWorkerShuttingDownMessage,
} from './system-message.ts';
import {
  SDKBackgroundTasksChangedMessage,
  SDKTaskNotificationMessage,
  SDKTaskProgressMessage,
  SDKTaskStartedMessage,
  SDKTaskUpdatedMessage,
} from './task-message.ts';
import {
  SDKCommandLifecycleMessage,
  SDKModelFallbackMessage,
  SDKSessionTitleChangedMessage,
} from './undeclared-message.ts';
import {
  SDKAPIRetryMessage,
  SDKAuthStatusMessage,
  SDKPermissionDeniedMessage,
  SDKPromptSuggestionMessage,
  SDKRateLimitEvent,
  SDKThinkingTokensMessage,
  SDKToolProgressMessage,
  SDKToolUseSummaryMessage,
} from './work-message.ts';

/** Everything that `query()` yields, as the second seed declares it, and what its peer sends beside that. */
export type SDKMessage =
  | SDKAssistantMessage
  | SDKUserMessage
  | SDKUserMessageReplay
  | SDKResultMessage
  | SDKSystemMessage
  | SDKPartialAssistantMessage
  | SDKCompactBoundaryMessage
  | SDKStatusMessage
  | SDKLocalCommandOutputMessage
  | SDKHookStartedMessage
  | SDKHookProgressMessage
  | SDKHookResponseMessage
  | SDKPluginInstallMessage
  | SDKToolProgressMessage
  | SDKAuthStatusMessage
  | SDKTaskNotificationMessage
  | SDKTaskStartedMessage
  | SDKTaskProgressMessage
  | SDKTaskUpdatedMessage
  | SDKBackgroundTasksChangedMessage
  | SDKThinkingTokensMessage
  | SDKSessionStateChangedMessage
  | SDKWorkerShuttingDownMessage
  | SDKCommandsChangedMessage
  | SDKNotificationMessage
  | SDKFilesPersistedEvent
  | SDKToolUseSummaryMessage
  | SDKMemoryRecallMessage
  | SDKRateLimitEvent
  | SDKElicitationCompleteMessage
  | SDKPermissionDeniedMessage
  | SDKPromptSuggestionMessage
  | SDKAPIRetryMessage
  | SDKMirrorErrorMessage
  | SDKInformationalMessage
  | SDKConversationResetMessage
  | SDKCommandLifecycleMessage
  | SDKSessionTitleChangedMessage
  | SDKModelFallbackMessage;

/** Members of `SDKMessage` with type `system`, by subtype. */
export const systemMessages = {
  init: SDKSystemMessage,
  compact_boundary: SDKCompactBoundaryMessage,
  status: SDKStatusMessage,
  local_command_output: SDKLocalCommandOutputMessage,
  hook_started: SDKHookStartedMessage,
  hook_progress: SDKHookProgressMessage,
  hook_response: SDKHookResponseMessage,
  plugin_install: SDKPluginInstallMessage,
  task_notification: SDKTaskNotificationMessage,
  task_started: SDKTaskStartedMessage,
  task_progress: SDKTaskProgressMessage,
  task_updated: SDKTaskUpdatedMessage,
  background_tasks_changed: SDKBackgroundTasksChangedMessage,
  thinking_tokens: SDKThinkingTokensMessage,
  session_state_changed: SDKSessionStateChangedMessage,
  worker_shutting_down: SDKWorkerShuttingDownMessage,
  commands_changed: SDKCommandsChangedMessage,
  notification: SDKNotificationMessage,
  files_persisted: SDKFilesPersistedEvent,
  memory_recall: SDKMemoryRecallMessage,
  elicitation_complete: SDKElicitationCompleteMessage,
  permission_denied: SDKPermissionDeniedMessage,
  api_retry: SDKAPIRetryMessage,
  mirror_error: SDKMirrorErrorMessage,
  informational: SDKInformationalMessage,
  session_title_changed: SDKSessionTitleChangedMessage,
  model_fallback: SDKModelFallbackMessage,
};
/** The other members by type; `user` has two, told apart by `isReplay`. */
export const messages = {
  assistant: SDKAssistantMessage,
  result: SDKResultMessage,
  stream_event: SDKPartialAssistantMessage,
  tool_progress: SDKToolProgressMessage,
  auth_status: SDKAuthStatusMessage,
  tool_use_summary: SDKToolUseSummaryMessage,
  rate_limit_event: SDKRateLimitEvent,
  prompt_suggestion: SDKPromptSuggestionMessage,
  conversation_reset: SDKConversationResetMessage,
  command_lifecycle: SDKCommandLifecycleMessage,
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
