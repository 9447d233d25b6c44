import type { Binding } from '@rondo/runtime';
import type { Options } from './options.ts';
import type { Steering } from './steering.ts';

/**
 * How a session's models are to think: as was said while it was at work, else by its options in either way of saying it, else
 * by its settings. Where nobody says anything, models that decide by themselves how much to think are asked to.
 */
export function thinkingOf(
  steering: Pick<Steering, 'thinking'>,
  options: Pick<Options, 'thinking' | 'maxThinkingTokens'>,
  settings: { readonly [key: string]: unknown },
): Pick<Binding, 'thinking' | 'adaptiveThinking'> {
  const { thinking = options.thinking } = steering;
  if (thinking !== undefined) return { thinking };
  if (options.maxThinkingTokens !== undefined) return { thinking: thinkingWithin(options.maxThinkingTokens) };
  return settings['alwaysThinkingEnabled'] === false ? { thinking: { type: 'disabled' } } : { adaptiveThinking: true };
}

/** Of so many tokens; none is no thinking. */
export function thinkingWithin(tokens: number): NonNullable<Binding['thinking']> {
  return tokens === 0 ? { type: 'disabled' } : { type: 'enabled', budgetTokens: tokens };
}
