import type { Model } from '@rondo/runtime';
import { configuredModels } from '../settings/configured-models.ts';
import type { CountedSettings } from '../settings/counted-settings.ts';
import { providerSecrets, type Environment } from './command-environment.ts';
import { keyHelperOf, withKeyOf } from './key-helper.ts';
import { configuredKeyVariables, loadModel, type LoadModelOptions, takesAnthropicKey } from './load-model.ts';
import type { OpeningMoment } from './opening-moment.ts';
import type { Options } from './options.ts';

export interface ModelAccessOptions {
  readonly options: Pick<Options, 'betas' | 'classifierModel' | 'models'>;
  readonly counted: CountedSettings;
  /** The process's own environment. */
  readonly env: Environment;
  readonly home: string;
  readonly cwd: string;
  /** The session's model, as it was named. */
  readonly named: string | Model | undefined;
  /** Shared with the sessions that open right now. */
  readonly moment?: OpeningMoment | undefined;
}

/** What a session's models are understood and paid by. */
export interface ModelAccess {
  /** The process's environment, with the variables of the settings and, where the session's model takes it, a helper's key. */
  readonly env: Environment;
  readonly parts: LoadModelOptions;
  /** Whether settings name a program that prints a key. */
  readonly hasKeyHelper: boolean;
  /** Variables that settings name for keys, whatever they are called. */
  readonly keyVariables: readonly string[];
  /** What nothing stored or shown may hold. */
  readonly secrets: readonly string[];
  /** A model by its name, with the environment of the session's own. */
  load(name: string | Model | undefined): Promise<Model>;
  /** A model that another vendor's key may pay for: a helper is asked where it takes its key. */
  loadOther(name: string): Promise<Model>;
}

/** @throws RondoError `model.key_missing` when the settings' helper is needed and prints no key. */
export async function modelAccess(access: ModelAccessOptions): Promise<ModelAccess> {
  const { options, counted, home, cwd, named } = access;
  const { models } = options;
  const own = environmentNow(access);
  const variables = counted.settings.env;
  const given = variables === undefined ? own : { ...own, ...variables };
  const user = configuredModels(counted);
  const unhelped = { env: given, user, models, cwd, home, betas: options.betas };
  const helper = keyHelperOf(counted, cwd);
  const withHelp = async (name: string | Model | undefined, env: Environment): Promise<Environment> =>
    helper !== undefined && (await takesAnthropicKey(name, unhelped)) ? await withKeyOf(helper, given) : env;
  const env = await withHelp(named, given);
  const parts = { ...unhelped, env };
  const keyVariables = configuredKeyVariables(user.models, models);
  return {
    env,
    parts,
    keyVariables,
    hasKeyHelper: helper !== undefined,
    secrets: [...providerSecrets(env, keyVariables), ...secretsOf(options.classifierModel)],
    load: (name) => loadModel(name, parts),
    loadOther: async (name) => await loadModel(name, { ...parts, env: await withHelp(name, env) }),
  };
}

/** A copy, since variables may change. One of the process asks the system for each: sessions that open right now share it. */
function environmentNow({ env, moment }: ModelAccessOptions): Environment {
  const copy = (): Environment => ({ ...env });
  return env === process.env && moment !== undefined ? moment.once('environment', copy) : copy();
}

function secretsOf(model: Options['classifierModel']): readonly string[] {
  return typeof model === 'object' ? (model.secrets ?? []) : [];
}
