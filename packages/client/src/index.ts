export { connect, type ConnectOptions, type ConnectToHostOptions } from './connect.ts';
export type {
  Client,
  ClientOptions,
  ForkSessionOptions,
  OpenedSession,
  OpenSessionOptions,
} from './client.ts';
export type {
  Busy,
  Queued,
  RunOptions,
  SendOptions,
  Session,
  SessionChanges,
  SessionOptions,
  StartOptions,
} from './session.ts';
export type { MessageOptions, Turn, TurnConflict } from './turn.ts';
export type { AgentHandle, AgentHandleOptions, AgentRunOptions, StartSessionOptions } from './agent-handle.ts';
export type { CreateSessionOptions, ListSessionsOptions } from './session-options.ts';
export { checkHandleOptions, type HandleOptions } from './handle-context.ts';
export type {
  ApprovalHandler,
  CallbackContext,
  ClientToolAnswers,
  ClientToolCall,
  ClientToolHandler,
  ClientToolValue,
  HandlerOptions,
  SignInHandler,
  ToolErrors,
} from './handlers/handler-options.ts';
export {
  clientTool,
  isClientTool,
  type ClientTool,
  type ClientToolFunction,
  type ClientToolOptions,
  type ClientToolSchema,
  type ClientToolStub,
} from './handlers/client-tool.ts';
export { clientToolAnswers } from './handlers/client-tool-answers.ts';
export type {
  ClientHook,
  ClientHookContext,
  ClientHookDecision,
  HookedToolCall,
  HookedToolResult,
} from './hooks/client-hook.ts';
export type { CompletedTurn, InvalidOutput, OutputType, TurnState } from './record/turn-state.ts';
export type { WaitOptions } from './wait/wait-for-turn.ts';
export type { HistoryOptions } from './stream/session-history.ts';
export type { EventsOptions } from './stream/session-events.ts';
export type { After } from './stream/position.ts';
export type { RequestOptions } from './connection/connection.ts';
export type { ConnectionStatus } from './connection/connection-status.ts';
export type { ChannelOpener } from './connection/open-link.ts';
export { httpChannel, type HttpChannelOptions } from './channel/http-channel.ts';
export { webSocketChannel, type WebSocketChannelOptions } from './channel/web-socket-channel.ts';
export type { TurnInput, TurnInputBlocks } from './content/turn-content.ts';
export {
  allowApproval,
  denyApproval,
  keepCallbackOpen,
  signInAnswer,
  toolResult,
  type AllowApproval,
  type AllowOptions,
  type Answer,
  type ClientToolResult,
  type DenyApproval,
  type DenyOptions,
  type KeepCallbackOpen,
  type SignIn,
  type ToolResultOptions,
  type ToolValue,
} from './answer/answer.ts';
export {
  historyMessage,
  historyReasoning,
  historySnapshot,
  historyToolCall,
  historyToolResult,
  type HistoryInput,
  type HistoryMessageFields,
  type HistorySnapshotFields,
  type HistoryToolCallFields,
  type HistoryToolResultFields,
} from './content/history-import.ts';
