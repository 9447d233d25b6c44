import { RondoError } from '@rondo/protocol/values';
import type { ModelInput, ModelLimits, ModelPrice } from '@rondo/runtime';
import { checkKey, passwordsOf, readBaseUrl } from '../dialect/base-url.ts';
import { timeoutsFromEnvironment, type ModelTimeouts } from '../dialect/timeouts.ts';
import { readVariable, type Environment } from '../environment.ts';
import type { Endpoint } from '../http/model-failure.ts';
import { networkFromEnvironment, type Network } from '../http/network.ts';
import { isLoopbackUrl, keyVariable, providerVariables } from '../provider-variables.ts';

/** How a vendor is reached. */
export interface VendorAccess {
  readonly apiKey?: string;
  /** Where the key comes from, for messages to people. */
  readonly keySource?: string;
  /** The vendor's own address when not given. */
  readonly baseUrl?: string;
  readonly baseUrlSource?: string;
  readonly timeouts?: ModelTimeouts;
  /** Proxies and certificates on the way there. */
  readonly network?: Network | undefined;
}

export interface VendorModelOptions extends VendorAccess {
  readonly model: string;
  /** In place of what the catalog knows. */
  readonly limits?: ModelLimits;
  readonly price?: ModelPrice;
  readonly input?: ModelInput;
}

export interface Vendor {
  /** The name in `provider/model`. */
  readonly provider: string;
  readonly title: string;
  readonly defaultBaseUrl: string;
  /** What a path has to end in; put there where a base URL leaves it out. */
  readonly version: { readonly pattern: RegExp; readonly path: string };
}

/** Throws where the address is none or the key could be sent in no header. */
export function vendorEndpoint(vendor: Vendor, access: VendorAccess): Endpoint {
  const { apiKey, keySource = 'the apiKey option', baseUrlSource = 'the baseUrl option' } = access;
  const baseUrl = access.baseUrl ?? vendor.defaultBaseUrl;
  const url = readBaseUrl({ baseUrl, source: baseUrlSource, example: vendor.defaultBaseUrl });
  if (apiKey !== undefined) checkKey(apiKey, keySource);
  const path = url.pathname.replace(/\/+$/, '');
  url.pathname = vendor.version.pattern.test(path) ? path : `${path}${vendor.version.path}`;
  url.search = '';
  const secrets = [...(apiKey === undefined ? [] : [apiKey]), ...passwordsOf(url)];
  const { network } = access;
  return {
    vendor: vendor.title,
    url,
    keySource,
    sendsNoKey: apiKey === undefined && url.password === '',
    baseUrlSource,
    secrets: [...secrets, ...(network?.secrets ?? [])],
    network,
  };
}

/** A base URL that the package puts its paths behind. */
export function baseUrlOf({ url }: Endpoint): string {
  return url.href.replace(/\/$/, '');
}

/** Key, base URL and timeouts from the environment. A server on this machine needs no key. */
export function accessFromEnvironment({ provider }: Vendor, model: string, env: Environment): VendorAccess {
  const variables = providerVariables[provider] ?? { keys: [], baseUrl: '' };
  const keySource = keyVariable(provider, env) ?? variables.keys[0] ?? 'the apiKey option';
  const apiKey = readVariable(env, keySource);
  const baseUrl = readVariable(env, variables.baseUrl);
  if (apiKey === undefined && !isLoopbackUrl(baseUrl ?? '')) {
    throw new RondoError(
      'model.key_missing',
      `No key for ${provider}/${model}. Set ${keySource}, or name a model of another provider, or try \`rondo demo\`, which needs no key.`,
      { details: { provider, variables: variables.keys } },
    );
  }
  return {
    ...(apiKey !== undefined && { apiKey }),
    keySource,
    ...(baseUrl !== undefined && { baseUrl }),
    baseUrlSource: variables.baseUrl,
    timeouts: timeoutsFromEnvironment(env),
    network: networkFromEnvironment(env),
  };
}
