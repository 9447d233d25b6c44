import type { SDKAssistantMessage, SDKMessage, SDKResultMessage, SDKUserMessage } from '@rondo/sdk';

type Block = SDKAssistantMessage['message']['content'][number];
type SuccessResult = Extract<SDKResultMessage, { subtype: 'success' }>;

/** What every message of a session carries. */
export const inSession = { uuid: '0b54a5f2-93a7-4c5e-8d7e-2f1c6a9b0d11', session_id: 'session' } as const;
const line = { ...inSession, parent_tool_use_id: null };

const usage = {
  input_tokens: 0,
  output_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
  server_tool_use: { web_search_requests: 0, web_fetch_requests: 0 },
  service_tier: 'standard',
  speed: 'standard',
  inference_geo: '',
  iterations: [],
} as const;

export function assistant(block: Block, more: Partial<SDKAssistantMessage> = {}): SDKAssistantMessage {
  return {
    type: 'assistant',
    ...line,
    ...more,
    message: {
      id: 'message',
      type: 'message',
      role: 'assistant',
      model: 'model',
      content: [block],
      stop_reason: null,
      stop_sequence: null,
      usage: { ...usage, iterations: [] },
    },
  };
}

export function toolCall(id: string, name: string, input: Record<string, string>): SDKAssistantMessage {
  return assistant({ type: 'tool_use', id, name, input });
}

export function toolResult(
  id: string,
  content: string,
  more: { readonly isError?: boolean; readonly structured?: unknown } = {},
): SDKUserMessage {
  return {
    type: 'user',
    ...line,
    message: {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: id, content, ...(more.isError ? { is_error: true } : {}) }],
    },
    tool_use_result: more.structured,
  };
}

export function textPiece(text: string): SDKMessage {
  const delta = { type: 'text_delta', text } as const;
  return { type: 'stream_event', ...line, event: { type: 'content_block_delta', index: 0, delta } };
}

export function init(model: string): SDKMessage {
  return {
    type: 'system',
    subtype: 'init',
    ...inSession,
    agents: [],
    apiKeySource: 'user',
    claude_code_version: '0.0.0',
    cwd: '/project',
    tools: [],
    mcp_servers: [],
    model,
    permissionMode: 'default',
    slash_commands: [],
    output_style: 'default',
    skills: [],
    plugins: [],
  };
}

export function apiRetry(more: Partial<Extract<SDKMessage, { subtype: 'api_retry' }>> = {}): SDKMessage {
  return {
    type: 'system',
    subtype: 'api_retry',
    ...inSession,
    attempt: 1,
    max_retries: 3,
    retry_delay_ms: 500,
    error_status: 529,
    error: 'overloaded',
    ...more,
  };
}

export function success(result: string, more: Partial<SuccessResult> = {}): SuccessResult {
  return {
    type: 'result',
    subtype: 'success',
    ...inSession,
    duration_ms: 1200,
    duration_api_ms: 1000,
    is_error: false,
    num_turns: 1,
    result,
    stop_reason: 'end_turn',
    total_cost_usd: 0,
    usage: { ...usage, iterations: [] },
    modelUsage: {},
    permission_denials: [],
    ...more,
  };
}
