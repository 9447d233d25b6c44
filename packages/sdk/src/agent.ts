export { Agent, type AgentRunOptions, type StartSessionOptions } from './agent/agent.ts';
export type { AgentOptions } from './agent/agent-options.ts';
export {
  AbortError,
  InvalidCursorError,
  ObservationLost,
  SessionBusyError,
  SessionConfigMismatchError,
  SessionIdempotencyConflictError,
  SessionInUseError,
  SessionNotFoundError,
  SessionTerminatedError,
  TurnNotFoundError,
} from './error/documented-errors.ts';

export { allowApproval, denyApproval } from '@rondo/client';
export type {
  After,
  AllowApproval,
  Answer,
  Busy,
  DenyApproval,
  OpenedSession,
  Session,
  Turn,
  TurnConflict,
  TurnInput,
} from '@rondo/client';
export { defineTool, isToolError, ToolError } from '@rondo/runtime';
export type {
  AgentPermissionMode,
  AgentPermissionPolicy,
  Model,
  Tool,
  ToolContext,
  ToolDefinition,
  ToolResult,
} from '@rondo/runtime';
export type { ContentBlock, OpenCallback, SessionEvent, SessionInfo, TurnRecord } from '@rondo/protocol';
