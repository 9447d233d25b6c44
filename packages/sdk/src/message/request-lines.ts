import type { ModelRequested, ModelRetried, ProtocolError, SDKMessage, ToolProgress } from '@rondo/protocol';
import { errorName } from './error-name.ts';
import { deriveUuid } from './line-uuid.ts';
import type { ProjectionState } from './projection-state.ts';
import { wireModelName } from './wire-model-name.ts';

/** The model is asked: told to whoever follows its reply piece by piece. */
export function requestLines(state: ProjectionState, event: ModelRequested): SDKMessage[] {
  if (state.options.includePartialMessages !== true) return [];
  const uuid = deriveUuid(event.id);
  return [{ type: 'system', subtype: 'status', uuid, session_id: state.options.sessionId, status: 'requesting' }];
}

/** The model could not be reached: it is asked again, or another one is asked. */
export function retryLine(state: ProjectionState, event: ModelRetried): SDKMessage {
  const line = { uuid: deriveUuid(event.id), session_id: state.options.sessionId };
  if (event.fallbackModel !== undefined) {
    return {
      type: 'system',
      subtype: 'model_fallback',
      ...line,
      trigger: errorName(event.error),
      original_model: wireModelName(event.model ?? ''),
      fallback_model: wireModelName(event.fallbackModel),
    };
  }
  return {
    type: 'system',
    subtype: 'api_retry',
    ...line,
    attempt: event.attempt,
    max_retries: event.maxRetries,
    retry_delay_ms: event.delayMs,
    error_status: event.status,
    error: errorName(event.error),
  };
}

/** A limit of the provider was met, and it said when it is whole again. */
export function limitLines(
  { options }: ProjectionState,
  { id, at }: Pick<ModelRetried, 'id' | 'at'>,
  error: ProtocolError,
): SDKMessage[] {
  const data = error.code === 'model.rate_limited' ? error.data : undefined;
  if (typeof data !== 'object' || data === null || !('retryAfterMs' in data)) return [];
  const { retryAfterMs } = data;
  if (typeof retryAfterMs !== 'number') return [];
  const resetsAt = Math.ceil((Date.parse(at) + retryAfterMs) / 1000);
  const uuid = deriveUuid(`${id}/limit`);
  const rate_limit_info = { status: 'rejected' as const, resetsAt };
  return [{ type: 'rate_limit_event', uuid, session_id: options.sessionId, rate_limit_info }];
}

/** A call is still at work. What its tool says meanwhile is not for these lines. */
export function progressLines(state: ProjectionState, { callId, elapsedMs }: ToolProgress): SDKMessage[] {
  const call = state.turn?.calls.get(callId);
  if (call === undefined || elapsedMs === undefined) return [];
  return [
    {
      type: 'tool_progress',
      uuid: deriveUuid(`${callId}/progress/${elapsedMs}`),
      session_id: state.options.sessionId,
      tool_use_id: call.toolCallId,
      tool_name: call.name,
      parent_tool_use_id: null,
      elapsed_time_seconds: Math.floor(elapsedMs / 1000),
    },
  ];
}
