import type { Model, ModelRequest } from '@rondo/runtime';
import { supportedEffort } from '../dialect/supported-effort.ts';
import type { AiSdkCall } from '../ai-sdk/language-model.ts';
import { reasoningLevel } from '../ai-sdk/reasoning-options.ts';
import type { Vendor, VendorModelOptions } from '../ai-sdk/vendor-access.ts';
import { createVendorModel, vendorFacts } from '../ai-sdk/vendor-model.ts';
import { mistralStyle } from './style.ts';

export type MistralModelOptions = VendorModelOptions;

export const mistralVendor: Vendor = {
  provider: 'mistral',
  title: 'Mistral',
  defaultBaseUrl: 'https://api.mistral.ai/v1',
  version: { pattern: /\/v1$/, path: '/v1' },
};

/** A model behind Mistral's chat completions, or a server that speaks them. */
export function createMistralModel(options: MistralModelOptions): Model {
  return createVendorModel(
    {
      vendor: mistralVendor,
      style: mistralStyle,
      callOptions: (request) => ({ providerOptions: { mistral: mistralOptions(options.model, request) } }),
      async load(settings) {
        const { createMistral } = await import('@ai-sdk/mistral');
        return createMistral(settings)(options.model);
      },
    },
    options,
  );
}

type ProviderOptions = NonNullable<AiSdkCall['providerOptions']>[string];

function mistralOptions(model: string, request: ModelRequest): ProviderOptions {
  const { efforts = [], noEffort } = vendorFacts(mistralVendor, model);
  const level = reasoningLevel(request);
  const reasoningEffort = level === 'none' ? noEffort : supportedEffort(level, efforts);
  return {
    ...(reasoningEffort !== undefined && { reasoningEffort }),
    ...(request.sessionId !== undefined && { promptCacheKey: request.sessionId }),
  };
}
