import type { JsonObject, JsonValue } from '@rondo/protocol';
import { isJsonObject } from './json.ts';
import { findSchema } from './schema-reference.ts';

/** An output's schema in the words that every vendor's constrained decoding knows. */
export interface ConstrainedOutput {
  readonly schema: JsonObject;
  /** Properties that no `required` names. */
  readonly optional: number;
  /** Places that take several types. */
  readonly unions: number;
}

const known = new WeakMap<JsonObject, ConstrainedOutput | false>();

/**
 * What the schema says, without the limits on values that vendors refuse and with every object closed: whoever reads
 * the output holds it against the whole schema. Undefined where those words cannot say what the schema means, such as a
 * map with keys of any name or a tree of any depth, or where its top is no object.
 */
export function constrainedOutput(schema: JsonObject): ConstrainedOutput | undefined {
  let output = known.get(schema);
  if (output === undefined) known.set(schema, (output = constrain(schema)));
  return output === false ? undefined : output;
}

/** Kept as they are. */
const kept: ReadonlySet<string> = new Set(['type', 'required', 'description']);
/** Left out: without them a schema accepts what it did, or more. */
const leftOut: ReadonlySet<string> = new Set([
  '$schema',
  '$id',
  '$comment',
  'title',
  'default',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
  'pattern',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minItems',
  'maxItems',
  'uniqueItems',
  'minProperties',
  'maxProperties',
  'contentEncoding',
  'contentMediaType',
  // What references name stands in their place.
  '$defs',
  'definitions',
  // Every object is closed.
  'additionalProperties',
]);
const formats: ReadonlySet<JsonValue> = new Set(['date-time', 'date', 'time', 'email', 'uuid', 'ipv4', 'ipv6']);

/** More than that no vendor makes a grammar of. */
const mostSchemas = 1_000;

function constrain(whole: JsonObject): ConstrainedOutput | false {
  let sayable = whole['type'] === 'object';
  let optional = 0;
  let unions = 0;
  let schemas = 0;
  /** Where references lead that are being followed. */
  const open: JsonValue[] = [whole];

  function words(schema: JsonValue): JsonObject {
    schemas += 1;
    if (!isJsonObject(schema) || !saysType(schema) || isOpen(schema) || schemas > mostSchemas) return unsayable();
    const { $ref: reference } = schema;
    if (reference !== undefined) return follow(reference);
    const result: Record<string, JsonValue> = {};
    for (const [keyword, value] of Object.entries(schema)) {
      if (kept.has(keyword)) result[keyword] = value;
      else if (keyword === 'format') Object.assign(result, formats.has(value) && { format: value });
      else if (keyword === 'enum' || keyword === 'const') result[keyword] = isPlain(value) ? value : unsayable();
      else if (keyword === 'properties') result['properties'] = isJsonObject(value) ? namedWords(value) : unsayable();
      else if (keyword === 'items') result['items'] = words(value);
      else if ((keyword === 'anyOf' || keyword === 'oneOf') && Array.isArray(value) && result['anyOf'] === undefined)
        result['anyOf'] = value.map(words);
      else if (!leftOut.has(keyword)) return unsayable();
    }
    if (Array.isArray(result['type']) || result['anyOf'] !== undefined) unions += 1;
    return isJsonObject(result['properties']) ? closed(result, result['properties']) : result;
  }

  function closed(result: JsonObject, properties: JsonObject): JsonObject {
    const required: readonly JsonValue[] = Array.isArray(result['required']) ? result['required'] : [];
    optional += Object.keys(properties).filter((name) => !required.includes(name)).length;
    return { ...result, required, additionalProperties: false };
  }

  function follow(reference: JsonValue): JsonObject {
    const target = typeof reference === 'string' ? findSchema(whole, reference)?.schema : undefined;
    if (target === undefined || open.includes(target)) return unsayable();
    open.push(target);
    const named = words(target);
    open.pop();
    return named;
  }

  function namedWords(schemas: JsonObject): JsonObject {
    return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, words(schema)]));
  }

  function unsayable(): JsonObject {
    sayable = false;
    return {};
  }

  const schema = words(whole);
  return sayable && { schema, optional, unions };
}

/** Grammars are made of types: a schema that any value fits has none. */
function saysType({ type, anyOf, oneOf, $ref, items }: JsonObject): boolean {
  if (type === undefined) return anyOf !== undefined || oneOf !== undefined || $ref !== undefined;
  return ![type].flat().includes('array') || items !== undefined;
}

/** An object whose properties' names are not known beforehand. */
function isOpen({ type, properties, additionalProperties }: JsonObject): boolean {
  if (isJsonObject(additionalProperties) && Object.keys(additionalProperties).length > 0) return true;
  return [type].flat().includes('object') && !isJsonObject(properties);
}

function isPlain(value: JsonValue): boolean {
  return [value].flat().every((each) => typeof each !== 'object' || each === null);
}
