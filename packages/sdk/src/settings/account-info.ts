import type { AccountInfo } from '@rondo/protocol';
import { keyHelperOf } from '../options/key-helper.ts';
import { loadProviders } from '../options/load-package.ts';
import type { Options } from '../options/options.ts';
import { readModelSettings } from './read-model-settings.ts';

/**
 * Whose key pays for the model: the variable that holds it, or `apiKeyHelper`. A bearer token is a `tokenSource`. Empty for
 * a model of the program's own, and for one that needs none.
 */
export async function accountInfo(options: Options, model?: string): Promise<AccountInfo> {
  const named = options.model;
  if (typeof named === 'object') return {};
  const { findModel, keyVariable } = await loadProviders();
  const { counted, cwd, env, effective } = await readModelSettings(options);
  const { settings } = effective;
  try {
    const { provider } = findModel(model ?? named ?? effective.model, { env, settings });
    const variable = settings.servers?.[provider]?.apiKeyVariable ?? keyVariable(provider, env);
    if (variable === 'ANTHROPIC_AUTH_TOKEN') return { tokenSource: variable };
    if (variable !== undefined) return { apiKeySource: variable };
    const isHelped = provider === 'anthropic' && keyHelperOf(counted, cwd) !== undefined;
    return isHelped ? { apiKeySource: 'apiKeyHelper' } : {};
  } catch {
    // A name that means nothing is said when the model is loaded.
    return {};
  }
}
