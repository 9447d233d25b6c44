import {
  aliasVariables,
  catalogDate,
  catalogModelNames,
  changedBaseUrl,
  environmentAliases,
  findModel,
  isLoopbackUrl,
  keyVariable,
  knownFacts,
  modelAliases,
  type ModelFacts,
  type ModelSettings,
  providerVariables,
  shownUrl,
} from '@rondo/providers';
import type { HostedServer, LocalServer } from '@rondo/providers/openai-compatible';
import type { EffectiveModelSettings } from '@rondo/sdk';

export interface ModelReport extends ModelFacts {
  /** As `--model` takes it. */
  readonly name: string;
}

export interface ProviderReport {
  readonly name: string;
  readonly keyVariables: readonly string[];
  /** The one of them that is set; null when none is. */
  readonly keyFrom: string | null;
  /** False where a server on this machine stands in for the vendor. */
  readonly needsKey: boolean;
  /** Absent where the vendor's own is used. */
  readonly baseUrl?: { readonly variable: string; readonly value: string };
  readonly models: readonly ModelReport[];
}

export interface ServerReport {
  readonly name: string;
  readonly baseUrl: string;
  readonly kind?: string;
  readonly keyVariable?: string;
  readonly keyIsSet?: boolean;
  /** What stands before the model's ID in `--model`. */
  readonly prefix: string;
}

export interface AliasReport {
  readonly alias: string;
  readonly meaning: string;
  /** The resolved name; null for one that means no model, with the reason. */
  readonly model: string | null;
  readonly problem?: string;
  /** `built in`, a variable, or `settings`. */
  readonly from: string;
}

/** What `rondo models --json` prints. Prices are US dollars a million tokens. */
export interface ModelsReport {
  readonly catalogDate: string;
  /** What runs when nobody names a model. */
  readonly default: AliasReport;
  readonly providers: readonly ProviderReport[];
  readonly servers: readonly ServerReport[];
  readonly localServers: readonly LocalServer[];
  readonly aliases: readonly AliasReport[];
}

export interface DescribeOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly effective: EffectiveModelSettings;
  readonly found: readonly LocalServer[];
  /** Vendors' servers that nobody needs to configure. */
  readonly hosted: readonly HostedServer[];
  /** Only what has this in its name. */
  readonly filter: string;
}

export function describeModels({ env, effective, found, hosted, filter }: DescribeOptions): ModelsReport {
  const { settings, model, namedBy } = effective;
  const wanted = (...names: readonly string[]): boolean =>
    names.some((name) => name.toLowerCase().includes(filter.toLowerCase()));
  const aliases = Object.entries(modelAliases(settings, env)).map(([alias, meaning]) =>
    describeAlias(alias, meaning, { env, settings }),
  );
  return {
    catalogDate,
    default: {
      ...describeAlias(model, model, { env, settings }),
      ...(namedBy !== undefined && { from: namedBy }),
    },
    providers: providerNames(settings)
      .map((provider) => describeProvider(provider, { env, settings, wanted }))
      .filter(({ models }) => filter === '' || models.length > 0),
    servers: describeServers(settings, { env, hosted }).filter(({ name, prefix }) => wanted(name, prefix)),
    localServers: found
      .map((server) => ({ ...server, models: server.models.filter(({ id, name = id }) => wanted(name, server.title)) }))
      .filter(({ models }) => models.length > 0),
    aliases: aliases.filter((alias) => wanted(alias.alias, alias.model ?? '')),
  };
}

interface Described {
  readonly env: DescribeOptions['env'];
  readonly settings: ModelSettings;
}

function describeAlias(alias: string, meaning: string, { env, settings }: Described): AliasReport {
  const from = Object.hasOwn(settings.aliases ?? {}, alias)
    ? (variableOf(alias, meaning, env) ?? 'settings')
    : 'built in';
  try {
    const found = findModel(alias, { env, settings });
    return { alias, meaning, model: `${found.provider}/${found.model}`, from };
  } catch (error) {
    return { alias, meaning, model: null, problem: error instanceof Error ? error.message : String(error), from };
  }
}

function variableOf(alias: string, meaning: string, env: DescribeOptions['env']): string | undefined {
  if (environmentAliases(env)[alias] !== meaning) return undefined;
  return aliasVariables[alias]?.find((name) => env[name]?.trim());
}

/** The vendors, then whatever else facts are configured for. */
function providerNames({ facts = {} }: ModelSettings): readonly string[] {
  const configured = Object.keys(facts).map((name) => name.slice(0, name.indexOf('/')));
  return [...new Set([...Object.keys(providerVariables), ...configured])];
}

function describeProvider(
  provider: string,
  { env, settings, wanted }: Described & { readonly wanted: (name: string) => boolean },
): ProviderReport {
  const variables = Object.hasOwn(providerVariables, provider) ? providerVariables[provider] : undefined;
  const baseUrl = changedBaseUrl(provider, env);
  const names = [...new Set([...catalogModelNames(), ...Object.keys(settings.facts ?? {})])];
  return {
    name: provider,
    keyVariables: variables === undefined ? [] : [...new Set([variables.usualKey, ...variables.keys])],
    keyFrom: keyVariable(provider, env) ?? null,
    needsKey: variables !== undefined && !isLoopbackUrl(baseUrl ?? ''),
    ...(baseUrl !== undefined && variables && { baseUrl: { variable: variables.baseUrl, value: baseUrl } }),
    models: names
      .filter((name) => name.startsWith(`${provider}/`) && wanted(name))
      .map((name) => ({ name, ...knownFacts(name, settings) })),
  };
}

function describeServers(
  { servers = {} }: ModelSettings,
  { env, hosted }: Pick<DescribeOptions, 'env' | 'hosted'>,
): ServerReport[] {
  const configured = Object.entries(servers).map(([name, { baseUrl, kind, apiKeyVariable }]) => ({
    name,
    baseUrl: shownUrl(baseUrl),
    prefix: `openai-compatible/${name}/`,
    ...(kind !== undefined && { kind }),
    ...(apiKeyVariable !== undefined && keyOf(apiKeyVariable, env)),
  }));
  const ofVendors = hosted
    .filter(({ name }) => !Object.hasOwn(servers, name))
    .map(({ name, baseUrl, keyVariable: variable }) => ({
      name,
      baseUrl,
      prefix: `openai-compatible/${name}/`,
      ...keyOf(variable, env),
    }));
  const address = env['OPENAI_COMPATIBLE_BASE_URL']?.trim();
  if (!address) return [...configured, ...ofVendors];
  const named = {
    name: 'OPENAI_COMPATIBLE_BASE_URL',
    baseUrl: shownUrl(address),
    prefix: 'openai-compatible/',
    ...keyOf('OPENAI_COMPATIBLE_API_KEY', env),
  };
  return [...configured, named, ...ofVendors];
}

function keyOf(keyVariableName: string, env: DescribeOptions['env']) {
  return { keyVariable: keyVariableName, keyIsSet: Boolean(env[keyVariableName]?.trim()) };
}
