import type { RetryPolicy } from '@rondo/runtime';
import type { Environment } from './command-environment.ts';

const MOST_RETRIES = 15;
const WATCHED_RETRIES = 300;

/**
 * How often a model request is tried again, as `CLAUDE_CODE_MAX_RETRIES` says it; undefined leaves the default. With
 * `CLAUDE_CODE_RETRY_WATCHDOG` a run that nobody watches waits for capacity as long as it takes, tries anything else 300
 * times unless the other variable says how often, and that without its bound.
 */
export function modelRetries(env: Environment): Partial<RetryPolicy> | undefined {
  const text = env['CLAUDE_CODE_MAX_RETRIES']?.trim();
  const said = text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;
  if (isOn(env['CLAUDE_CODE_RETRY_WATCHDOG']))
    return { maxRetries: Math.min(said ?? WATCHED_RETRIES, Number.MAX_SAFE_INTEGER), waitsForCapacity: true };
  return said === undefined ? undefined : { maxRetries: Math.min(said, MOST_RETRIES) };
}

function isOn(value: string | undefined): boolean {
  return !['', '0', 'false', 'no', 'off'].includes(value?.trim().toLowerCase() ?? '');
}
