export { query, type Query, type QueryParameters } from './query.ts';
export { startup, type StartupParameters, type WarmQuery } from './startup.ts';
export { listSessions, type ListSessionsOptions } from './sessions/list-sessions.ts';
export { getLastSession, type GetLastSessionOptions } from './sessions/get-last-session.ts';
export { getSessionInfo, type GetSessionInfoOptions } from './sessions/get-session-info.ts';
export { getSessionMessages, type GetSessionMessagesOptions } from './sessions/get-session-messages.ts';
export { readSessionMessages } from './sessions/read-session-messages.ts';
export { getUnfinishedTurn, type UnfinishedTurn } from './sessions/get-unfinished-turn.ts';
export { deleteSession } from './sessions/delete-session.ts';
export { getSessionEvents } from './sessions/get-session-events.ts';
export { salvageSession } from './sessions/salvage-session.ts';
export { getStoredSessionIds, verifySession } from './sessions/verify-session.ts';
export type { Salvage, SessionCheck, SessionProblem } from '@rondo/runtime/node';
export { forkSession, type ForkSessionOptions } from './sessions/fork-session.ts';
export { replaySession, type ReplayOptions } from './sessions/replay-session.ts';
export type {
  DecisionChange,
  Divergence,
  HookChange,
  HookVerdict,
  ReplayReport,
  Verdict as ReplayVerdict,
} from '@rondo/runtime';
export { renameSession, tagSession } from './sessions/update-session.ts';
export { importSessions } from './transcript/import-sessions.ts';
export type { ImportedSession, ImportReport, ImportSessionsOptions } from './transcript/import-report.ts';
export { InMemorySessionStore } from './store/in-memory-session-store.ts';
export type { SessionKey, SessionStore, SessionStoreEntry, SessionStoreListEntry } from './store/session-store.ts';
export { AbortError } from './error/documented-errors.ts';
export type { Options, SystemPrompt, ThinkingConfig, ThinkingDisplay } from './options/options.ts';
export type { OutputFormat } from './output/output-format.ts';
export type { AgentDefinition, AgentMcpServerSpec } from './options/agent-definition.ts';
export type { CanUseTool } from './options/can-use-tool.ts';
export type {
  ConfigScope,
  ElicitationRequest,
  ElicitationResult,
  SdkBeta,
  SdkPluginConfig,
  ToolConfig,
} from './options/extension-options.ts';
export type { HookCallback, HookCallbackMatcher } from './hooks/hook-callback.ts';
export { EXIT_REASONS } from './hooks/hook-input.ts';
export type {
  BackgroundTaskSummary,
  BaseHookInput,
  ConfigChangeHookInput,
  ExitReason,
  HookInput,
  MessageDisplayHookInput,
  NotificationHookInput,
  PermissionRequestHookInput,
  PostToolBatchHookInput,
  PostToolBatchToolCall,
  PostToolUseFailureHookInput,
  PostToolUseHookInput,
  PreCompactHookInput,
  PreToolUseHookInput,
  SessionCronSummary,
  SessionEndHookInput,
  SessionStartHookInput,
  SetupHookInput,
  StopHookInput,
  SubagentStartHookInput,
  SubagentStopHookInput,
  TaskCompletedHookInput,
  TeammateIdleHookInput,
  UserPromptSubmitHookInput,
  WorktreeCreateHookInput,
  WorktreeRemoveHookInput,
} from './hooks/hook-input.ts';
export type { HookEvent } from '@rondo/runtime';
export type { InterruptOptions, InterruptReceipt, QueryMethods } from './run/query-methods.ts';
export { createSdkMcpServer, type CreateSdkMcpServerOptions } from './mcp/create-sdk-mcp-server.ts';
export { tool, type SdkMcpToolDefinition, type ToolHandlerExtra } from './mcp/tool.ts';
export type { AnyZodRawShape, InferShape } from './mcp/raw-shape.ts';
export type { CallToolResult, CallToolResultBlock } from './mcp/call-tool-result.ts';
export type {
  McpMessage,
  McpSdkServerConfigWithInstance,
  McpServer,
  McpServerConfig,
  McpTransport,
} from './mcp/mcp-server-config.ts';
export type { SpawnedProcess, SpawnOptions } from './stdio/spawned-process.ts';
export { getKeyVariables } from './settings/get-key-variables.ts';
export {
  getModelSettings,
  type EffectiveModelSettings,
  type GetModelSettingsOptions,
} from './settings/get-model-settings.ts';
export {
  resolveSettings,
  type ResolvedSettings,
  type ResolvedSource,
  type ResolveSettingsOptions,
} from './settings/resolve-settings.ts';
export { problemText as settingsProblemText } from './settings/settings-problem.ts';
export type {
  LayerSource,
  PolicyOrigin,
  SettingSource,
  SettingsProblem,
  SettingsSeverity,
} from './settings/settings-layer.ts';
export type {
  PermissionSettings,
  SandboxFilesystemConfig,
  SandboxNetworkConfig,
  SandboxSettings,
  Settings,
} from './settings/settings.ts';
export {
  explainPermission,
  permissionInput,
  type PermissionExplanation,
} from './permissions/explain-permission.ts';
export { listPermissions, type ListedRule, type PermissionList } from './permissions/list-permissions.ts';
export type { PermissionOptions } from './permissions/effective-policy.ts';
export {
  distrustFolder,
  getFolderTrust,
  listTrustedFolders,
  trustFolder,
  type FolderTrust,
  type FolderTrustOptions,
} from './trust/folder-trust.ts';
export type { FolderPart, JudgedPart, PartState } from './trust/folder-part.ts';
export type { TrustedFolder } from './trust/trust-store.ts';
export type { HomeOptions } from './sessions/with-home.ts';

