import { RondoError } from '@rondo/protocol/values';
import { type Classifier, createModelClassifier, type Model } from '@rondo/runtime';
import { effectiveModelSettings, type SettingsParts } from '../settings/get-model-settings.ts';
import { loadProviders } from './load-package.ts';

export interface LazyClassifierOptions {
  /** What options or settings name, as they are now. Undefined: the session's own model judges. */
  readonly named: () => string | Model | undefined;
  readonly model: () => Model;
  readonly load: (name: string) => Promise<Model>;
}

/** The classifier of the mode `auto`, whose model is loaded when the first call has to be judged. */
export function createLazyClassifier({ named, model, load }: LazyClassifierOptions): Classifier {
  const loaded = new Map<string, Model>();
  return async (call, options) => {
    const wanted = named() ?? model();
    if (typeof wanted === 'object') return await createModelClassifier({ model: wanted })(call, options);
    const known = loaded.get(wanted) ?? (await load(wanted));
    loaded.set(wanted, known);
    return await createModelClassifier({ model: known })(call, options);
  };
}

/**
 * Whether the model that a session is to be judged by can be: its name is known and its key is there. Nothing is loaded.
 * @param source where it is named, for people
 * @throws RondoError `model.unknown`, `model.key_missing`.
 */
export async function checkClassifierModel(
  name: string,
  { source, isHelped, ...parts }: SettingsParts & { readonly source: string; readonly isHelped: boolean },
): Promise<void> {
  const { findModel, isProviderReady, providerVariables } = await loadProviders();
  const { settings } = await effectiveModelSettings(parts);
  const { provider } = findModel(name, { env: parts.env, settings });
  const { usualKey } = (Object.hasOwn(providerVariables, provider) ? providerVariables[provider] : undefined) ?? {};
  if (usualKey === undefined || isProviderReady(provider, parts.env)) return;
  if (isHelped && provider === 'anthropic') return;
  const message = `The mode auto needs a key for ${name}, which ${source} names to judge calls: set ${usualKey}, name another model, or none, so that the session's own judges.`;
  throw new RondoError('model.key_missing', message, { details: { model: name, provider } });
}
