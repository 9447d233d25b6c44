import { googleStyle } from '../google/style.ts';
import { mistralStyle } from '../mistral/style.ts';
import type { ProviderStyle } from './create-ai-sdk-model.ts';

const styles: Readonly<Record<string, (model: string) => Partial<ProviderStyle>>> = {
  mistral: () => mistralStyle,
  google: googleStyle,
  anthropic: () => ({ resultFiles: 'inline' }),
  openai: () => ({ resultFiles: 'inline' }),
  azure: () => ({ resultFiles: 'inline' }),
  'amazon-bedrock': () => ({ resultFiles: 'inline' }),
};

/** What is known of a provider by its name in the AI SDK; nothing of most, which take what all take. */
export function providerStyle(provider: string, model: string): Partial<ProviderStyle> {
  return Object.hasOwn(styles, provider) ? (styles[provider]?.(model) ?? {}) : {};
}
