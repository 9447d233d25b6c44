import type { ModelSettings } from '@rondo/providers';
import { amount, type Check, kind, object, record, refuse, text, texts, wholeNumber } from './check-shape.ts';

/** What can stand left of the slash of a resolved name. */
const providers = ['anthropic', 'openai', 'mistral', 'google', 'openai-compatible', 'scripted', 'replay'];

const byVariable = (what: string): string =>
  `would keep a ${what} in settings; put it into an environment variable and name that one in apiKeyVariable`;

const secretHeaders = ['authorization', 'proxy-authorization', 'x-api-key', 'api-key', 'x-goog-api-key', 'cookie'];

const headers: Check = (value, where) => {
  record(text, (name, place) => {
    if (secretHeaders.includes(String(name).toLowerCase())) refuse(place, byVariable('key'));
  })(value, where);
};

const baseUrl: Check = (value, where) => {
  const url = typeof value === 'string' ? URL.parse(value) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    return refuse(where, 'takes an http or https URL, such as http://127.0.0.1:8000/v1');
  }
  if (url.password !== '') refuse(where, byVariable('password'));
};

const server = object(
  { baseUrl, kind: text, apiKeyVariable: variable(), headers },
  {
    required: ['baseUrl'],
    refused: Object.fromEntries(
      ['apiKey', 'api_key', 'key', 'token', 'authToken'].map((key) => [key, byVariable('key')]),
    ),
  },
);

const prices = { input: amount, output: amount, cacheRead: amount, cacheWrite: amount, cacheWriteOneHour: amount };
const requiredPrices = { required: ['input', 'output'] };
const longPrompt = object(
  { aboveTokens: wholeNumber, price: object(prices, requiredPrices) },
  { required: ['aboveTokens', 'price'] },
);

const facts = object({
  contextWindow: wholeNumber,
  maxOutputTokens: wholeNumber,
  price: object({ ...prices, longPrompt }, requiredPrices),
  input: object({
    images: texts,
    documents: texts,
    audio: texts,
    maxImages: amount,
    maxImageCharacters: wholeNumber,
    maxImageEdge: wholeNumber,
    manyImages: object({ above: amount, maxImageEdge: wholeNumber }, { required: ['above', 'maxImageEdge'] }),
    maxDocumentCharacters: wholeNumber,
    maxDocumentPages: wholeNumber,
    maxRequestCharacters: wholeNumber,
  }),
});

const modelSettings = object({
  defaultProvider: kind(`one of ${providers.slice(0, 5).join(', ')}, or openai-compatible/NAME`, isDefaultProvider),
  aliases: record(text, (alias, place) => {
    if (isQualified(alias)) refuse(place, 'is provider/model already; a short name has no provider');
  }),
  servers: record(server, (name, place) => {
    if (!/^[\w.-]+$/.test(String(name))) refuse(place, 'may hold letters, digits, dots, hyphens and underscores only');
  }),
  facts: record(facts, (name, place) => {
    if (!isQualified(name)) refuse(place, 'is no resolved name; write provider/model, as rondo models lists them');
  }),
});

/**
 * @param where what the settings are called in errors: `options.models`, or a file and its key.
 * @throws RondoError `input.invalid` naming the place, and the nearest key that there is.
 */
export function checkModelSettings(value: unknown, where: string): ModelSettings {
  modelSettings(value, where);
  return value as ModelSettings;
}

/** What stands in a name's place is not repeated: it may be the key itself. */
function variable(): Check {
  return (value, where) => {
    if (!/^[A-Za-z_]\w*$/.test(String(value))) refuse(where, 'takes the name of an environment variable');
  };
}

function isDefaultProvider(value: unknown): boolean {
  return providers.slice(0, 5).includes(String(value)) || /^openai-compatible\/[\w.-]+$/.test(String(value));
}

function isQualified(name: unknown): boolean {
  const slash = String(name).indexOf('/');
  return providers.includes(String(name).slice(0, Math.max(0, slash)));
}
