import type { JsonValue } from '@rondo/protocol';
import { isJsonObject } from './json.ts';

/** Where schemas stand inside a schema: under the keyword itself, or as the members of its list or object. */
export const holdsSchema: ReadonlySet<string> = new Set([
  'items',
  'additionalItems',
  'additionalProperties',
  'contains',
  'contentSchema',
  'else',
  'if',
  'not',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
]);
export const holdsSchemas: ReadonlySet<string> = new Set([
  'allOf',
  'anyOf',
  'oneOf',
  'prefixItems',
  'properties',
  'patternProperties',
  'dependentSchemas',
  '$defs',
  'definitions',
]);

/** Keywords that say something about a value and refuse none: without them a schema accepts what it did. */
export const saysOnly: ReadonlySet<string> = new Set([
  '$schema',
  '$id',
  '$anchor',
  '$comment',
  '$defs',
  'definitions',
  'title',
  'description',
  'default',
  'example',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
  'nullable',
]);

const typeNames: ReadonlySet<JsonValue> = new Set([
  'array',
  'boolean',
  'integer',
  'null',
  'number',
  'object',
  'string',
]);

/** Whether a keyword's value has the form that JSON Schema gives it; vendors refuse a whole request for one that has not. */
export function isSound(keyword: string, value: JsonValue): boolean {
  switch (keyword) {
    case 'type':
      return Array.isArray(value)
        ? value.length > 0 && value.every((name) => typeNames.has(name))
        : typeNames.has(value);
    case 'required':
      return Array.isArray(value) && value.every((name) => typeof name === 'string');
    case 'enum':
      return Array.isArray(value) && value.length > 0;
    case 'allOf':
    case 'anyOf':
    case 'oneOf':
    case 'prefixItems':
      return Array.isArray(value) && value.length > 0 && value.every(isSchema);
    case 'properties':
    case 'patternProperties':
    case 'dependentSchemas':
    case '$defs':
    case 'definitions':
      return isJsonObject(value) && Object.values(value).every(isSchema);
    case 'items':
      return isSchema(value) || (Array.isArray(value) && value.every(isSchema));
    case 'pattern':
      return typeof value === 'string' && isPattern(value);
    case 'dependencies':
    case '$dynamicRef':
    case '$recursiveRef':
      // Nothing that is in use understands them, and what they hold would stay as it is.
      return false;
    case '$ref':
    case 'description':
    case 'title':
    case 'format':
      return typeof value === 'string';
    case 'minLength':
    case 'maxLength':
    case 'minItems':
    case 'maxItems':
    case 'minProperties':
    case 'maxProperties':
    case 'minContains':
    case 'maxContains':
      return typeof value === 'number' && Number.isInteger(value) && value >= 0;
    case 'minimum':
    case 'maximum':
    case 'exclusiveMinimum':
    case 'exclusiveMaximum':
      return typeof value === 'number';
    case 'multipleOf':
      return typeof value === 'number' && value > 0;
    default:
      return !holdsSchema.has(keyword) || isSchema(value);
  }
}

export function isSchema(value: JsonValue | undefined): value is boolean | { readonly [key: string]: JsonValue } {
  return typeof value === 'boolean' || isJsonObject(value);
}

function isPattern(source: string): boolean {
  try {
    RegExp(source);
    return true;
  } catch {
    return false;
  }
}
