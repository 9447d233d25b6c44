import { nearestNames, RondoError } from '@rondo/protocol/values';
import type { Model } from '@rondo/runtime';
import { applyFacts } from './apply-facts.ts';
import type { Environment } from './environment.ts';
import { environmentAliases } from './environment-models.ts';
import { catalogModelNames, defaultAliases } from './catalog/model-catalog.ts';
import type { ModelContext, ModelFactory } from './model-context.ts';
import { knownProviders, readModelName, type ModelName } from './model-name.ts';
import type { ModelSettings } from './model-settings.ts';

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
  const providers = Object.keys(options.providers ?? {});
  const found = findModel(name, options);
  const factory = await factoryOf(found, options);
  if (factory === undefined) throw unavailable(found, [...Object.keys(builtIn), ...providers]);
  return applyFacts(await factory(found.model, { ...options, settings }), settings);
}

/**
 * What the name means, without a look at its provider: nothing is loaded and no key is needed.
 * @throws RondoError `model.unknown`.
 */
export function findModel(name: string, options: ResolveModelOptions): ModelName {
  const { settings = {} } = options;
  const aliases = modelAliases(settings, options.env);
  const providers = Object.keys(options.providers ?? {});
  const found = readModelName(name, { aliases, providers, defaultProvider: settings.defaultProvider });
  if (found === undefined) throw unknownName(name, aliases);
  return found;
}

/** Every short name and what it means: as configured, else by the environment, else by default. */
export function modelAliases(settings: ModelSettings, env: Environment): Readonly<Record<string, string>> {
  return { ...defaultAliases, ...environmentAliases(env), ...settings.aliases };
}

/** Our own, each loaded once: an import that is asked for again goes all the way through the loader. */
const builtIn: Readonly<Record<string, () => Promise<ModelFactory>>> = {
  async anthropic() {
    const { anthropicModelFromEnvironment } = await import('./anthropic/anthropic-model-from-environment.ts');
    return (model, { env, betas = [] }) => anthropicModelFromEnvironment(model, env, { betas });
  },
  async openai() {
    const { openAIModelFromEnvironment } = await import('./openai/openai-model-from-environment.ts');
    return (model, { env }) => openAIModelFromEnvironment(model, env);
  },
  async 'openai-compatible'() {
    const { compatibleModelByName } = await import('./openai-compatible/compatible-model-by-name.ts');
    return compatibleModelByName;
  },
  async mistral() {
    const { mistralModelFromEnvironment } = await import('./mistral/mistral-model-from-environment.ts');
    return (model, { env }) => mistralModelFromEnvironment(model, env);
  },
  async google() {
    const { googleModelFromEnvironment } = await import('./google/google-model-from-environment.ts');
    return (model, { env }) => googleModelFromEnvironment(model, env);
  },
  async scripted() {
    const { scriptModelFromFile } = await import('./scripted/script-model-from-file.ts');
    return scriptModelFromFile;
  },
  async replay() {
    const { replayModelFromSession } = await import('./scripted/replay-model-from-session.ts');
    return replayModelFromSession;
  },
};

const loaded = new Map<string, Promise<ModelFactory>>();

function factoryOf(
  { provider }: ModelName,
  { providers = {} }: ResolveModelOptions,
): ModelFactory | Promise<ModelFactory> | undefined {
  if (Object.hasOwn(providers, provider)) return providers[provider];
  const load = Object.hasOwn(builtIn, provider) ? builtIn[provider] : undefined;
  if (load === undefined) return undefined;
  const factory = loaded.get(provider) ?? load();
  loaded.set(provider, factory);
  return factory;
}

function unknownName(name: string, aliases: Readonly<Record<string, string>>): RondoError {
  const meaning = lastMeaning(name, aliases);
  const candidates = candidatesFor(meaning, Object.keys(aliases)).filter((candidate) => candidate !== name);
  const through = meaning === name ? '' : `${JSON.stringify(name)} is a short name for ${JSON.stringify(meaning)}. `;
  const hint = candidates.length > 0 ? ` Did you mean ${candidates.join(', ')}?` : '';
  return new RondoError(
    'model.unknown',
    `${through}No model is called ${JSON.stringify(meaning)}.${hint} A name is provider/model, with one of the providers ${knownProviders.join(', ')}, or a short name: ${Object.keys(aliases).join(', ')}. rondo models lists them.`,
    { details: { name, candidates } },
  );
}

/** What a name that means no model was last taken for. */
function lastMeaning(name: string, aliases: Readonly<Record<string, string>>): string {
  const seen = new Set<string>();
  let meaning = name;
  while (Object.hasOwn(aliases, meaning) && !seen.has(meaning)) {
    seen.add(meaning);
    meaning = aliases[meaning]?.trim() ?? meaning;
  }
  return meaning;
}

/** The same model of a provider that is spelt nearly so comes first. */
function candidatesFor(name: string, aliases: readonly string[]): readonly string[] {
  const names = catalogModelNames();
  const bare = names.map((known) => known.slice(known.indexOf('/') + 1));
  const slash = name.indexOf('/');
  const providers = slash < 1 ? [] : nearestNames(name.slice(0, slash), knownProviders, 2);
  return [
    ...new Set([
      ...providers.map((provider) => `${provider}${name.slice(slash)}`),
      ...nearestNames(name, [...aliases, ...bare, ...names]),
    ]),
  ];
}

function unavailable({ provider, model }: ModelName, available: readonly string[]): RondoError {
  return new RondoError(
    'model.unknown',
    `This version cannot reach the provider ${provider} (for ${JSON.stringify(model)}). Available are: ${available.join(', ')}.`,
    { details: { provider, model, available } },
  );
}
