import type { TokenUsage } from '@rondo/protocol';
import type { WireUsage } from './wire-schema.ts';

/**
 * `earlier` with what `later` reports in its place: counts of a stream are cumulative, so nothing is ever added up. On
 * this wire the prompt's count holds what was read from and written to the cache; ours leaves both out.
 */
export function mergeUsage(earlier: TokenUsage, later: WireUsage): TokenUsage {
  const { promptTokens, completionTokens, cachedTokens, cacheWriteTokens } = later;
  const cached = cachedTokens ?? 0;
  const written = cacheWriteTokens ?? 0;
  return {
    ...earlier,
    ...(promptTokens !== undefined && { inputTokens: Math.max(0, promptTokens - cached - written) }),
    ...(completionTokens !== undefined && { outputTokens: completionTokens }),
    ...(cachedTokens !== undefined && { cacheReadInputTokens: cachedTokens }),
    ...(cacheWriteTokens !== undefined && { cacheCreationInputTokens: cacheWriteTokens }),
  };
}
