import type { TokenUsage } from '@rondo/protocol';
import type { WireUsage } from './wire-schema.ts';

/**
 * `earlier` with what `later` reports in its place. The counts of a stream are cumulative: the last one is the bill, so
 * nothing is ever added up.
 */
export function mergeUsage(earlier: TokenUsage, later: WireUsage): TokenUsage {
  const oneHour = later.cache_creation?.ephemeral_1h_input_tokens;
  return {
    ...earlier,
    inputTokens: later.input_tokens ?? earlier.inputTokens,
    outputTokens: later.output_tokens ?? earlier.outputTokens,
    ...(later.cache_read_input_tokens != null && { cacheReadInputTokens: later.cache_read_input_tokens }),
    ...(later.cache_creation_input_tokens != null && { cacheCreationInputTokens: later.cache_creation_input_tokens }),
    ...(oneHour !== undefined && { cacheCreationOneHourInputTokens: oneHour }),
  };
}
