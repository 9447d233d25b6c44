import { RondoError } from '@rondo/protocol';
import type { Model } from '@rondo/runtime';
import { createAnthropicModel, type AnthropicModelOptions, type AnthropicTimeouts } from './create-anthropic-model.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

const shortestTimeoutMs = 1_000;

/**
 * The model with its key, base URL and timeouts from the environment: `ANTHROPIC_AUTH_TOKEN` or `ANTHROPIC_API_KEY`,
 * `ANTHROPIC_BASE_URL`, `API_TIMEOUT_MS`, `CLAUDE_STREAM_IDLE_TIMEOUT_MS` and `CLAUDE_ENABLE_STREAM_WATCHDOG`. A
 * server on this machine needs no key.
 */
export function anthropicModelFromEnvironment(
  model: string,
  env: Environment,
  options: Pick<AnthropicModelOptions, 'betas' | 'limits' | 'price' | 'timeouts'> = {},
): Model {
  const authToken = read(env, 'ANTHROPIC_AUTH_TOKEN');
  const apiKey = read(env, 'ANTHROPIC_API_KEY');
  const baseUrl = read(env, 'ANTHROPIC_BASE_URL');
  if (authToken === undefined && apiKey === undefined && !isLoopback(baseUrl)) throw keyMissing(model);
  return createAnthropicModel({
    ...options,
    model,
    ...(authToken !== undefined ? { authToken } : apiKey !== undefined ? { apiKey } : {}),
    keySource: authToken !== undefined ? 'ANTHROPIC_AUTH_TOKEN' : 'ANTHROPIC_API_KEY',
    ...(baseUrl !== undefined && { baseUrl }),
    baseUrlSource: 'ANTHROPIC_BASE_URL',
    timeouts: { ...timeoutsFrom(env), ...options.timeouts },
  });
}

function keyMissing(model: string): RondoError {
  return new RondoError(
    'model.key_missing',
    `No key for anthropic/${model}. Set ANTHROPIC_API_KEY, or name a model of another provider, or try \`rondo demo\`, which needs no key.`,
    { details: { provider: 'anthropic', variables: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN'] } },
  );
}

function timeoutsFrom(env: Environment): AnthropicTimeouts {
  const headersMs = readMilliseconds(env, 'API_TIMEOUT_MS');
  const idleMs = readMilliseconds(env, 'CLAUDE_STREAM_IDLE_TIMEOUT_MS');
  const watches = !['0', 'false'].includes(read(env, 'CLAUDE_ENABLE_STREAM_WATCHDOG')?.toLowerCase() ?? '1');
  return {
    ...(headersMs !== undefined && { headersMs }),
    ...(!watches ? { idleMs: false } : idleMs !== undefined ? { idleMs } : {}),
  };
}

function readMilliseconds(env: Environment, name: string): number | undefined {
  const value = Number(read(env, name) ?? Number.NaN);
  return Number.isFinite(value) ? Math.max(shortestTimeoutMs, Math.round(value)) : undefined;
}

function read(env: Environment, name: string): string | undefined {
  const value = env[name]?.trim();
  return value === '' ? undefined : value;
}

function isLoopback(baseUrl: string | undefined): boolean {
  const host = URL.parse(baseUrl ?? '')?.hostname;
  return host !== undefined && (host === 'localhost' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host));
}
