import type { Model } from '@rondo/runtime';
import { accessFromEnvironment } from '../ai-sdk/vendor-access.ts';
import type { Environment } from '../environment.ts';
import { createMistralModel, mistralVendor, type MistralModelOptions } from './create-mistral-model.ts';

/** The model with its key from `MISTRAL_API_KEY`, its base URL from `MISTRAL_BASE_URL`, and timeouts as all have them. */
export function mistralModelFromEnvironment(
  model: string,
  env: Environment,
  options: Pick<MistralModelOptions, 'limits' | 'price' | 'input' | 'timeouts'> = {},
): Model {
  const access = accessFromEnvironment(mistralVendor, model, env);
  return createMistralModel({ ...access, ...options, model, timeouts: { ...access.timeouts, ...options.timeouts } });
}
