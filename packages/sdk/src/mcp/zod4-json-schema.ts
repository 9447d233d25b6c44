import { $ZodObject, type $ZodShape, toJSONSchema } from 'zod/v4/core';
import type { AnyZodRawShape } from './raw-shape.ts';

/** @throws Error for a schema that JSON Schema cannot say. */
export function zod4JsonSchema(shape: AnyZodRawShape): Readonly<Record<string, unknown>> {
  // Another copy of the library may have made them; what is read of them is the same in all copies.
  const object = new $ZodObject({ type: 'object', shape: shape as unknown as $ZodShape });
  const { $schema: _dialect, ...schema } = toJSONSchema(object, {
    io: 'input',
    target: 'draft-2020-12',
    // JSON has no dates: who takes them converts texts.
    unrepresentable: 'any',
    override({ zodSchema, jsonSchema }) {
      if (zodSchema._zod.def.type === 'date') Object.assign(jsonSchema, { type: 'string', format: 'date-time' });
    },
  });
  return schema;
}
