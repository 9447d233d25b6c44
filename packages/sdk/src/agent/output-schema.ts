import { checkHandleOptions, type OutputType } from '@rondo/client';
import type { JsonObject } from '@rondo/protocol';

const known = new WeakMap<object, JsonObject>();

/**
 * What the model is to write for the type to parse; the same object for the same type.
 * @throws TypeError where it is no Standard Schema, or cannot say it as JSON Schema.
 */
export function outputSchema(outputType: OutputType<unknown>): JsonObject {
  checkHandleOptions({ outputType });
  let schema = known.get(outputType);
  if (schema === undefined) known.set(outputType, (schema = said(outputType)));
  return schema;
}

const wayOn = 'give it to session.run or turn.result, which parse by it and ask nothing of the model';

function said({ '~standard': standard }: OutputType<unknown>): JsonObject {
  if (standard.jsonSchema === undefined)
    throw new TypeError(
      `outputType: schemas of ${standard.vendor} do not say their JSON Schema, which the model is asked with; take one of a library that has it, such as z.object({ … }), or ${wayOn}`,
    );
  try {
    const { $schema: _dialect, ...schema } = standard.jsonSchema.input({ target: 'draft-2020-12' });
    return schema as JsonObject;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new TypeError(`outputType cannot be said as JSON Schema (${reason}); use types that JSON has, or ${wayOn}`, {
      cause: error,
    });
  }
}
