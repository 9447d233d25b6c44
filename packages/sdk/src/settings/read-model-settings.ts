import { resolve } from 'node:path';
import { resolveHome } from '@rondo/runtime/node';
import type { Environment } from '../options/command-environment.ts';
import type { Options } from '../options/options.ts';
import { configuredModels } from './configured-models.ts';
import { type CountedSettings, countSettings } from './counted-settings.ts';
import { type EffectiveModelSettings, effectiveModelSettings } from './get-model-settings.ts';
import { loadSettings } from './load-settings.ts';

/** What the options of a query and its settings say of models, as they are now. */
export interface OptionsModelSettings {
  readonly cwd: string;
  readonly counted: CountedSettings;
  /** With the variables of the settings. */
  readonly env: Environment;
  readonly effective: EffectiveModelSettings;
}

export async function readModelSettings(options: Options): Promise<OptionsModelSettings> {
  const { env: own = process.env, models, settingSources, settings: flag, managedSettings: managed } = options;
  const home = options.home === undefined ? resolveHome(own) : resolve(options.home);
  const cwd = resolve(options.cwd ?? process.cwd());
  const loaded = await loadSettings({ cwd, home, env: own, settingSources, flag, managed });
  const counted = await countSettings(loaded, { cwd, home, trusted: options.trustFolder });
  const env = { ...own, ...counted.settings.env };
  const effective = await effectiveModelSettings({ env, home, user: configuredModels(counted), models });
  return { cwd, counted, env, effective };
}
