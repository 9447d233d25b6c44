import { RondoError } from '@rondo/protocol/values';
import { takesOver, type FallbackModel, type Model } from '@rondo/runtime';
import { effectiveModelSettings } from '../settings/get-model-settings.ts';
import { loadProviders } from './load-package.ts';
import type { ModelAccess } from './model-access.ts';
import type { Options } from './options.ts';

export interface FallbackOptions {
  readonly options: Pick<Options, 'fallbackModel' | 'maxBudgetUsd'>;
  readonly access: Pick<ModelAccess, 'parts' | 'loadOther'>;
  /** The session's own. */
  readonly model: Model;
}

/**
 * The model that takes over where the session's own cannot be reached. It is loaded when that happens.
 * @throws RondoError `model.unknown`, and `input.invalid` where it is the session's own.
 */
export async function fallbackOf({ options, access, model }: FallbackOptions): Promise<{ fallback?: FallbackModel }> {
  const { fallbackModel, maxBudgetUsd } = options;
  if (fallbackModel === undefined) return {};
  const name = typeof fallbackModel === 'object' ? fallbackModel.name : await fullName(fallbackModel, access);
  if (name === model.name) {
    const message = `options.fallbackModel is ${name}, which is the session's model: name another one.`;
    throw new RondoError('input.invalid', message, { details: { option: 'fallbackModel' } });
  }
  let loading: Promise<Model> | undefined;
  const load = (): Promise<Model> => {
    loading ??= loadOnce();
    // What kept it from being loaded may be over when it is needed next.
    loading.catch(() => (loading = undefined));
    return loading;
  };
  async function loadOnce(): Promise<Model> {
    const loaded = typeof fallbackModel === 'object' ? fallbackModel : await access.loadOther(name);
    if (maxBudgetUsd === undefined || loaded.price !== undefined) return loaded;
    throw new RondoError(
      'input.invalid',
      'its price is not known, so that the budget (maxBudgetUsd) could not be kept',
    );
  }
  return { fallback: { name, takesOver, load } };
}

async function fullName(named: string, { parts }: FallbackOptions['access']): Promise<string> {
  const { findModel } = await loadProviders();
  const { settings } = await effectiveModelSettings(parts);
  const { provider, model } = findModel(named, { env: parts.env, settings });
  return `${provider}/${model}`;
}
