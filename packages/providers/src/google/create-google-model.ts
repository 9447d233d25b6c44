import type { Model } from '@rondo/runtime';
import { reduceSchema } from '../dialect/reduce-schema.ts';
import type { Finish } from '../ai-sdk/finish.ts';
import type { Vendor } from '../ai-sdk/vendor-access.ts';
import { createVendorModel, vendorFacts, type VendorModelOptions } from '../ai-sdk/vendor-model.ts';
import { googleErrors } from './errors.ts';
import { googleSchemaRules } from './schema-rules.ts';
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
      errors: googleErrors,
      // Older models take no file within a result.
      resultFiles: isOlder(options.model) ? 'after' : 'inline',
      inputSchema: (schema) => reduceSchema(schema, googleSchemaRules),
      callOptions(request) {
        const thinking = thinkingConfig(request, { model: options.model, facts });
        return thinking === undefined ? {} : { providerOptions: { google: { thinkingConfig: thinking } } };
      },
      isBroken,
      async load(settings) {
        const { createGoogle } = await import('@ai-sdk/google');
        return createGoogle(settings)(options.model);
      },
    },
    options,
  );
}

/** Ends that another try may spare: the model lost its way in its own reply, or said nothing at all. */
const retried: ReadonlySet<string> = new Set([
  'MALFORMED_FUNCTION_CALL',
  'MALFORMED_RESPONSE',
  'UNEXPECTED_TOOL_CALL',
  'MISSING_THOUGHT_SIGNATURE',
]);

function isBroken({ unified, raw }: Finish, { blocks }: { readonly blocks: number }): boolean {
  return (raw !== undefined && retried.has(raw)) || (unified === 'stop' && blocks === 0);
}

function isOlder(model: string): boolean {
  return /(^|\/)(gemini-[12][.-]|gemma-)/.test(model);
}
