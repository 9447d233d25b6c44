import type {
  FailedRecord,
  JsonObject,
  JsonValue,
  SDKAssistantMessage,
  SDKMessage,
  SDKResultMessage,
  SDKUserMessage,
  TurnEnded,
  TurnRecord,
} from '@rondo/protocol';
import { errorName, errorStatus, isModelError } from './error-name.ts';
import { deriveUuid, messageUuid } from './line-uuid.ts';
import { limitLines } from './request-lines.ts';
import type { ProjectionState, TurnProgress } from './projection-state.ts';
import { copyModelUsage, copyUsage, noUsage } from './wire-usage.ts';

/** The lines that end a turn: what the person should read where there is no reply, then the result. */
export function endLines(state: ProjectionState, turn: TurnProgress, event: TurnEnded): SDKMessage[] {
  const record = event.record;
  const result = resultLine(state, turn, event);
  if (record.type === 'failed' && isModelError(record.error))
    return [...limitLines(state, event, record.error), syntheticReply(state, record, event.at), result];
  if (record.type === 'interrupted' && record.cause === 'interrupted') {
    return [interruptedLine(state, event, record.terminalReason), result];
  }
  return [result];
}

type Common = Pick<
  SDKResultMessage,
  | 'type'
  | 'uuid'
  | 'session_id'
  | 'duration_ms'
  | 'duration_api_ms'
  | 'num_turns'
  | 'stop_reason'
  | 'total_cost_usd'
  | 'usage'
  | 'modelUsage'
  | 'permission_denials'
  | 'origin'
>;

function resultLine(state: ProjectionState, turn: TurnProgress, event: TurnEnded): SDKResultMessage {
  const record = event.record;
  const common: Common = {
    type: 'result',
    uuid: deriveUuid(`${turn.turnId}/result`),
    session_id: state.options.sessionId,
    duration_ms: Math.max(0, Date.parse(event.at) - Date.parse(turn.startedAt)),
    duration_api_ms: turn.apiMs,
    num_turns: turn.requests,
    stop_reason: turn.stopReason ?? null,
    total_cost_usd: state.totalCostUsd,
    usage: copyUsage(turn.usage),
    modelUsage: copyModelUsage(state.modelUsage),
    permission_denials: [...turn.denials],
    ...(turn.origin === undefined ? {} : { origin: turn.origin }),
  };
  const failure = (subtype: ErrorSubtype, message: string, terminalReason: string): SDKResultMessage => ({
    ...common,
    subtype,
    is_error: true,
    errors: [message],
    terminal_reason: terminalReason,
  });
  switch (record.type) {
    case 'completed':
      return completedResult(common, turn, record, failure);
    case 'failed': {
      const terminalReason = failedReason(record);
      if (record.error.code === 'output.retries_exhausted')
        return failure('error_max_structured_output_retries', record.error.message, terminalReason);
      if (!isModelError(record.error)) return failure('error_during_execution', record.error.message, terminalReason);
      return {
        ...common,
        subtype: 'success',
        is_error: true,
        result: record.error.message,
        api_error_status: errorStatus(record.error),
        terminal_reason: terminalReason,
      };
    }
    case 'interrupted':
      return failure(
        'error_during_execution',
        interruptedText(record.cause),
        record.terminalReason || 'aborted_streaming',
      );
    case 'running':
    case 'blocked':
    case 'unknownOutcome':
      return failure(
        'error_during_execution',
        `the turn ended in a way this version does not know: ${record.type}`,
        'completed',
      );
  }
}

type ErrorSubtype = Exclude<SDKResultMessage['subtype'], 'success'>;
type SuccessResult = Extract<SDKResultMessage, { subtype: 'success' }>;
type Completed = Extract<TurnRecord, { type: 'completed' }>;

