import type { JsonObject } from '@rondo/protocol';
import { RondoError } from '@rondo/protocol/values';
import { createOutputCheck, type Binding } from '@rondo/runtime';

/** What the answer of every turn is to be: JSON that fits the schema. */
export interface OutputFormat {
  type: 'json_schema';
  schema: Record<string, unknown>;
}

/**
 * What holds turns to the format. The model is asked for it, where it can in the way of its vendor, and what it answers is
 * checked here in any case.
 * @throws RondoError `input.invalid` for a schema that says nothing that could be checked.
 */
export async function outputOf(format: OutputFormat | undefined): Promise<Pick<Binding, 'output' | 'outputCheck'>> {
  if (format === undefined) return {};
  const schema = asJson(format.schema);
  const { compileSchema } = await import('./schema-validator.ts');
  try {
    return { output: { schema }, outputCheck: createOutputCheck({ problemsOf: await compileSchema(schema) }) };
  } catch (error) {
    throw invalid(error);
  }
}

/** Once, so that every request of the session has the same object, and nobody changes it meanwhile. */
function asJson(schema: OutputFormat['schema']): JsonObject {
  try {
    return JSON.parse(JSON.stringify(schema)) as JsonObject;
  } catch (error) {
    throw invalid(error);
  }
}

function invalid(cause: unknown): RondoError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const message = `options.outputFormat.schema is no JSON Schema that answers can be held to: ${reason}.`;
  return new RondoError('input.invalid', message, { details: { option: 'outputFormat' }, cause });
}
