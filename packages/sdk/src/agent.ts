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
export { Hook } from './agent/hook.ts';
export type { GivenInputs } from './agent/session-inputs.ts';
export { accept, ask, continueWith, reject, retry, skip } from '@rondo/runtime';
export type {
  Ask,
  Continue,
  HookContext,
  HookDecision,
  HookedResult,
  HookPoint,
  HookResult,
  LoopHook,
  PostAgentTurn,
  PostLlmCall,
  PostToolCall,
  PreAgentTurn,
  PreLlmCall,
  PreToolCall,
  Reason,
  Reject,
  ReplacedResult,
  Retry,
  Skip,
  KeptState as State,
} from '@rondo/runtime';
export { defineSessionInput, defineTool, isToolError, ToolError } from '@rondo/runtime';
export type {
  AgentPermissionMode,
  AgentPermissionPolicy,
  InputValues,
  Model,
  SessionInput,
  SessionInputs,
  SessionInputValue,
  Tool,
  ToolContext,
  ToolContextOf,
  ToolDefinition,
  ToolResult,
} from '@rondo/runtime';
export type { ContentBlock, OpenCallback, SessionEvent, SessionInfo, TurnRecord } from '@rondo/protocol';
