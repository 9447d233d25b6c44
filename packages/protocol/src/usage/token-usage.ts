import { z } from 'zod';
import { openObject } from '../json/open-object.ts';

/**
 * What one model request used, in tokens, as the provider reports it. `inputTokens` leaves out what was read from or
 * written to the prompt cache; the four add up to everything billed.
 */
export const TokenUsage = openObject({
  inputTokens: z.number().int().nonnegative(),
  outputTokens: z.number().int().nonnegative(),
  cacheReadInputTokens: z.number().int().nonnegative().optional(),
  cacheCreationInputTokens: z.number().int().nonnegative().optional(),
  /** Of `cacheCreationInputTokens`, what was written for one hour rather than five minutes. */
  cacheCreationOneHourInputTokens: z.number().int().nonnegative().optional(),
  totalTokens: z.number().int().nonnegative().optional(),
  model: z.string().optional(),
});
export type TokenUsage = z.infer<typeof TokenUsage>;
