import { nearestNames, RondoError } from '@rondo/protocol/values';
import type { Model } from '@rondo/runtime';
import type { Environment } from './environment.ts';
import { catalogModelNames, defaultAliases } from './catalog/model-catalog.ts';
import { knownProviders, readModelName, type ModelName } from './model-name.ts';
import type { ModelSettings } from './model-settings.ts';

/** Where a model comes from and what is configured about it. */
export interface ModelContext {
  /** Where keys, base URLs, proxies and timeouts come from. */
  readonly env: Environment;
  readonly settings: ModelSettings;
  /** The folder that relative paths of `scripted/` and `replay/` are under; the process's own when not given. */
  readonly cwd?: string;
  /** The folder with the sessions that `replay/` answers from. */
  readonly home?: string;
}

/** Makes the model of a provider from what stands behind the slash. */
export type ModelFactory = (model: string, context: ModelContext) => Model | Promise<Model>;

export interface ResolveModelOptions extends Partial<ModelContext> {
  readonly env: Environment;
  /** Further providers, or others in place of ours, by name. */
  readonly providers?: Readonly<Record<string, ModelFactory>>;
}

/**
 * The model that a name means, with its key from the environment. An adapter is loaded when it is first named. Throws
 * `model.unknown` with candidates for a name that fits nothing, `model.key_missing` where the key is not set.
 */
export async function resolveModel(name: string, options: ResolveModelOptions): Promise<Model> {
  const { settings = {} } = options;
  const aliases = { ...defaultAliases, ...settings.aliases };
  const providers = Object.keys(options.providers ?? {});
  const found = readModelName(name, { aliases, providers, defaultProvider: settings.defaultProvider });
  if (found === undefined) throw unknownName(name, Object.keys(aliases));
  const factory = factoryOf(found, options);
  if (factory === undefined) throw unavailable(found, [...Object.keys(builtIn), ...providers]);
  return factory(found.model, { ...options, settings });
}

const builtIn: Readonly<Record<string, ModelFactory>> = {
  async anthropic(model, { env }) {
    const { anthropicModelFromEnvironment } = await import('./anthropic/anthropic-model-from-environment.ts');
    return anthropicModelFromEnvironment(model, env);
  },
};

function factoryOf({ provider }: ModelName, { providers = {} }: ResolveModelOptions): ModelFactory | undefined {
  if (Object.hasOwn(providers, provider)) return providers[provider];
  return Object.hasOwn(builtIn, provider) ? builtIn[provider] : undefined;
}

function unknownName(name: string, aliases: readonly string[]): RondoError {
  const names = catalogModelNames();
  const bare = names.map((known) => known.slice(known.indexOf('/') + 1));
  const candidates = nearestNames(name, [...aliases, ...bare, ...names]);
  const hint = candidates.length > 0 ? ` Did you mean ${candidates.join(', ')}?` : '';
  return new RondoError(
    'model.unknown',
    `No model is called ${JSON.stringify(name)}.${hint} A name is provider/model, with one of the providers ${knownProviders.join(', ')}, or a short name: ${aliases.join(', ')}.`,
    { details: { name, candidates } },
  );
}

function unavailable({ provider, model }: ModelName, available: readonly string[]): RondoError {
  return new RondoError(
    'model.unknown',
    `This version cannot reach the provider ${provider} (for ${JSON.stringify(model)}). Available are: ${available.join(', ')}.`,
    { details: { provider, model, available } },
  );
}
