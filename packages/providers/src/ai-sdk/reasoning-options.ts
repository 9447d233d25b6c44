import type { SharedV4ProviderOptions } from '@ai-sdk/provider';
import type { Effort, ModelRequest } from '@rondo/runtime';
import type { AiSdkCall } from './language-model.ts';

type Level = Effort | 'none';
type Options = SharedV4ProviderOptions[string];

/** How much the request wants the model to reason; undefined leaves it to the model. */
export function reasoningLevel({ thinking, effort }: Pick<ModelRequest, 'thinking' | 'effort'>): Level | undefined {
  if (thinking?.type === 'disabled') return 'none';
  return effort ?? (thinking?.type === 'enabled' ? 'medium' : undefined);
}

const tokens: Readonly<Record<Level, number>> = {
  none: 0,
  low: 2_048,
  medium: 8_192,
  high: 16_384,
  xhigh: 24_576,
  max: 24_576,
};

/**
 * How providers take it whose contract has no word of its own for it (AI SDK 5 and 6). One that is not named here
 * reasons as it likes.
 */
const optionsByProvider: Readonly<Record<string, (level: Level) => Options>> = {
  openai: (reasoningEffort) => ({ reasoningEffort }),
  azure: (reasoningEffort) => ({ reasoningEffort }),
  groq: (level) => ({ reasoningEffort: level === 'xhigh' || level === 'max' ? 'high' : level }),
  xai: (level) => (level === 'none' ? {} : { reasoningEffort: level === 'low' ? 'low' : 'high' }),
  anthropic: (level) => ({
    thinking: level === 'none' ? { type: 'disabled' } : { type: 'enabled', budgetTokens: tokens[level] },
  }),
  google: (level) => ({ thinkingConfig: { includeThoughts: level !== 'none', thinkingBudget: tokens[level] } }),
};

/** The part of a call that asks for reasoning. */
export function reasoningCall(
  request: Pick<ModelRequest, 'thinking' | 'effort'>,
  { provider, version }: { readonly provider: string; readonly version: string },
): Pick<AiSdkCall, 'reasoning' | 'providerOptions'> {
  const level = reasoningLevel(request);
  if (level === undefined) return {};
  if (version === 'v4') return { reasoning: level };
  const options = Object.hasOwn(optionsByProvider, provider) ? optionsByProvider[provider]?.(level) : undefined;
  return options === undefined ? {} : { providerOptions: { [provider]: options } };
}
