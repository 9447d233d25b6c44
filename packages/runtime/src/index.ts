export type {
  Effort,
  Model,
  ModelInput,
  ModelLimits,
  ModelMessage,
  ModelOutput,
  ModelPart,
  ModelParts,
  ModelPrice,
  ModelRequest,
  StopReason,
  Thinking,
  ToolResultBlock,
  ToolSpecification,
} from './model/model.ts';
export { takesOver, UNREACHABLE_ATTEMPTS, type FallbackModel, type ModelFailure } from './model/fallback-model.ts';
export {
  createOutputCheck,
  type JudgedOutput,
  type OutputCheck,
  type OutputCheckOptions,
} from './turn/output-check.ts';
export { modelCost } from './model/model-cost.ts';
export type { CommandOptions, Execution, Sandbox, SandboxDescription } from './sandbox/sandbox.ts';
export {
  headOfOutput,
  joinOutput,
  outputGap,
  outputShares,
  shortenOutput,
  tailOfOutput,
} from './sandbox/shorten-output.ts';
export type {
  InputProblem,
  PathFilter,
  Reconciliation,
  SignInOutcome,
  Tool,
  ToolAccess,
  ToolContext,
  ToolResult,
  ValidatedInput,
} from './tool/tool.ts';
export type {
  AcquireOptions,
  BlobStore,
  EncodedEvent,
  EventStore,
  ListOptions,
  LogDamage,
  OwnedLog,
  ReadOptions,
  Replay,
  SnapshotOffer,
  StoredSession,
} from './event/event-store.ts';
export type { JudgeChange, LivePolicy, PolicyChange, PolicyNotice } from './permission/live-policy.ts';
export type { Policy, PolicyRule, PolicySandbox, PolicySource } from './permission/policy.ts';
export type { BaseHookInput, BatchedCall, EventInput, HookInputs } from './hook/hook-input.ts';
export type { TranscribedLog, Transcripts } from './hook/transcripts.ts';
export { eventRules, type EventRule } from './hook/event-rule.ts';
export { checkHooks, hookPoints } from './hook/loop-hook.ts';
export type {
  HookContext,
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
} from './hook/loop-hook.ts';
export { hookEvents } from './hook/event-hook.ts';
export type {
  EventHook,
  EventHookContext,
  HookAnswer,
  HookEvent,
  HookOutput,
  HookRest,
  HookRun,
  HookUsage,
} from './hook/event-hook.ts';
export { accept, ask, continueWith, isHookDecision, reject, retry, skip } from './hook/hook-decision.ts';
export type {
  Ask,
  Change,
  Continue,
  HookDecision,
  Reason,
  Reject,
  ReplacedResult,
  Retry,
  Skip,
} from './hook/hook-decision.ts';
export type { KeptState } from './event/session-state.ts';
export {
  defineSessionInput,
  isSessionInput,
  isSessionInputValue,
  type InputValues,
  type SessionInput,
  type SessionInputs,
  type SessionInputValue,
} from './tool/session-input.ts';
export { defaultRetryPolicy, retryDelay, type RetryPolicy } from './model/retry-policy.ts';
export { loadEventPointsFor } from './turn/event-points.ts';
export type { Asker, Binding, BoundMcpServer, SubagentDefinition, SubagentPolicy } from './turn/binding.ts';
export type { EventBatch } from './session/event-feed.ts';
export type { RecoveredSession } from './session/recover-sessions.ts';
export type { ImportedBatch, ImportedDraft, ImportParams, Runtime, SubscribeOptions } from './runtime.ts';
export { defineClientTool, type ClientToolDefinition } from './tool/define-client-tool.ts';
export {
  defineTool,
  isTool,
  type ToolContextOf,
  type ToolDefinition,
  type ToolInput,
  type ToolInputSchema,
} from './tool/define-tool.ts';
export type { JsonSchemaValue } from './tool/json-schema-value.ts';
export type { StandardSchema } from '@rondo/protocol';
export { isToolError, ToolError } from '@rondo/protocol/values';
export { createRuntime, type RuntimeOptions } from './create-runtime.ts';
export { systemClock, type Clock } from './event/clock.ts';
export { hydrateEvent, type ReadBlob } from './event/hydrate-event.ts';
export { applyEvent } from './event/apply-event.ts';
export { branch, type LeftBehind } from './event/branch.ts';
export { isBrief } from './event/brief-line.ts';
export { emptySessionState, type SessionState } from './event/session-state.ts';
export { redactText, secretValues } from './event/text-redactor.ts';
export { createContextBuilder, type ContextBuilder } from './context/context-builder.ts';
export { createMemoryStore } from './event/memory-store.ts';
export { SPILL_BOUND, spillEvent, type WriteBlob } from './event/spill-event.ts';
export {
  compilePolicy,
  isToolRemoved,
  type AgentPermissionMode,
  type AgentPermissionPolicy,
  type AgentPermissionRule,
  type CompilePolicyOptions,
} from './permission/compile-policy.ts';
export type { ArgumentMatcher, ArgumentMatchers } from './permission/argument-matcher.ts';
export { parsePermissionRule, parsePermissionRules, splitPermissionRules } from './permission/permission-rule.ts';
export { formatPermissionRule, printRule } from './permission/print-rule.ts';
export { checkPermissionUpdates } from './permission/apply-permission-updates.ts';
export {
  readPermissionRule,
  readPermissionRules,
  type ReadRuleOptions,
  type ReadRules,
  type RuleNotice,
} from './permission/read-permission-rule.ts';
export { contentKindOf, knownToolNames } from './permission/rule-kind.ts';
export { grantedCode } from './permission/granted-code.ts';
export { describePermissionOrder, permissionOrder, type PermissionStep } from './permission/permission-order.ts';
export {
  callKinds,
  describeAgentModes,
  describeModeTable,
  modeTable,
  type CallKind,
  type ModeVerdict,
} from './permission/mode-table.ts';
export type { PermissionDecision } from './permission/decide-permission.ts';
export { judgeCall, type CallJudgement, type JudgeCallOptions } from './permission/judge-call.ts';
export { explainCall, type CallExplanation, type StepExplanation } from './permission/explain-call.ts';
export type { CommandReport } from './permission/cover-line.ts';
export { policyHash } from './permission/policy-hash.ts';
export { runsSandboxed } from './permission/runs-sandboxed.ts';
export {
  classifiedInput,
  type Classifier,
  type ClassifierCall,
  type ClassifierOptions,
  type ClassifierUsage,
  type ClassifierVerdict,
} from './permission/classifier.ts';
export {
  classifierQuestion,
  createModelClassifier,
  type ModelClassifierOptions,
} from './permission/model-classifier.ts';
export { explainDecision } from './permission/explain-decision.ts';
export { unwrittenUpdates } from './permission/apply-permission-updates.ts';
export { replaySession, type ReplaySessionOptions } from './replay/replay-session.ts';
export type {
  DecisionChange,
  Divergence,
  HookChange,
  HookVerdict,
  ReplayReport,
  Verdict,
} from './replay/replay-report.ts';
