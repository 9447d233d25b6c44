import type { ModelSettings } from '@rondo/providers';
import type { Model } from '@rondo/runtime';
import { effectiveModelSettings, type SettingsParts } from '../settings/get-model-settings.ts';
import { loadProviders } from './load-package.ts';

export interface LoadModelOptions extends SettingsParts {
  /** The folder that relative paths of `scripted/` are under. */
  readonly cwd: string;
  /** Features that the vendor's interface is asked for by name, where it takes such names. */
  readonly betas?: readonly string[] | undefined;
}

/**
 * The model that was named; else the environment's, the settings' or the default one. Its adapter is loaded now, others
 * never.
 * @throws RondoError `model.unknown`, `model.key_missing`.
 */
export async function loadModel(model: string | Model | undefined, options: LoadModelOptions): Promise<Model> {
  if (typeof model === 'object') return model;
  const { env, home, cwd, betas = [] } = options;
  const { resolveModel } = await loadProviders();
  const effective = await effectiveModelSettings(options);
  return await resolveModel(model ?? effective.model, { env, home, cwd, betas, settings: effective.settings });
}

/** Whether it is a model that `ANTHROPIC_API_KEY` is the key of. What cannot be told is said when the model is loaded. */
export async function takesAnthropicKey(
  model: string | Model | undefined,
  options: LoadModelOptions,
): Promise<boolean> {
  if (typeof model === 'object') return false;
  const { findModel } = await loadProviders();
  const { model: named, settings } = await effectiveModelSettings(options);
  try {
    return findModel(model ?? named, { env: options.env, settings }).provider === 'anthropic';
  } catch {
    return false;
  }
}

/** The variables that settings name for servers' keys. */
export function configuredKeyVariables(...settings: readonly (ModelSettings | undefined)[]): readonly string[] {
  return settings.flatMap((each) =>
    Object.values(each?.servers ?? {}).flatMap(({ apiKeyVariable }) => apiKeyVariable ?? []),
  );
}
