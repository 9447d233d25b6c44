import { RondoError } from '@rondo/protocol/values';
import type { Model } from '@rondo/runtime';
import { timeoutsFromEnvironment } from '../dialect/timeouts.ts';
import { networkFromEnvironment } from '../http/network.ts';
import { readVariable, type Environment } from '../environment.ts';
import { isLoopbackUrl } from '../provider-variables.ts';
import { createOpenAIModel, type OpenAIModelOptions } from './create-openai-model.ts';

/**
 * The model with its key, base URL, account, proxies and timeouts from the environment: `OPENAI_API_KEY`, `OPENAI_BASE_URL`,
 * `OPENAI_ORG_ID` or `OPENAI_ORGANIZATION`, `OPENAI_PROJECT_ID` or `OPENAI_PROJECT`, `API_TIMEOUT_MS`,
 * `CLAUDE_STREAM_IDLE_TIMEOUT_MS` and `CLAUDE_ENABLE_STREAM_WATCHDOG`. A server on this machine needs no key.
 */
export function openAIModelFromEnvironment(
  model: string,
  env: Environment,
  options: Pick<OpenAIModelOptions, 'input' | 'limits' | 'price' | 'timeouts'> = {},
): Model {
  const apiKey = readVariable(env, 'OPENAI_API_KEY');
  const baseUrl = readVariable(env, 'OPENAI_BASE_URL');
  const organization = readVariable(env, 'OPENAI_ORG_ID') ?? readVariable(env, 'OPENAI_ORGANIZATION');
  const project = readVariable(env, 'OPENAI_PROJECT_ID') ?? readVariable(env, 'OPENAI_PROJECT');
  if (apiKey === undefined && !isLoopbackUrl(baseUrl ?? '')) throw keyMissing(model);
  return createOpenAIModel({
    ...options,
    model,
    ...(apiKey !== undefined && { apiKey }),
    keySource: 'OPENAI_API_KEY',
    ...(baseUrl !== undefined && { baseUrl }),
    baseUrlSource: 'OPENAI_BASE_URL',
    ...(organization !== undefined && { organization }),
    ...(project !== undefined && { project }),
    timeouts: { ...timeoutsFromEnvironment(env), ...options.timeouts },
    network: networkFromEnvironment(env),
  });
}

function keyMissing(model: string): RondoError {
  return new RondoError(
    'model.key_missing',
    `No key for openai/${model}. Set OPENAI_API_KEY, or name a model of another provider, or try \`rondo demo\`, which needs no key.`,
    { details: { provider: 'openai', variables: ['OPENAI_API_KEY'] } },
  );
}
