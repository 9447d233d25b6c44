import type { JsonObject } from '@rondo/protocol';
import type { Model, ModelLimits, ModelPrice, ModelRequest } from '@rondo/runtime';
import { checkKey, passwordsOf, readBaseUrl } from '../dialect/base-url.ts';
import { streamReply } from '../dialect/stream-reply.ts';
import { postTimeouts, type ModelTimeouts } from '../dialect/timeouts.ts';
import { secretHeaderValues } from '../dialect/secret-headers.ts';
import type { Endpoint } from '../http/model-failure.ts';
import type { Network } from '../http/network.ts';
import { countTokens } from './count-tokens.ts';
import { bringsKey } from './custom-headers.ts';
import { createMessageEncoder } from './encode-message.ts';
import { encodeRequest, type EncodeOptions } from './encode-request.ts';
import { anthropicFacts, thinksAdaptively } from './model-facts.ts';
import { anthropicDialect } from './dialect.ts';

export interface AnthropicModelOptions {
  /** The model's ID. A `[1m]` at its end asks for the window of a million tokens. */
  readonly model: string;
  /** Sent as `x-api-key`. */
  readonly apiKey?: string;
  /** Sent as a bearer token; counts when both are given. */
  readonly authToken?: string;
  /** Where the key comes from, for messages to people. */
  readonly keySource?: string;
  /** `https://api.anthropic.com` when not given; `/v1/messages` is added to it. */
  readonly baseUrl?: string;
  readonly baseUrlSource?: string;
  readonly timeouts?: ModelTimeouts;
  /** Proxies and certificates on the way there. */
  readonly network?: Network | undefined;
  /** Names for the `anthropic-beta` header. */
  readonly betas?: readonly string[];
  /** Further headers, which count for more than ours. Their values are secrets. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Asks the model to cite the documents it is given. */
  readonly citations?: boolean;
  /** Tools that run on the vendor's side, as its API names them, e.g. `{ type: 'web_search_20250305', name: 'web_search' }`. */
  readonly serverTools?: readonly JsonObject[];
  /** In place of what the catalog knows. */
  readonly limits?: ModelLimits;
  readonly price?: ModelPrice;
}

const vendorHost = 'api.anthropic.com';
const defaultBaseUrl = `https://${vendorHost}`;
/** Lets a request say what becomes of thinking that no longer fits what stands before it. */
const bindingBeta = 'thinking-binding-controls-2026-08-01';
/** Lets a request say how many tokens there are for its whole task. */
const budgetBeta = 'task-budgets-2026-03-13';
const leastTaskBudget = 20_000;
const longWindow = { suffix: '[1m]', beta: 'context-1m-2025-08-07', tokens: 1_000_000 };

