import type { Model, ModelInput, ModelLimits, ModelPrice } from '@rondo/runtime';
import { limitsOf } from '../apply-facts.ts';
import { checkKey, passwordsOf, readBaseUrl } from '../dialect/base-url.ts';
import { streamReply } from '../dialect/stream-reply.ts';
import { postTimeouts, type ModelTimeouts } from '../dialect/timeouts.ts';
import type { Endpoint } from '../http/model-failure.ts';
import type { Network } from '../http/network.ts';
import { countTokens } from './count-tokens.ts';
import { openaiDialect } from './dialect.ts';
import { encodeRequest } from './encode-request.ts';
import { openaiFacts } from './model-facts.ts';

export interface OpenAIModelOptions {
  /** The model's ID. */
  readonly model: string;
  /** Sent as a bearer token. */
  readonly apiKey?: string;
  /** Where the key comes from, for messages to people. */
  readonly keySource?: string;
  /** `https://api.openai.com/v1` when not given; `/responses` is added to it. */
  readonly baseUrl?: string;
  readonly baseUrlSource?: string;
  /** Whom a request is billed to, where the key has a choice. */
  readonly organization?: string;
  readonly project?: string;
  readonly timeouts?: ModelTimeouts;
  /** Proxies and certificates on the way there. */
  readonly network?: Network | undefined;
  /** In place of what the catalog knows. */
  readonly limits?: ModelLimits;
  readonly price?: ModelPrice;
  readonly input?: ModelInput;
}

const defaultBaseUrl = 'https://api.openai.com/v1';

/** A model behind the OpenAI Responses API, or a server that speaks it. Sends its request when `stream` is called. */
export function createOpenAIModel(options: OpenAIModelOptions): Model {
  const { model, apiKey, keySource = 'the apiKey option' } = options;
  if (apiKey !== undefined) checkKey(apiKey, keySource);
  const facts = openaiFacts(model);
  const url = responsesUrl(options);
  const keys = apiKey === undefined ? [] : [apiKey];
  const secrets = [...new Set([...keys, ...passwordsOf(url), ...(options.network?.secrets ?? [])])];
  const endpoint: Endpoint = {
    vendor: 'OpenAI',
    url,
    keySource,
    sendsNoKey: apiKey === undefined && url.password === '',
    baseUrlSource: options.baseUrlSource ?? 'the baseUrl option',
    secrets,
    network: options.network,
  };
  const limits: ModelLimits = { ...limitsOf(facts), ...options.limits };
  const price = options.price ?? facts.price;
  const input = options.input ?? facts.input;
  const encoding = { model, facts };
  const sending = {
    dialect: openaiDialect,
    endpoint,
    headers: headersOf(options),
    timeouts: postTimeouts(options.timeouts ?? {}),
  };
  return {
    name: `openai/${model}`,
    limits,
    ...(price && { price }),
    ...(input && { input }),
    keySource,
    secrets,
    stream: (request, { signal }) =>
      streamReply({ ...sending, signal, encode: () => encodeRequest(request, encoding) }),
    countTokens: (request, { signal }) => countTokens(request, { ...sending, signal, encoding }),
  };
}

/** A base URL without a path is taken to mean the usual one. */
function responsesUrl({ baseUrl = defaultBaseUrl, baseUrlSource = 'the baseUrl option' }: OpenAIModelOptions): URL {
  const url = readBaseUrl({ baseUrl, source: baseUrlSource, example: defaultBaseUrl });
  const path = url.pathname.replace(/\/+$/, '').replace(/\/responses$/, '');
  url.pathname = `${path === '' ? '/v1' : path}/responses`;
  return url;
}

function headersOf({ apiKey, organization, project }: OpenAIModelOptions): Readonly<Record<string, string>> {
  return {
    ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
    ...(organization !== undefined && { 'openai-organization': organization }),
    ...(project !== undefined && { 'openai-project': project }),
    'content-type': 'application/json',
    accept: 'text/event-stream',
    'user-agent': 'rondo',
  };
}
