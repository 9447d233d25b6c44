import type { Finish } from '../ai-sdk/finish.ts';
import type { ProviderStyle } from '../ai-sdk/create-ai-sdk-model.ts';
import { reduceSchema } from '../dialect/reduce-schema.ts';
import { googleErrors } from './errors.ts';
import { googleSchemaRules } from './schema-rules.ts';

/** How Google's models are asked; those before Gemini 3 take no file within a result, and no schema of the answer beside tools. */
export function googleStyle(model: string): ProviderStyle {
  const isOlder = /(^|\/)(gemini-[12][.-]|gemma-)/.test(model);
  return {
    resultFiles: isOlder ? 'after' : 'inline',
    outputFormat: isOlder ? 'alone' : 'always',
    inputSchema: (schema) => reduceSchema(schema, googleSchemaRules),
    isBroken,
    errors: googleErrors,
  };
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
