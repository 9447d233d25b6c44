import type { Model } from '@rondo/runtime';
import { limitsOf } from '../apply-facts.ts';
import { catalogModel, type CatalogModel } from '../catalog/model-catalog.ts';
import { postTimeouts } from '../dialect/timeouts.ts';
import { createAiSdkModel, type AiSdkAdapter, type ProviderStyle } from './create-ai-sdk-model.ts';
import { createHttpFetch } from './http-fetch.ts';
import type { AiSdkLanguageModel } from './language-model.ts';
import { baseUrlOf, vendorEndpoint, type Vendor, type VendorModelOptions } from './vendor-access.ts';

/** What a provider package is told, in words that all of them share. */
export interface PackageSettings {
  readonly apiKey: string;
  readonly baseURL: string;
  readonly headers: Record<string, string>;
  readonly fetch: typeof fetch;
}

export interface VendorAdapter extends Pick<AiSdkAdapter, 'callOptions'> {
  readonly vendor: Vendor;
  readonly style: ProviderStyle;
  /** Imports the package and makes its model. */
  readonly load: (settings: PackageSettings) => Promise<AiSdkLanguageModel>;
}

/** What the catalog knows of the vendor's model, or nothing. */
export function vendorFacts({ provider }: Vendor, model: string): CatalogModel {
  return catalogModel(provider, model) ?? {};
}

/**
 * A model of a vendor through its package, over our own connections: the package writes requests and reads replies, and
 * its answers, errors and silences come to it through our client.
 */
export function createVendorModel(adapter: VendorAdapter, options: VendorModelOptions): Model {
  const { vendor, style, callOptions } = adapter;
  const { errors } = style;
  const facts = vendorFacts(vendor, options.model);
  const endpoint = vendorEndpoint(vendor, options);
  const price = options.price ?? facts.price;
  const input = { ...facts.input, ...options.input };
  return createAiSdkModel({
    ...style,
    callOptions,
    name: `${vendor.provider}/${options.model}`,
    limits: { ...limitsOf(facts), ...options.limits },
    ...(price && { price }),
    input,
    endpoint,
    // The client below watches every byte, which says more than whole parts.
    timeouts: {},
    load: () =>
      adapter.load({
        // Packages look for a key of their own where none is given; a server on this machine needs none.
        apiKey: options.apiKey ?? 'none',
        baseURL: baseUrlOf(endpoint),
        headers: { 'user-agent': 'rondo' },
        fetch: createHttpFetch({ endpoint, errors, timeouts: postTimeouts(options.timeouts ?? {}) }),
      }),
  });
}
