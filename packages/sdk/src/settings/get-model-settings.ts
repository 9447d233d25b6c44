import { resolve } from 'node:path';
import type { Environment, ModelSettings } from '@rondo/providers';
import { resolveHome } from '@rondo/runtime/node';
import { mergeModelSettings } from './merge-model-settings.ts';
import { type ConfiguredModels, configuredModels } from './configured-models.ts';
import { countSettings } from './counted-settings.ts';
import { loadSettings } from './load-settings.ts';
import { refuseBroken } from './settings-problem.ts';
import { loadProviders } from '../options/load-package.ts';

/** By what names of models are understood, and what runs when nobody names one. */
export interface EffectiveModelSettings {
  readonly settings: ModelSettings;
  readonly model: string;
  /** The variable or the file that names that model; absent when it is the built-in default. */
  readonly namedBy?: string;
}

export interface GetModelSettingsOptions {
  /** `process.env` unless given. */
  readonly env?: Environment;
  /** Where the settings are: `RONDO_HOME` or `~/.rondo` unless given. */
  readonly home?: string;
  /** The folder whose settings count beside the person's own: `process.cwd()` unless given. */
  readonly cwd?: string;
  /** What a program says, above everything else. */
  readonly models?: ModelSettings;
}

/**
 * What is configured about models: by the settings that count in the folder, above them the environment, above both the
 * program.
 * @throws RondoError `input.invalid` naming the place of what is wrong in the settings.
 */
export async function getModelSettings(options: GetModelSettingsOptions = {}): Promise<EffectiveModelSettings> {
  const { env = process.env, models } = options;
  const home = options.home === undefined ? resolveHome(env) : resolve(options.home);
  const cwd = resolve(options.cwd ?? process.cwd());
  const loaded = await loadSettings({ cwd, home, env });
  refuseBroken(loaded);
  const counted = await countSettings(loaded, { cwd, home });
  const user = configuredModels(counted);
  return await effectiveModelSettings({ env: { ...env, ...counted.settings.env }, home, user, models });
}

export interface SettingsParts {
  readonly env: Environment;
  readonly home: string;
  /** What settings say. */
  readonly user: ConfiguredModels;
  readonly models?: ModelSettings | undefined;
}

export async function effectiveModelSettings(parts: SettingsParts): Promise<EffectiveModelSettings> {
  const { env, user, models } = parts;
  const { environmentAliases, environmentModel, modelAliases, modelVariable } = await loadProviders();
  const underProgram = mergeModelSettings(user.models, { aliases: environmentAliases(env) });
  const settings = mergeModelSettings(underProgram, models);
  const byVariable = environmentModel(env, Object.keys(modelAliases(settings, env)));
  if (byVariable !== undefined) return { settings, model: byVariable, namedBy: modelVariable };
  const { model, namedBy } = user;
  if (model !== undefined) return { settings, model, ...(namedBy === undefined ? {} : { namedBy }) };
  return { settings, model: 'default' };
}
