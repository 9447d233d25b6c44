import { RondoError } from '@rondo/protocol/values';
import type { Model } from '@rondo/runtime';
import { createAnthropicModel, type AnthropicModelOptions } from './create-anthropic-model.ts';
import { bringsKey, headersFromEnvironment, headersVariable } from './custom-headers.ts';
import { timeoutsFromEnvironment } from '../dialect/timeouts.ts';
import { readVariable, type Environment } from '../environment.ts';
import { networkFromEnvironment } from '../http/network.ts';
import { isLoopbackUrl } from '../provider-variables.ts';

/**
 * The model with its key, base URL, headers and timeouts from the environment: `ANTHROPIC_AUTH_TOKEN` or
 * `ANTHROPIC_API_KEY`, `ANTHROPIC_BASE_URL`, `ANTHROPIC_BETAS`, `ANTHROPIC_CUSTOM_HEADERS`, `API_TIMEOUT_MS`,
 * `CLAUDE_STREAM_IDLE_TIMEOUT_MS` and `CLAUDE_ENABLE_STREAM_WATCHDOG`. A server on this machine needs no key, nor does
 * one that a header of `ANTHROPIC_CUSTOM_HEADERS` brings the key to.
 */
export function anthropicModelFromEnvironment(
  model: string,
  env: Environment,
  options: Pick<
    AnthropicModelOptions,
    'betas' | 'citations' | 'headers' | 'limits' | 'price' | 'serverTools' | 'timeouts'
  > = {},
): Model {
  const authToken = readVariable(env, 'ANTHROPIC_AUTH_TOKEN');
  const apiKey = readVariable(env, 'ANTHROPIC_API_KEY');
  const baseUrl = readVariable(env, 'ANTHROPIC_BASE_URL');
  const headers = { ...headersFromEnvironment(env), ...options.headers };
  const keyed = authToken !== undefined || apiKey !== undefined || bringsKey(headers);
  if (!keyed && !isLoopbackUrl(baseUrl ?? '')) throw keyMissing(model);
  return createAnthropicModel({
    ...options,
    model,
    ...(authToken !== undefined ? { authToken } : apiKey !== undefined ? { apiKey } : {}),
    keySource: keySourceOf({ authToken, headers }),
    betas: [...listVariable(env, 'ANTHROPIC_BETAS'), ...(options.betas ?? [])],
    headers,
    network: networkFromEnvironment(env),
    ...(baseUrl !== undefined && { baseUrl }),
    baseUrlSource: 'ANTHROPIC_BASE_URL',
    timeouts: { ...timeoutsFromEnvironment(env), ...options.timeouts },
  });
}

function keySourceOf({
  authToken,
  headers,
}: Pick<AnthropicModelOptions, 'headers'> & { authToken: string | undefined }): string {
  if (headers !== undefined && bringsKey(headers)) return headersVariable;
  return authToken !== undefined ? 'ANTHROPIC_AUTH_TOKEN' : 'ANTHROPIC_API_KEY';
}

function listVariable(env: Environment, name: string): readonly string[] {
  const names = (readVariable(env, name) ?? '').split(',').map((each) => each.trim());
  return names.filter((each) => each !== '');
}

function keyMissing(model: string): RondoError {
  return new RondoError(
    'model.key_missing',
    `No key for anthropic/${model}. Set ANTHROPIC_API_KEY, or name a model of another provider, or try \`rondo demo\`, which needs no key.`,
    { details: { provider: 'anthropic', variables: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN'] } },
  );
}
