import type { ModelSettings } from '@rondo/providers';
import type { Model } from '@rondo/runtime';
import { mergeModelSettings } from '../settings/merge-model-settings.ts';
import type { UserSettings } from '../settings/user-settings.ts';
import type { Environment } from './command-environment.ts';

export interface LoadModelOptions {
  readonly env: Environment;
  /** What the person's own settings say. */
  readonly user?: UserSettings;
  /** What the program says, above them and the environment. */
  readonly models?: ModelSettings | undefined;
  /** The folder that relative paths of `scripted/` are under. */
  readonly cwd?: string;
  /** The folder with the sessions that `replay/` answers from. */
  readonly home?: string;
}

/**
 * The model that was named; else the environment's, the settings' or the default one. Its adapter is loaded now, others
 * never.
 * @throws RondoError `model.unknown`, `model.key_missing`.
 */
export async function loadModel(
  model: string | Model | undefined,
  { user = {}, models, ...context }: LoadModelOptions,
): Promise<Model> {
  if (typeof model === 'object') return model;
  const { environmentAliases, environmentModel, modelAliases, resolveModel } = await import('@rondo/providers');
  const { env } = context;
  const settings = mergeModelSettings(mergeModelSettings(user.models, { aliases: environmentAliases(env) }), models);
  const named = model ?? environmentModel(env, Object.keys(modelAliases(settings, env))) ?? user.model;
  return await resolveModel(named ?? 'default', { ...context, settings });
}

/** The variables that settings name for servers' keys. */
export function configuredKeyVariables(...settings: readonly (ModelSettings | undefined)[]): readonly string[] {
  return settings.flatMap((each) =>
    Object.values(each?.servers ?? {}).flatMap(({ apiKeyVariable }) => apiKeyVariable ?? []),
  );
}
