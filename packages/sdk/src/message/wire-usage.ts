import type { ModelUsage, NonNullableUsage, TokenUsage, Usage } from '@rondo/protocol';

/** One request's tokens in the second seed's words. */
export function wireUsage(usage: TokenUsage): NonNullableUsage {
  const written = usage.cacheCreationInputTokens ?? 0;
  const oneHour = usage.cacheCreationOneHourInputTokens ?? 0;
  return {
    input_tokens: usage.inputTokens,
    output_tokens: usage.outputTokens,
    cache_creation_input_tokens: written,
    cache_read_input_tokens: usage.cacheReadInputTokens ?? 0,
    cache_creation: { ephemeral_5m_input_tokens: written - oneHour, ephemeral_1h_input_tokens: oneHour },
    server_tool_use: { web_search_requests: 0, web_fetch_requests: 0 },
    service_tier: 'standard',
    speed: 'standard',
    inference_geo: '',
    iterations: [],
  };
}

export function noUsage(): NonNullableUsage {
  return wireUsage({ inputTokens: 0, outputTokens: 0 });
}

/** What is shown does not change when more is counted. */
export function copyUsage(usage: NonNullableUsage): NonNullableUsage {
  return {
    ...usage,
    cache_creation: { ...usage.cache_creation },
    server_tool_use: { ...usage.server_tool_use },
    iterations: [...usage.iterations],
  };
}

export function copyModelUsage(usage: Readonly<Record<string, ModelUsage>>): Record<string, ModelUsage> {
  return Object.fromEntries(Object.entries(usage).map(([model, sum]) => [model, { ...sum }]));
}

/** Adds one request to a sum of its own. */
export function addUsage(sum: NonNullableUsage, usage: TokenUsage): void {
  const more = wireUsage(usage);
  sum.input_tokens += more.input_tokens;
  sum.output_tokens += more.output_tokens;
  sum.cache_creation_input_tokens += more.cache_creation_input_tokens;
  sum.cache_read_input_tokens += more.cache_read_input_tokens;
  sum.cache_creation.ephemeral_5m_input_tokens += more.cache_creation.ephemeral_5m_input_tokens;
  sum.cache_creation.ephemeral_1h_input_tokens += more.cache_creation.ephemeral_1h_input_tokens;
}

export function noModelUsage(limits: { contextWindow?: number; maxOutputTokens?: number } = {}): ModelUsage {
  return {
    inputTokens: 0,
    outputTokens: 0,
    cacheReadInputTokens: 0,
    cacheCreationInputTokens: 0,
    webSearchRequests: 0,
    costUSD: 0,
    contextWindow: limits.contextWindow ?? 0,
    maxOutputTokens: limits.maxOutputTokens ?? 0,
  };
}

/** Adds one request to a model's sum. */
export function addModelUsage(sum: ModelUsage, usage: TokenUsage, costUsd: number): void {
  sum.inputTokens += usage.inputTokens;
  sum.outputTokens += usage.outputTokens;
  sum.cacheReadInputTokens += usage.cacheReadInputTokens ?? 0;
  sum.cacheCreationInputTokens += usage.cacheCreationInputTokens ?? 0;
  sum.costUSD += costUsd;
}

/** What a line says while the request's tokens are not known. */
export const usageNotKnown: Usage = Object.freeze(noUsage());
