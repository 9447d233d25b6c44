import { nearestNames, RondoError } from '@rondo/protocol/values';
import type { Model } from '@rondo/runtime';
import type { Environment } from './anthropic/environment.ts';
import { anthropicAliases, catalogModelIds } from './anthropic/model-catalog.ts';
import { knownProviders, readModelName, type ModelName } from './model-name.ts';

/** Makes the model of a provider from what stands behind the slash. */
export type ModelFactory = (model: string, env: Environment) => Model | Promise<Model>;

export interface ResolveModelOptions {
  /** Where keys, base URLs and timeouts come from. */
  readonly env: Environment;
  /** Takes the names that say nothing about their provider. */
  readonly defaultProvider?: string;
  /** In place of the default short names, which are Anthropic's current models. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** Further providers, or others in place of ours, by name. */
  readonly providers?: Readonly<Record<string, ModelFactory>>;
}

/**
 * The model that a name means, with its key from the environment. An adapter is loaded when it is first named. Throws
 * `model.unknown` with candidates for a name that fits nothing, `model.key_missing` where the key is not set.
 */
export async function resolveModel(name: string, options: ResolveModelOptions): Promise<Model> {
  const aliases = options.aliases ?? anthropicAliases;
  const providers = Object.keys(options.providers ?? {});
  const found = readModelName(name, { aliases, providers, defaultProvider: options.defaultProvider });
  if (found === undefined) throw unknownName(name, Object.keys(aliases));
  const factory = factoryOf(found, options);
  if (factory === undefined) throw unavailable(found, [...Object.keys(builtIn), ...providers]);
  return factory(found.model, options.env);
}

const builtIn: Readonly<Record<string, ModelFactory>> = {
  async anthropic(model, env) {
    const { anthropicModelFromEnvironment } = await import('./anthropic/anthropic-model-from-environment.ts');
    return anthropicModelFromEnvironment(model, env);
  },
};

function factoryOf({ provider }: ModelName, { providers = {} }: ResolveModelOptions): ModelFactory | undefined {
  if (Object.hasOwn(providers, provider)) return providers[provider];
  return Object.hasOwn(builtIn, provider) ? builtIn[provider] : undefined;
}

function unknownName(name: string, aliases: readonly string[]): RondoError {
  const ids = catalogModelIds();
  const candidates = nearestNames(name, [...aliases, ...ids, ...ids.map((id) => `anthropic/${id}`)]);
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