function completedResult(
  common: Common,
  turn: TurnProgress,
  record: Completed,
  failure: (subtype: ErrorSubtype, message: string, terminalReason: string) => SDKResultMessage,
): SDKResultMessage {
  if (record.stopReason === 'max_turns') {
    const message = `stopped at the limit of ${turn.maxTurns ?? turn.requests} turns (maxTurns)`;
    // The turn that was not made is counted, as programs of the second seed expect.
    return {
      ...failure('error_max_turns', message, record.terminalReason || 'max_turns'),
      num_turns: turn.requests + 1,
    };
  }
  if (record.stopReason === 'max_budget') {
    const message = `stopped at the budget of ${turn.maxBudgetUsd ?? 0} US dollars (maxBudgetUsd)`;
    return failure('error_max_budget_usd', message, record.terminalReason || 'budget_exhausted');
  }
  return {
    ...common,
    subtype: 'success',
    is_error: record.stopReason === 'tool_deferred_unavailable',
    result: record.text,
    // It has been parsed before it was recorded as valid.
    ...(record.validOutput === true ? { structured_output: JSON.parse(record.text) as JsonValue } : {}),
    stop_reason: record.stopReason,
    api_error_status: null,
    ...timesOf(turn),
    // A prompt that a hook blocked began no work that could end for a reason.
    ...(record.stopReason === 'prompt_blocked' ? {} : { terminal_reason: record.terminalReason || 'completed' }),
    ...deferredCall(record),
  };
}

function timesOf({ firstReply }: TurnProgress): Pick<SuccessResult, 'ttft_ms' | 'ttft_stream_ms'> {
  if (firstReply === undefined) return {};
  const { beganMs, wholeMs } = firstReply;
  return { ttft_ms: wholeMs, ...(beganMs === undefined ? {} : { ttft_stream_ms: beganMs }) };
}

/** The call at which a hook ended the turn, which waits for the next one. */
function deferredCall({ stopReason, stopDetails }: Completed): Pick<SuccessResult, 'deferred_tool_use'> {
  const isDeferred = stopReason === 'tool_deferred' || stopReason === 'tool_deferred_unavailable';
  const deferred = isDeferred ? stopDetails?.['deferred'] : undefined;
  if (!isObject(deferred)) return {};
  const { id, name, input } = deferred;
  if (typeof id !== 'string' || typeof name !== 'string' || !isObject(input)) return {};
  return { deferred_tool_use: { id, name, input } };
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function failedReason(record: FailedRecord): string {
  if (record.error.code === 'model.prompt_too_long') return 'prompt_too_long';
  return record.terminalReason || (isModelError(record.error) ? 'api_error' : 'model_error');
}

function interruptedText(cause: string): string {
  switch (cause) {
    case 'interrupted':
      return 'the turn was interrupted';
    case 'cancelled':
      return 'the session was cancelled';
    case 'crashed':
      return 'the process that ran the turn ended before the turn did';
    default:
      return `the turn was stopped: ${cause}`;
  }
}

/** Says in the conversation why there is no reply; the model never reads it. */
function syntheticReply(state: ProjectionState, record: FailedRecord, at: string): SDKAssistantMessage {
  return {
    type: 'assistant',
    uuid: messageUuid(record.turnId, 'error'),
    session_id: state.options.sessionId,
    parent_tool_use_id: null,
    timestamp: at,
    error: errorName(record.error),
    is_api_error_message: true,
    api_error_status: errorStatus(record.error),
    message: {
      id: messageUuid(record.turnId, 'error/message'),
      type: 'message',
      role: 'assistant',
      model: '<synthetic>',
      content: [{ type: 'text', text: record.error.message }],
      stop_reason: null,
      stop_sequence: null,
      usage: noUsage(),
    },
  };
}

function interruptedLine(state: ProjectionState, event: TurnEnded, terminalReason: string): SDKUserMessage {
  const text =
    terminalReason === 'aborted_tools' ? '[Request interrupted by user for tool use]' : '[Request interrupted by user]';
  return {
    type: 'user',
    uuid: messageUuid(event.turnId, 'interrupted'),
    session_id: state.options.sessionId,
    parent_tool_use_id: null,
    timestamp: event.at,
    message: { role: 'user', content: [{ type: 'text', text }] },
  };
}
