import type { JsonObject, JsonValue } from '@rondo/protocol';
import { isCount, isJsonObject, stringOf } from '../dialect/json.ts';
import { getJson } from './get-json.ts';
import { serverKinds, serverQuirks } from './server-quirks.ts';

export interface FindLocalServersOptions {
  /** Ports of loopback to knock at; the usual ones of Ollama, LM Studio, llama.cpp and vLLM when not given. */
  readonly ports?: readonly number[];
  readonly signal?: AbortSignal;
  /** How long each question may take. 500 when not given. */
  readonly timeoutMs?: number;
}

export interface LocalModel {
  /** What the server calls it. */
  readonly id: string;
  /** For `--model`, where the server is on its usual port; any other needs an entry in the settings. */
  readonly name?: string;
  /** Tokens that the server gives it as it runs now. */
  readonly contextWindow?: number;
  /** Tokens that it could be given. */
  readonly maximumContextWindow?: number;
  /** In memory already. */
  readonly loaded?: boolean;
  /** Takes images. */
  readonly images?: boolean;
}

export interface LocalServer {
  /** Undefined for a server that speaks the wire and does not say what it is. */
  readonly kind?: string;
  /** For people. */
  readonly title: string;
  /** `http://127.0.0.1:PORT/v1`. */
  readonly baseUrl: string;
  readonly models: readonly LocalModel[];
}

/**
 * The servers that answer on this machine, with their models. Nothing but questions about models is sent, and nothing
 * is ever used because it was found: that is for a person to say.
 */
export async function findLocalServers(options: FindLocalServersOptions = {}): Promise<readonly LocalServer[]> {
  const { ports = usualPorts(), signal, timeoutMs = 500 } = options;
  const found = await Promise.all(
    ports.map((port) => {
      const ask = (path: string, body?: JsonObject): Promise<JsonObject | undefined> =>
        getJson(new URL(`http://127.0.0.1:${port}${path}`), { signal, timeoutMs, ...(body && { body }) });
      return examine(port, ask);
    }),
  );
  signal?.throwIfAborted();
  return found.filter((server) => server !== undefined);
}

function usualPorts(): readonly number[] {
  return serverKinds.flatMap((kind) => serverQuirks(kind).port ?? []);
}

type Ask = (path: string, body?: JsonObject) => Promise<JsonObject | undefined>;
type Described = Omit<LocalModel, 'name'>;

async function examine(port: number, ask: Ask): Promise<LocalServer | undefined> {
  const listed = objectsIn((await ask('/v1/models'))?.['data']);
  if (listed === undefined) return undefined;
  const { kind, models } = await describe(listed, ask);
  const usual = kind !== undefined && serverQuirks(kind).port === port;
  return {
    ...(kind !== undefined && { kind }),
    title: kind === undefined ? `A server on port ${port}` : serverQuirks(kind).title,
    baseUrl: `http://127.0.0.1:${port}/v1`,
    models: models.map((model) => ({ ...model, ...(usual && { name: `openai-compatible/${kind}/${model.id}` }) })),
  };
}

interface Description {
  readonly kind: string | undefined;
  readonly models: readonly Described[];
}

/** Kinds are told apart by whom they name as a model's owner, else by which of their own paths answer. */
async function describe(listed: readonly JsonObject[], ask: Ask): Promise<Description> {
  const owner = stringOf(listed[0]?.['owned_by']);
  if (owner === 'vllm') return { kind: 'vllm', models: listed.map(withMaximum) };
  if (owner === 'llamacpp') return { kind: 'llamacpp', models: await describeLlamaCpp(listed, ask) };
  const [studio, running] = await Promise.all([ask('/api/v0/models'), ask('/api/ps')]);
  const ofStudio = objectsIn(studio?.['data']);
  if (ofStudio !== undefined) return { kind: 'lmstudio', models: describeLmStudio(ofStudio) };
  const ofOllama = objectsIn(running?.['models']);
  if (ofOllama !== undefined) return { kind: 'ollama', models: await describeOllama(listed, ofOllama, ask) };
  return { kind: undefined, models: listed.map(withMaximum) };
}

function withMaximum(model: JsonObject): Described {
  return { id: stringOf(model['id']), ...tokens('contextWindow', model['max_model_len']) };
}

async function describeLlamaCpp(listed: readonly JsonObject[], ask: Ask): Promise<Described[]> {
  const properties = (await ask('/props')) ?? {};
  const generation = properties['default_generation_settings'];
  const modalities = properties['modalities'];
  const images = isJsonObject(modalities) ? modalities['vision'] : undefined;
  return listed.map((model) => ({
    id: stringOf(model['id']),
    ...tokens('contextWindow', isJsonObject(generation) ? generation['n_ctx'] : undefined),
    ...tokens('maximumContextWindow', isJsonObject(model['meta']) ? model['meta']['n_ctx_train'] : undefined),
    ...(typeof images === 'boolean' && { images }),
  }));
}

function describeLmStudio(models: readonly JsonObject[]): Described[] {
  return models.flatMap((model) => {
    if (model['type'] === 'embeddings') return [];
    return {
      id: stringOf(model['id']),
      ...tokens('contextWindow', model['loaded_context_length']),
      ...tokens('maximumContextWindow', model['max_context_length']),
      loaded: model['state'] === 'loaded',
      images: model['type'] === 'vlm',
    };
  });
}

async function describeOllama(
  listed: readonly JsonObject[],
  running: readonly JsonObject[],
  ask: Ask,
): Promise<Described[]> {
  const described = await Promise.all(
    listed.map(async (model): Promise<Described[]> => {
      const id = stringOf(model['id']);
      const shown = (await ask('/api/show', { model: id })) ?? {};
      const abilities: readonly JsonValue[] | undefined = Array.isArray(shown['capabilities'])
        ? shown['capabilities']
        : undefined;
      if (abilities?.includes('completion') === false) return [];
      const loaded = running.find((known) => known['name'] === id || known['model'] === id);
      return [
        {
          id,
          // What its file sets counts once it is loaded; the default depends on the machine and is not told.
          ...tokens('contextWindow', loaded?.['context_length'] ?? settingIn(shown['parameters'], 'num_ctx')),
          ...tokens('maximumContextWindow', architectureWindow(shown['model_info'])),
          loaded: loaded !== undefined,
          ...(abilities !== undefined && { images: abilities.includes('vision') }),
        },
      ];
    }),
  );
  return described.flat();
}

/** `"llama.context_length"`, with the name of the architecture before the dot. */
function architectureWindow(info: JsonValue | undefined): JsonValue | undefined {
  if (!isJsonObject(info)) return undefined;
  return Object.entries(info).find(([key]) => key.endsWith('.context_length'))?.[1];
}

/** A setting among lines of `name value`. */
function settingIn(lines: JsonValue | undefined, name: string): number | undefined {
  const found = new RegExp(`^${name}\\s+(\\d+)\\s*$`, 'm').exec(stringOf(lines))?.[1];
  return found === undefined ? undefined : Number(found);
}

function tokens(name: 'contextWindow' | 'maximumContextWindow', value: JsonValue | undefined): Partial<Described> {
  return isCount(value) && value > 0 ? { [name]: value } : {};
}

function objectsIn(value: JsonValue | undefined): readonly JsonObject[] | undefined {
  return Array.isArray(value) ? (value as readonly JsonValue[]).filter(isJsonObject) : undefined;
}
