import { googleStyle } from '../google/style.ts';
import { mistralStyle } from '../mistral/style.ts';
import type { AiSdkAdapter } from './create-ai-sdk-model.ts';

/** In what a provider differs from others, whoever made its model. */
export type ProviderStyle = Pick<
  AiSdkAdapter,
  'resultFiles' | 'afterResults' | 'callId' | 'isBroken' | 'inputSchema' | 'errors'
>;

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
