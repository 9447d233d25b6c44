import { resolve } from 'node:path';
import type { Environment, ModelSettings } from '@rondo/providers';
import { resolveHome } from '@rondo/runtime/node';
import { mergeModelSettings } from './merge-model-settings.ts';
import { readUserSettings, type UserSettings, userSettingsFile } from './user-settings.ts';

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
  /** What a program says, above everything else. */
  readonly models?: ModelSettings;
}

/**
 * What is configured about models: by the person's settings, above them the environment, above both the program.
 * @throws RondoError `input.invalid` naming the place of what is wrong in the settings.
 */
export async function getModelSettings(options: GetModelSettingsOptions = {}): Promise<EffectiveModelSettings> {
  const { env = process.env, models } = options;
  const home = options.home === undefined ? resolveHome(env) : resolve(options.home);
  return await effectiveModelSettings({ env, home, user: readUserSettings(home), models });
}

export interface SettingsParts {
  readonly env: Environment;
  readonly home: string;
  readonly user: UserSettings;
  readonly models?: ModelSettings | undefined;
}

export async function effectiveModelSettings(parts: SettingsParts): Promise<EffectiveModelSettings> {
  const { env, home, user, models } = parts;
  const { environmentAliases, environmentModel, modelAliases, modelVariable } = await import('@rondo/providers');
  const underProgram = mergeModelSettings(user.models, { aliases: environmentAliases(env) });
  const settings = mergeModelSettings(underProgram, models);
  const byVariable = environmentModel(env, Object.keys(modelAliases(settings, env)));
  if (byVariable !== undefined) return { settings, model: byVariable, namedBy: modelVariable };
  if (user.model !== undefined) return { settings, model: user.model, namedBy: userSettingsFile(home) };
  return { settings, model: 'default' };
}
