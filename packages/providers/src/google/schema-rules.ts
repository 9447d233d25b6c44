import type { SchemaRules } from '../dialect/reduce-schema.ts';

/**
 * What the API reads of JSON Schema in a function's parameters, by its reference. References are written out: the API
 * takes none beside other words, and unrolls recursive ones only a little.
 */
export const googleSchemaRules: SchemaRules = {
  forbiddenAtTop: ['anyOf', 'oneOf', 'allOf', 'not', 'enum'],
  inlineReferences: true,
  onlyKeywords: [
    'type',
    'format',
    'title',
    'description',
    'enum',
    'items',
    'prefixItems',
    'minItems',
    'maxItems',
    'minimum',
    'maximum',
    'anyOf',
    'properties',
    'additionalProperties',
    'required',
  ],
  constantsAsEnums: true,
  objectSchemasOnly: true,
};