/** A model behind the Anthropic Messages API, or a server that speaks it. Sends its request when `stream` is called. */
export function createAnthropicModel(options: AnthropicModelOptions): Model {
  const asksLongWindow = options.model.toLowerCase().endsWith(longWindow.suffix);
  const id = asksLongWindow ? options.model.slice(0, -longWindow.suffix.length) : options.model;
  const catalog = anthropicFacts(id);
  const url = messagesUrl(options);
  const keySource = options.keySource ?? 'the apiKey option';
  const secrets = secretsOf(options, url);
  const endpoint: Endpoint = {
    vendor: 'Anthropic',
    url,
    keySource,
    sendsNoKey: sendsNoKey(options, url),
    baseUrlSource: options.baseUrlSource ?? 'the baseUrl option',
    secrets,
    network: options.network,
  };
  const needsBeta = asksLongWindow && catalog.contextWindow < longWindow.tokens;
  const { betas = [] } = options;
  // A gateway may refuse a beta that it does not know, so it is sent there only if it was named.
  const controlsBinding =
    catalog.boundThinking === true && (url.hostname === vendorHost || betas.includes(bindingBeta));
  const countsBudget = catalog.taskBudget === true && (url.hostname === vendorHost || betas.includes(budgetBeta));
  const ownBetas = [
    ...betas,
    ...(controlsBinding && !betas.includes(bindingBeta) ? [bindingBeta] : []),
    ...(needsBeta ? [longWindow.beta] : []),
  ];
  const headers = headersOf(options, ownBetas);
  const budgetHeaders = headersOf(options, [...new Set([...ownBetas, budgetBeta])]);
  const headersFor = ({ taskBudget }: ModelRequest): typeof headers =>
    taskBudget === undefined ? headers : budgetHeaders;
  const timeouts = postTimeouts(options.timeouts ?? {});
  const limits: ModelLimits = {
    contextWindow: asksLongWindow ? longWindow.tokens : catalog.contextWindow,
    maxOutputTokens: catalog.maxOutputTokens,
    ...options.limits,
  };
  const price = options.price ?? catalog.price;
  const { citations = false } = options;
  const encoding: EncodeOptions = {
    model: id,
    // Citations stand between pieces of text, which no schema foresees: the API refuses both at once.
    catalog: citations ? { ...catalog, outputFormat: false } : catalog,
    maxOutputTokens: limits.maxOutputTokens ?? catalog.maxOutputTokens,
    encoder: createMessageEncoder({ citations }),
    serverTools: options.serverTools ?? [],
    dropsMovedThinking: controlsBinding,
  };
  const sending = { dialect: anthropicDialect, headers, timeouts };
  return {
    name: `anthropic/${options.model}`,
    limits,
    ...(price && { price }),
    input: catalog.input,
    ...(countsBudget && { leastTaskBudget }),
    thinksAdaptively: thinksAdaptively(id, catalog),
    keySource,
    secrets,
    stream: (request, { signal }) =>
      streamReply({
        ...sending,
        headers: headersFor(request),
        endpoint,
        signal,
        encode: () => encodeRequest(request, encoding),
      }),
    countTokens: (request, { signal }) =>
      countTokens(request, { ...sending, headers: headersFor(request), endpoint, signal, encoding }),
  };
}

function messagesUrl({ baseUrl = defaultBaseUrl, baseUrlSource = 'the baseUrl option' }: AnthropicModelOptions): URL {
  const url = readBaseUrl({ baseUrl, source: baseUrlSource, example: defaultBaseUrl });
  url.pathname = `${url.pathname.replace(/\/+$/, '').replace(/\/v1(\/messages)?$/, '')}/v1/messages`;
  return url;
}

function headersOf(options: AnthropicModelOptions, betas: readonly string[]): Readonly<Record<string, string>> {
  const { apiKey, authToken, keySource = 'the apiKey option' } = options;
  for (const value of [apiKey, authToken]) if (value !== undefined) checkKey(value, keySource);
  const own = lowerCase(options.headers ?? {});
  const beta = [...betas, ...(own['anthropic-beta'] === undefined ? [] : [own['anthropic-beta']])];
  return {
    ...(authToken !== undefined
      ? { authorization: `Bearer ${authToken}` }
      : apiKey !== undefined
        ? { 'x-api-key': apiKey }
        : {}),
    'anthropic-version': '2023-06-01',
    'content-type': 'application/json',
    accept: 'text/event-stream',
    'user-agent': 'rondo',
    ...own,
    ...(beta.length > 0 && { 'anthropic-beta': beta.join(',') }),
  };
}

function lowerCase(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

function sendsNoKey({ apiKey, authToken, headers = {} }: AnthropicModelOptions, url: URL): boolean {
  return apiKey === undefined && authToken === undefined && !bringsKey(headers) && url.password === '';
}

/** Keys, and what headers and a base URL carry of the kind. */
function secretsOf({ apiKey, authToken, headers = {}, network }: AnthropicModelOptions, url: URL): readonly string[] {
  const keys = [apiKey, authToken].filter((value) => value !== undefined && value !== '');
  const found = [...keys, ...secretHeaderValues(headers), ...passwordsOf(url), ...(network?.secrets ?? [])];
  return [...new Set(found as readonly string[])];
}
