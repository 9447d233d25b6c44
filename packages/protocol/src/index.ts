export { LOG_FORMAT_VERSION, PROTOCOL_VERSION } from './version.ts';
export { names } from './names.ts';

export { JsonObject, JsonValue } from './json/json-value.ts';
export { canonicalJson } from './json/canonical-json.ts';
export { openObject } from './json/open-object.ts';
export { openUnion } from './json/open-union.ts';

export { errorCodes, type ErrorCode } from './error/error-codes.ts';
export { nearestNames } from './error/nearest-names.ts';
export { isRondoError, RondoError, type RondoErrorJson, type RondoErrorOptions } from './error/rondo-error.ts';
export { isToolError, ToolError } from './error/tool-error.ts';
export { describeIssues, isStandardSchema, type StandardSchema } from './schema/standard-schema.ts';

export { AgentCustomization, AgentCustomizationChange } from './agent/agent-customization.ts';

export { BlobReference } from './content/blob-reference.ts';
export {
  AudioContentBlock,
  ContentAnnotations,
  ContentBlock,
  EmbeddedResourceContentBlock,
  ImageContentBlock,
  ResourceLinkContentBlock,
  TextContentBlock,
  TurnInputBlock,
  UnknownContentBlock,
} from './content/content-block.ts';
export { readDataUri, type DataUri } from './content/data-uri.ts';
export { fromMcpContent, toMcpContent, type McpContent } from './content/mcp-content.ts';
export { encodeBase64 } from './content/encode-base64.ts';
export { MAX_IMAGE_BASE64_CHARACTERS } from './content/image-limit.ts';
export { imageBlockFromBytes, sniffImageMediaType, type ImageBlockOptions } from './content/image-block.ts';
export { readImageHeader, type ImageHeader, type ImageMediaType } from './content/image-header.ts';
export { ModelBlock, OpaqueBlock, ReasoningBlock, ReplyTextBlock, ToolCallBlock } from './content/model-block.ts';

export {
  AssistantEntry,
  CheckpointEntry,
  HistoryEntry,
  MessageEntry,
  ProtocolError,
  ReasoningEntry,
  ToolCallEntry,
  ToolKind,
  ToolResultEntry,
  UnknownEntry,
} from './entry/history-entry.ts';

export {
  HistoryImportEntry,
  HistoryImportMessage,
  HistoryImportReasoning,
  HistoryImportSnapshot,
  HistoryImportToolCall,
  HistoryImportToolResult,
} from './history/history-import.ts';
export {
  HistoryItem,
  HistoryMessage,
  HistoryToolCall,
  HistoryToolResult,
  UnknownHistoryItem,
} from './history/history-item.ts';

export type {
  AgentInput,
  AskUserQuestionInput,
  BashInput,
  EnterWorktreeInput,
  ExitPlanModeInput,
  FileEditInput,
  FileReadInput,
  FileWriteInput,
  GlobInput,
  GrepInput,
  ListMcpResourcesInput,
  McpInput,
  MonitorInput,
  NotebookEditInput,
  ReadMcpResourceInput,
  SubscribeMcpResourceInput,
  SubscribePollingInput,
  TaskCreateInput,
  TaskGetInput,
  TaskListInput,
  TaskOutputInput,
  TaskStopInput,
  TaskUpdateInput,
  TodoItem,
  TodoWriteInput,
  ToolInputSchemas,
  UnsubscribeMcpResourceInput,
  UnsubscribePollingInput,
  UserQuestion,
  WebFetchInput,
  WebSearchInput,
  WorkflowInput,
} from './query/tool-input.ts';
export type {
  AgentOutput,
  AskUserQuestionOutput,
  BashOutput,
  EnterWorktreeOutput,
  ExitPlanModeOutput,
  FileEditOutput,
  FileReadOutput,
  FileWriteOutput,
  GitFileDiff,
  GlobOutput,
  GrepOutput,
  ListMcpResourcesOutput,
  MonitorOutput,
  NotebookEditOutput,
  PatchHunk,
  ReadMcpResourceOutput,
  TaskCreateOutput,
  TaskGetOutput,
  TaskListOutput,
  TaskStopOutput,
  TaskUpdateOutput,
  TodoWriteOutput,
  ToolOutputSchemas,
  WebFetchOutput,
  WebSearchOutput,
  WorkflowOutput,
} from './query/tool-output.ts';
export {
  AccountInfo,
  AgentInfo,
  ModelInfo,
  RewindFilesResult,
  SDKControlInitializeResponse,
  SlashCommand,
} from './query/session-facts.ts';
export {
  McpClaudeAIProxyServerConfig,
  McpHttpServerConfig,
  McpSdkServerConfig,
  McpServerConfigForProcessTransport,
  McpServerStatus,
  McpServerStatusConfig,
  McpSetServersResult,
  McpSSEServerConfig,
  McpStdioServerConfig,
} from './query/mcp-config.ts';
export {
  clientControlRequests,
  ControlCancelFrame,
  ControlRequestFrame,
  ControlResponseFrame,
  controlErrorCodes,
  KeepAliveFrame,
  peerControlRequests,
  type ClientControlRequests,
  type PeerControlRequests,
} from './query/control-frame.ts';

export { TokenUsage } from './usage/token-usage.ts';

export {
  PermissionBehavior,
  PermissionMode,
  PermissionRuleValue,
  PermissionUpdate,
  PermissionUpdateDestination,
} from './permission/permission-update.ts';

