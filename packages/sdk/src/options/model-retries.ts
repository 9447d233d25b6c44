import type { Environment } from './command-environment.ts';

const MOST_RETRIES = 15;

/** How often a model request is tried again, as `CLAUDE_CODE_MAX_RETRIES` says it; undefined leaves the default. */
export function modelRetries(env: Environment): number | undefined {
  const text = env['CLAUDE_CODE_MAX_RETRIES']?.trim();
  if (text === undefined || !/^\d+$/.test(text)) return undefined;
  return Math.min(Number(text), MOST_RETRIES);
}