export type {
  AccountInfo,
  AgentInfo,
  ApiKeySource,
  AsyncHookJSONOutput,
  BetaContentBlock,
  BetaMessage,
  BetaRawMessageStreamEvent,
  HookJSONOutput,
  MessageParam,
  ModelInfo,
  ModelUsage,
  NonNullableUsage,
  PermissionBehavior,
  PermissionMode,
  PermissionResult,
  PermissionRuleValue,
  PermissionUpdate,
  PermissionUpdateDestination,
  SDKAPIRetryMessage,
  SDKAssistantMessage,
  SDKAssistantMessageError,
  SDKAuthStatusMessage,
  SDKBackgroundTasksChangedMessage,
  SDKCommandLifecycleMessage,
  SDKCommandsChangedMessage,
  SDKCompactBoundaryMessage,
  SDKControlInterruptResponse,
  SDKConversationResetMessage,
  SDKElicitationCompleteMessage,
  SDKFilesPersistedEvent,
  SDKHookProgressMessage,
  SDKHookResponseMessage,
  SDKHookStartedMessage,
  SDKInformationalMessage,
  SDKLocalCommandOutputMessage,
  SDKMemoryRecallMessage,
  SDKMessage,
  SDKMessageOrigin,
  SDKMirrorErrorMessage,
  SDKModelFallbackMessage,
  SDKNotificationMessage,
  SDKPartialAssistantMessage,
  SDKPermissionDenial,
  SDKPermissionDeniedMessage,
  SDKPluginInstallMessage,
  SDKPromptSuggestionMessage,
  SDKRateLimitEvent,
  SDKResultMessage,
  SDKSessionInfo,
  SDKSessionStateChangedMessage,
  SDKSessionTitleChangedMessage,
  SDKStatusMessage,
  SDKSystemMessage,
  SDKTaskNotificationMessage,
  SDKTaskProgressMessage,
  SDKTaskStartedMessage,
  SDKTaskUpdatedMessage,
  SDKThinkingTokensMessage,
  SDKToolProgressMessage,
  SDKToolUseSummaryMessage,
  SDKUserMessage,
  SDKUserMessageReplay,
  SDKWorkerShuttingDownMessage,
  SessionMessage,
  TerminalReason,
  ToolAnnotations,
  ToolResultMeta,
  SyncHookJSONOutput,
  Usage,
  UUID,
} from '@rondo/protocol';

export type {
  AgentInput,
  AgentOutput,
  AskUserQuestionInput,
  AskUserQuestionOutput,
  BashInput,
  BashOutput,
  EnterWorktreeInput,
  EnterWorktreeOutput,
  ExitPlanModeInput,
  ExitPlanModeOutput,
  FileEditInput,
  FileEditOutput,
  FileReadInput,
  FileReadOutput,
  FileWriteInput,
  FileWriteOutput,
  GlobInput,
  GlobOutput,
  GrepInput,
  GrepOutput,
  ListMcpResourcesInput,
  ListMcpResourcesOutput,
  McpInput,
  MonitorInput,
  MonitorOutput,
  NotebookEditInput,
  NotebookEditOutput,
  ReadMcpResourceInput,
  ReadMcpResourceOutput,
  SubscribeMcpResourceInput,
  SubscribePollingInput,
  TaskCreateInput,
  TaskCreateOutput,
  TaskGetInput,
  TaskGetOutput,
  TaskListInput,
  TaskListOutput,
  TaskOutputInput,
  TaskStopInput,
  TaskStopOutput,
  TaskUpdateInput,
  TaskUpdateOutput,
  TodoWriteInput,
  TodoWriteOutput,
  ToolInputSchemas,
  ToolOutputSchemas,
  UnsubscribeMcpResourceInput,
  UnsubscribePollingInput,
  WebFetchInput,
  WebFetchOutput,
  WebSearchInput,
  WebSearchOutput,
  WorkflowInput,
  WorkflowOutput,
} from '@rondo/protocol';

export type {
  McpClaudeAIProxyServerConfig,
  McpHttpServerConfig,
  McpSdkServerConfig,
  McpServerConfigForProcessTransport,
  McpServerStatus,
  McpServerStatusConfig,
  McpSetServersResult,
  McpSSEServerConfig,
  McpStdioServerConfig,
  RewindFilesResult,
  SDKControlInitializeResponse,
  SlashCommand,
} from '@rondo/protocol';
