import { nearestNames, RondoError } from '@rondo/protocol/values';
import type { Model } from '@rondo/runtime';
import { timeoutsFromEnvironment } from '../dialect/timeouts.ts';
import { readVariable } from '../environment.ts';
import { networkFromEnvironment } from '../http/network.ts';
import { isLoopbackUrl } from '../provider-variables.ts';
import type { ModelContext } from '../model-context.ts';
import { createCompatibleModel, type CompatibleModelOptions } from './create-compatible-model.ts';
import { isServerKind, namedServers, serverKinds, serverQuirks } from './server-quirks.ts';

const baseUrlVariable = 'OPENAI_COMPATIBLE_BASE_URL';
const keyVariable = 'OPENAI_COMPATIBLE_API_KEY';

/**
 * The model that stands behind `openai-compatible/`: `SERVER/MODEL`, where the server is one of the settings or a kind
 * that is known, on its usual address; or `MODEL` alone, on the server of `OPENAI_COMPATIBLE_BASE_URL`. A model's ID may
 * hold slashes. While that variable is set, what begins like a vendor's name is part of an ID, since many models' do.
 */
export function compatibleModelByName(name: string, context: ModelContext): Model {
  const { env, settings } = context;
  const slash = name.indexOf('/');
  const server = name.slice(0, Math.max(0, slash));
  const model = name.slice(slash + 1);
  const timeouts = timeoutsFromEnvironment(env);
  if (server !== '' && model !== '') {
    const configured = Object.hasOwn(settings.servers ?? {}, server) ? settings.servers?.[server] : undefined;
    if (configured !== undefined) return atConfigured({ ...configured, server, model, timeouts }, context);
    if (isNamedKind(server, context)) return atUsualAddress({ server, model, timeouts }, context);
  }
  const baseUrl = readVariable(env, baseUrlVariable);
  if (baseUrl === undefined) throw noServer(name, server, context);
  return create({ model: name, timeouts, baseUrl, baseUrlSource: baseUrlVariable }, keyVariable, context);
}

interface NamedModel {
  readonly server: string;
  readonly model: string;
  readonly timeouts: NonNullable<CompatibleModelOptions['timeouts']>;
}

function atConfigured(
  named: NamedModel & Pick<CompatibleModelOptions, 'kind' | 'headers'> & { baseUrl: string; apiKeyVariable?: string },
  context: ModelContext,
): Model {
  const { apiKeyVariable, kind, ...options } = named;
  if (kind !== undefined && !isServerKind(kind)) {
    throw new RondoError(
      'input.invalid',
      `models.servers.${named.server}.kind is ${JSON.stringify(kind)}: known are ${serverKinds.join(', ')}. Without it the server is taken as its base URL tells.`,
      { details: { kind, known: [...serverKinds] } },
    );
  }
  const baseUrlSource = `models.servers.${named.server}.baseUrl`;
  return create({ ...options, baseUrlSource, ...(kind !== undefined && { kind }) }, apiKeyVariable, context);
}

function atUsualAddress(named: NamedModel, context: ModelContext): Model {
  const { keyVariable: variable } = serverQuirks(named.server);
  const baseUrlSource = `models.servers.${named.server}.baseUrl`;
  return create({ ...named, kind: named.server, baseUrlSource }, variable, context);
}

/** With the key of the variable, which only a server on this machine may do without. */
function create(options: CompatibleModelOptions, variable: string | undefined, context: ModelContext): Model {
  const { env, settings } = context;
  const apiKey = variable === undefined ? undefined : readVariable(env, variable);
  const address = options.baseUrl ?? serverQuirks(options.kind).baseUrl ?? '';
  if (variable !== undefined && variable !== keyVariable && apiKey === undefined && !isLoopbackUrl(address))
    throw keyMissing(options, variable);
  const { facts = {} } = settings;
  const name = ['openai-compatible', options.server, options.model].filter((part) => part !== undefined).join('/');
  const { input } = (Object.hasOwn(facts, name) ? facts[name] : undefined) ?? {};
  return createCompatibleModel({
    ...options,
    network: networkFromEnvironment(env),
    keySource: variable ?? `models.servers.${options.server}.apiKeyVariable`,
    ...(apiKey !== undefined && { apiKey }),
    ...(input && { input }),
  });
}

/** A kind that serves on this machine always means that; one of a vendor does unless the environment names a server. */
function isNamedKind(server: string, { env }: ModelContext): boolean {
  if (!namedServers.includes(server)) return false;
  return serverQuirks(server).port !== undefined || readVariable(env, baseUrlVariable) === undefined;
}

function keyMissing({ server, model }: CompatibleModelOptions, variable: string): RondoError {
  return new RondoError(
    'model.key_missing',
    `No key for openai-compatible/${server}/${model}. Set ${variable}, or name a model of another provider, or try \`rondo demo\`, which needs no key.`,
    { details: { provider: 'openai-compatible', variables: [variable] } },
  );
}

function noServer(name: string, server: string, { settings }: ModelContext): RondoError {
  const configured = Object.keys(settings.servers ?? {});
  const servers = [...new Set([...configured, ...namedServers])];
  const candidates = server === '' ? [] : nearestNames(server, servers);
  const hint = candidates.length > 0 ? ` Did you mean ${candidates.join(', ')}?` : '';
  return new RondoError(
    'model.unknown',
    `openai-compatible/${name} names no server that is known.${hint} Write openai-compatible/SERVER/MODEL with one of ${servers.join(', ')}; or give the server a name and a baseUrl under models.servers of your settings; or set ${baseUrlVariable} and write openai-compatible/MODEL.`,
    { details: { name: `openai-compatible/${name}`, candidates } },
  );
}