export {
  ApprovalRequest,
  OpenApproval,
  OpenCallback,
  OpenClientToolCall,
  OpenSignIn,
  SignInRequest,
  ToolAnnotations,
  UnknownOpenCallback,
  type KnownOpenCallback,
} from './callback/open-callback.ts';
export { answerMisfit } from './callback/answer-misfit.ts';
export {
  AllowAnswer,
  AnswerOutcome,
  CallbackAnswer,
  ClientToolAnswer,
  DenyAnswer,
  SignInAnswer,
} from './callback/callback-answer.ts';

export { Termination } from './record/termination.ts';
export {
  BlockedRecord,
  CompletedRecord,
  FailedRecord,
  InterruptedRecord,
  RunningRecord,
  ToolCall,
  TurnRecord,
  UnknownOutcomeRecord,
  type EndedRecord,
} from './record/turn-record.ts';

export {
  AnyEvent,
  BindingRecord,
  CallbackOpened,
  CallbackResolved,
  ContextCompacted,
  EntryAdded,
  EntryCompleted,
  EntryDiscarded,
  eventTypes,
  FileCheckpointed,
  HookCompleted,
  HookStarted,
  MessageCancelled,
  MessageQueued,
  ModelCompleted,
  ModelRequested,
  ModelRetried,
  PromptSuggested,
  Notice,
  SessionAcquired,
  SessionCreated,
  SessionUpdated,
  SessionBranched,
  TaskEnded,
  TaskStarted,
  TaskUpdated,
  ToolClassified,
  ToolCompleted,
  ToolDecided,
  ToolEffect,
  ToolOutcome,
  ToolRequested,
  ToolStarted,
  TurnEnded,
  TurnStarted,
  TurnUpdated,
  UnknownEvent,
  type SessionEvent,
} from './event/event.ts';
export { RequestParts } from './event/request-parts.ts';
export { StreamEvents, type StreamEvent } from './event/stream-event.ts';
export {
  HookProgress,
  ReasoningDelta,
  TextDelta,
  ToolInputDelta,
  ToolProgress,
  TransientEvent,
} from './event/transient-event.ts';

export { formatCursor, parseCursor, type CursorPosition } from './cursor/cursor.ts';
export { ErrorFrame, NotificationFrame, RequestFrame, ResultFrame, type Frame } from './frame/frame.ts';
export { decodeFrame, readFrame, type DecodedFrame } from './frame/decode-frame.ts';
export type { Channel } from './channel/channel.ts';
export { createMemoryChannel } from './channel/memory-channel.ts';
export { createSerializingChannel } from './channel/serializing-channel.ts';
export { Catalog, CatalogAgent, CatalogModel, CatalogTool } from './method/catalog.ts';
export {
  BoundHook,
  clientMethods,
  HookPoint,
  type ClientMethodParams,
  type ClientMethodResult,
} from './method/client-method.ts';
export { McpServerInfo } from './method/mcp-server.ts';
export { TaskInfo } from './method/task-info.ts';
export {
  methods,
  notifications,
  SessionInfo,
  TurnInfo,
  TurnLimits,
  WaitingMessage,
  type MethodName,
  type MethodParams,
  type MethodResult,
  type NotificationName,
  type NotificationParams,
} from './method/method.ts';

export { deriveUuid, isUuid, MESSAGE_NAMESPACE, messageUuid, type UUID } from './query/derive-uuid.ts';
export { AsyncHookJSONOutput, HookJSONOutput, SyncHookJSONOutput } from './query/hook-output.ts';
export { SDKMessageOrigin } from './query/message-origin.ts';
export {
  BetaContentBlock,
  BetaMessage,
  BetaRawMessageStreamEvent,
  ImageSource,
  MessageParam,
  ToolResultParam,
  UserContentBlock,
} from './query/model-message.ts';
export { PermissionResult } from './query/permission-result.ts';
export { SDKPermissionDenial, SDKResultMessage, TerminalReason } from './query/result-message.ts';
export {
  SDKAssistantMessage,
  SDKAssistantMessageError,
  SDKPartialAssistantMessage,
  SDKUserMessage,
  SDKUserMessageReplay,
  ToolResultMeta,
} from './query/conversation-message.ts';
export { SDKHookProgressMessage, SDKHookResponseMessage, SDKHookStartedMessage } from './query/hook-message.ts';
export {
  ApiKeySource,
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
} from './query/system-message.ts';
export {
  SDKBackgroundTasksChangedMessage,
  SDKTaskNotificationMessage,
  SDKTaskProgressMessage,
  SDKTaskStartedMessage,
  SDKTaskUpdatedMessage,
} from './query/task-message.ts';
export {
  SDKCommandLifecycleMessage,
  SDKModelFallbackMessage,
  SDKSessionTitleChangedMessage,
} from './query/undeclared-message.ts';
export {
  SDKAPIRetryMessage,
  SDKAuthStatusMessage,
  SDKPermissionDeniedMessage,
  SDKPromptSuggestionMessage,
  SDKRateLimitEvent,
  SDKThinkingTokensMessage,
  SDKToolProgressMessage,
  SDKToolUseSummaryMessage,
} from './query/work-message.ts';
export { SDKMessage } from './query/sdk-message.ts';
export { SDKControlInterruptResponse, SDKSessionInfo, SessionMessage } from './query/session-record.ts';
export { ModelUsage, NonNullableUsage, Usage } from './query/usage.ts';
