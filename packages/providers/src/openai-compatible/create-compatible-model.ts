import type { Model, ModelInput, ModelLimits, ModelPrice } from '@rondo/runtime';
import { checkKey, passwordsOf, readBaseUrl } from '../dialect/base-url.ts';
import { secretHeaderValues } from '../dialect/secret-headers.ts';
import { streamReply } from '../dialect/stream-reply.ts';
import { postTimeouts, type ModelTimeouts } from '../dialect/timeouts.ts';
import type { Endpoint } from '../http/model-failure.ts';
import { isLoopbackUrl } from '../provider-variables.ts';
import type { Network } from '../http/network.ts';
import { createCompatibleDialect } from './dialect.ts';
import { createMessageEncoder } from './encode-message.ts';
import { encodeRequest } from './encode-request.ts';
import { localPatienceMs, serverKindAt, serverQuirks, type ServerQuirks } from './server-quirks.ts';

export interface CompatibleModelOptions {
  /** The model's ID on the server. */
  readonly model: string;
  /** Ends in `/v1` with most servers; `/chat/completions` is added to it. The usual one of its kind when not given. */
  readonly baseUrl?: string;
  readonly baseUrlSource?: string;
  /** Which server it is, for its quirks: `ollama`, `vllm`, … Found by the base URL, else by `server`, when not given. */
  readonly kind?: string;
  /** What the server is called in the model's name, `openai-compatible/SERVER/MODEL`. None: `openai-compatible/MODEL`. */
  readonly server?: string;
  /** Sent as a bearer token. */
  readonly apiKey?: string;
  /** Where the key comes from, for messages to people. */
  readonly keySource?: string;
  /** Further headers, which count for more than ours. What looks like a secret among them is kept like one. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeouts?: ModelTimeouts;
  /** Proxies and certificates on the way there. */
  readonly network?: Network | undefined;
  readonly limits?: ModelLimits;
  readonly price?: ModelPrice;
  /** What the model takes beside text, in place of what is known of its family. */
  readonly input?: ModelInput;
}

const exampleUrl = 'http://127.0.0.1:8000/v1';

/**
 * A model behind a server that speaks OpenAI's chat completions. Sends its request when `stream` is called. Nothing is
 * known of such a model but what is said here: no window, no price.
 */
export function createCompatibleModel(options: CompatibleModelOptions): Model {
  const { model, server, apiKey } = options;
  const keySource = options.keySource ?? 'the apiKey option';
  const source = options.baseUrlSource ?? 'the baseUrl option';
  const baseUrl = options.baseUrl ?? serverQuirks(options.kind).baseUrl ?? '';
  const url = readBaseUrl({ baseUrl, source, example: exampleUrl });
  const known = serverQuirks(options.kind ?? serverKindAt(url) ?? server, model);
  const quirks = { ...known, images: options.input?.images ?? known.images };
  url.pathname = `${url.pathname.replace(/(\/chat\/completions)?\/*$/, '')}/chat/completions`;
  if (apiKey !== undefined) checkKey(apiKey, keySource);
  const keys = [...(apiKey === undefined ? [] : [apiKey]), ...secretHeaderValues(options.headers ?? {})];
  const secrets = [...keys, ...passwordsOf(url), ...(options.network?.secrets ?? [])];
  const endpoint: Endpoint = {
    vendor:
      quirks.title === serverQuirks(undefined).title && server !== undefined ? `The server ${server}` : quirks.title,
    url,
    keySource,
    sendsNoKey: keys.length === 0 && url.password === '',
    baseUrlSource: source,
    secrets,
    network: options.network,
  };
  const encoder = createMessageEncoder(quirks);
  const { maxOutputTokens } = options.limits ?? {};
  const sending = {
    dialect: createCompatibleDialect(quirks),
    endpoint,
    headers: headersOf(options),
    timeouts: postTimeouts({ ...patience(quirks, url), ...options.timeouts }),
  };
  return {
    name: server === undefined ? `openai-compatible/${model}` : `openai-compatible/${server}/${model}`,
    ...(options.limits && { limits: options.limits }),
    ...(options.price && { price: options.price }),
    input: { ...options.input, images: quirks.images },
    ...(apiKey !== undefined && { keySource }),
    secrets,
    stream: (request, { signal }) =>
      streamReply({
        ...sending,
        signal,
        encode: () => encodeRequest(request, { model, quirks, encoder, maxOutputTokens }),
      }),
  };
}

/** Whatever runs on this machine may be as slow as it is. */
function patience({ patienceMs }: ServerQuirks, url: URL): ModelTimeouts {
  const silence = patienceMs ?? (isLoopbackUrl(url.href) ? localPatienceMs : undefined);
  return silence === undefined ? {} : { headersMs: silence, idleMs: silence };
}

function headersOf({ apiKey, headers = {} }: CompatibleModelOptions): Readonly<Record<string, string>> {
  const own = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  return {
    ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
    'content-type': 'application/json',
    accept: 'text/event-stream',
    'user-agent': 'rondo',
    ...own,
  };
}
