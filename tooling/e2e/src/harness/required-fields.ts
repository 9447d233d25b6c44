import type { OutputLine } from './output-lines.ts';

/**
 * The fields that the second seed's reference gives without a question mark, line by line type. They stand here once
 * more, apart from our schemas, so that a schema which forgot one does not hide it.
 */
const everyLine = ['type', 'uuid', 'session_id'];
const usage = [
  'input_tokens',
  'output_tokens',
  'cache_creation_input_tokens',
  'cache_read_input_tokens',
  'cache_creation',
  'server_tool_use',
  'service_tier',
  'speed',
  'inference_geo',
  'iterations',
];
const modelUsage = [
  'inputTokens',
  'outputTokens',
  'cacheReadInputTokens',
  'cacheCreationInputTokens',
  'webSearchRequests',
  'costUSD',
  'contextWindow',
  'maxOutputTokens',
];
const result = [
  ...everyLine,
  'subtype',
  'duration_ms',
  'duration_api_ms',
  'is_error',
  'num_turns',
  'stop_reason',
  'total_cost_usd',
  'usage',
  'modelUsage',
  'permission_denials',
  ...usage.map((field) => `usage.${field}`),
];
const message = ['id', 'type', 'role', 'model', 'content', 'stop_reason', 'stop_sequence', 'usage'];

const requiredFields: Readonly<Record<string, readonly string[]>> = {
  assistant: [...everyLine, 'message', 'parent_tool_use_id', ...message.map((field) => `message.${field}`)],
  user: ['type', 'message', 'parent_tool_use_id', 'message.role', 'message.content'],
  'result/success': [...result, 'result'],
  'result/error_max_turns': [...result, 'errors'],
  'result/error_during_execution': [...result, 'errors'],
  'system/init': [
    ...everyLine,
    'subtype',
    'apiKeySource',
    'claude_code_version',
    'cwd',
    'tools',
    'mcp_servers',
    'model',
    'permissionMode',
    'slash_commands',
    'output_style',
    'skills',
    'plugins',
  ],
  'system/status': [...everyLine, 'subtype', 'status'],
  'system/thinking_tokens': [...everyLine, 'subtype', 'estimated_tokens', 'estimated_tokens_delta'],
  'system/notification': [...everyLine, 'subtype', 'key', 'text', 'priority'],
  tool_progress: [...everyLine, 'tool_use_id', 'tool_name', 'parent_tool_use_id', 'elapsed_time_seconds'],
  rate_limit_event: [...everyLine, 'rate_limit_info', 'rate_limit_info.status'],
  'system/permission_denied': [...everyLine, 'subtype', 'tool_name', 'tool_use_id', 'message'],
  'system/informational': [...everyLine, 'subtype', 'content', 'level'],
  'system/api_retry': [...everyLine, 'subtype', 'attempt', 'max_retries', 'retry_delay_ms', 'error_status', 'error'],
  stream_event: [...everyLine, 'event', 'event.type', 'parent_tool_use_id'],
};

/** The kind of a line: its type, and its subtype where it has one. */
export function kindOf({ type, subtype }: OutputLine): string {
  return subtype === undefined ? type : `${type}/${subtype}`;
}

/** What the line lacks of what its kind must have; a kind that nothing is known of lacks everything. */
export function missingFields(line: OutputLine): string[] {
  const required = requiredFields[kindOf(line)];
  if (required === undefined) return [`${kindOf(line)} is not in the table of required fields`];
  const missing = required.filter((path) => at(line, path) === undefined);
  const models = Object.entries((line['modelUsage'] ?? {}) as Record<string, object>);
  for (const [model, used] of models)
    missing.push(...modelUsage.filter((name) => !(name in used)).map((name) => `modelUsage.${model}.${name}`));
  return missing;
}

function at(value: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce((inner: unknown, name) => (inner instanceof Object ? Reflect.get(inner, name) : undefined), value);
}
