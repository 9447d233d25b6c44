import type { TokenUsage } from '@rondo/protocol';
import type { ModelPrice } from './model.ts';

/** Estimated cost in US dollars, or undefined when the model's price is not known. */
export function modelCost(usage: TokenUsage, price: ModelPrice | undefined): number | undefined {
  if (price === undefined) return undefined;
  const { longPrompt } = price;
  if (longPrompt !== undefined && promptTokens(usage) > longPrompt.aboveTokens)
    return modelCost(usage, longPrompt.price);
  const cacheWrite = price.cacheWrite ?? price.input * 1.25;
  const cacheWriteOneHour = price.cacheWriteOneHour ?? price.input * 2;
  const cacheRead = price.cacheRead ?? price.input * 0.1;
  const oneHour = usage.cacheCreationOneHourInputTokens ?? 0;
  const fiveMinutes = (usage.cacheCreationInputTokens ?? 0) - oneHour;
  const perMillion =
    usage.inputTokens * price.input +
    usage.outputTokens * price.output +
    (usage.cacheReadInputTokens ?? 0) * cacheRead +
    fiveMinutes * cacheWrite +
    oneHour * cacheWriteOneHour;
  return perMillion / 1_000_000;
}

function promptTokens(usage: TokenUsage): number {
  return usage.inputTokens + (usage.cacheReadInputTokens ?? 0) + (usage.cacheCreationInputTokens ?? 0);
}
