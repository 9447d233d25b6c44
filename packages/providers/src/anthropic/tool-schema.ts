import type { JsonObject } from '@rondo/protocol';
import { isJsonObject } from '../dialect/json.ts';
import { reduceSchema, type SchemaRules } from '../dialect/reduce-schema.ts';

const combinators = ['oneOf', 'anyOf', 'allOf'];
const rules: SchemaRules = { forbiddenAtTop: combinators };
const propertyName = /^[a-zA-Z0-9_.-]{1,64}$/;

/**
 * A tool's input schema as the API takes it: an object without combinators at its top, and without properties whose
 * name it refuses. Most schemas are that already and stay as they are; one bad schema would fail every request.
 */
export function toolSchema(schema: JsonObject): JsonObject {
  const plain = combinators.some((key) => schema[key] !== undefined) ? reduceSchema(schema, rules) : schema;
  const object = plain['type'] === 'object' ? plain : { ...plain, type: 'object' };
  const { properties, required } = object;
  if (!isJsonObject(properties) || Object.keys(properties).every((name) => propertyName.test(name))) return object;
  return {
    ...object,
    properties: Object.fromEntries(Object.entries(properties).filter(([name]) => propertyName.test(name))),
    ...(Array.isArray(required) && { required: required.filter((name) => propertyName.test(String(name))) }),
  };
}
