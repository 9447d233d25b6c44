import type { Model } from '@rondo/runtime';
import type { Vendor, VendorModelOptions } from '../ai-sdk/vendor-access.ts';
import { createVendorModel, vendorFacts } from '../ai-sdk/vendor-model.ts';
import { googleStyle } from './style.ts';
import { thinkingConfig } from './thinking-config.ts';

export type GoogleModelOptions = VendorModelOptions;

export const googleVendor: Vendor = {
  provider: 'google',
  title: 'Google',
  defaultBaseUrl: 'https://generativelanguage.googleapis.com/v1beta',
  version: { pattern: /\/v\d[\w.]*$/, path: '/v1beta' },
};

/** A Gemini model behind Google's generative language API, or a server that speaks it. */
export function createGoogleModel(options: GoogleModelOptions): Model {
  const facts = vendorFacts(googleVendor, options.model);
  return createVendorModel(
    {
      vendor: googleVendor,
      style: googleStyle(options.model),
      callOptions(request) {
        const thinking = thinkingConfig(request, { model: options.model, facts });
        return thinking === undefined ? {} : { providerOptions: { google: { thinkingConfig: thinking } } };
      },
      async load(settings) {
        const { createGoogle } = await import('@ai-sdk/google');
        return createGoogle(settings)(options.model);
      },
    },
    options,
  );
}
