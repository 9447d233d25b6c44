import type { Thinking } from '@rondo/runtime';
import type { Options } from './options.ts';

/** How the model is to think, in either way of saying it. Undefined: as it does by itself. */
export function thinkingOf({ thinking, maxThinkingTokens }: Options): Thinking | undefined {
  if (thinking !== undefined) return thinking;
  if (maxThinkingTokens === undefined) return undefined;
  return maxThinkingTokens === 0 ? { type: 'disabled' } : { type: 'enabled', budgetTokens: maxThinkingTokens };
}
