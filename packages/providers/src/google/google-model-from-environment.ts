import type { Model } from '@rondo/runtime';
import { accessFromEnvironment } from '../ai-sdk/vendor-access.ts';
import type { Environment } from '../environment.ts';
import { createGoogleModel, googleVendor, type GoogleModelOptions } from './create-google-model.ts';

/**
 * The model with its key from `GEMINI_API_KEY`, else `GOOGLE_API_KEY`, else `GOOGLE_GENERATIVE_AI_API_KEY`, its base URL
 * from `GEMINI_BASE_URL`, and timeouts as all have them.
 */
export function googleModelFromEnvironment(
  model: string,
  env: Environment,
  options: Pick<GoogleModelOptions, 'limits' | 'price' | 'input' | 'timeouts'> = {},
): Model {
  const access = accessFromEnvironment(googleVendor, model, env);
  return createGoogleModel({ ...access, ...options, model, timeouts: { ...access.timeouts, ...options.timeouts } });
}
