import { readVariable, type Environment } from './environment.ts';

/** Where a vendor's key and base URL come from. */
export interface ProviderVariables {
  /** The first one that is set counts. */
  readonly keys: readonly string[];
  /** The one to set where none is. */
  readonly usualKey: string;
  /** Lines of headers, one of which may bring the key. */
  readonly headers?: string;
  readonly baseUrl: string;
}

export const providerVariables: Readonly<Record<string, ProviderVariables>> = {
  anthropic: {
    keys: ['ANTHROPIC_AUTH_TOKEN', 'ANTHROPIC_API_KEY'],
    usualKey: 'ANTHROPIC_API_KEY',
    headers: 'ANTHROPIC_CUSTOM_HEADERS',
    baseUrl: 'ANTHROPIC_BASE_URL',
  },
  openai: { keys: ['OPENAI_API_KEY'], usualKey: 'OPENAI_API_KEY', baseUrl: 'OPENAI_BASE_URL' },
  mistral: { keys: ['MISTRAL_API_KEY'], usualKey: 'MISTRAL_API_KEY', baseUrl: 'MISTRAL_BASE_URL' },
  google: {
    keys: ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY'],
    usualKey: 'GEMINI_API_KEY',
    baseUrl: 'GEMINI_BASE_URL',
  },
};

/** The variable that holds the vendor's key, if one is set. */
export function keyVariable(provider: string, env: Environment): string | undefined {
  const { keys, headers = '' } = variablesOf(provider);
  if (/^\s*(authorization|x-api-key)\s*:/im.test(readVariable(env, headers) ?? '')) return headers;
  return keys.find((name) => readVariable(env, name) !== undefined);
}

/** The base URL that the environment names for the vendor, as it may be shown. */
export function changedBaseUrl(provider: string, env: Environment): string | undefined {
  const value = readVariable(env, variablesOf(provider).baseUrl);
  return value === undefined ? undefined : shownUrl(value);
}

/** An address without what may be a secret in it: the user's name and password, and the query. */
export function shownUrl(address: string): string {
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol)) return '(no http or https URL)';
  url.username = '';
  url.password = '';
  url.search = '';
  return url.href;
}

/** Whether a request could be sent: a key is set, or the base URL is this machine's, where servers need none. */
export function isProviderReady(provider: string, env: Environment): boolean {
  return keyVariable(provider, env) !== undefined || isLoopbackUrl(changedBaseUrl(provider, env) ?? '');
}

export function isLoopbackUrl(address: string): boolean {
  const host = URL.parse(address)?.hostname;
  return host !== undefined && (host === 'localhost' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host));
}

function variablesOf(provider: string): ProviderVariables {
  const known = Object.hasOwn(providerVariables, provider) ? providerVariables[provider] : undefined;
  return known ?? { keys: [], usualKey: '', baseUrl: '' };
}
