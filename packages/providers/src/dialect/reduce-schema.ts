import type { JsonObject, JsonValue } from '@rondo/protocol';
import { fitWords, keepWide, modernWords } from './fit-schema.ts';
import { flattenTop } from './flatten-top.ts';
import { isJsonObject, stringOf } from './json.ts';
import { mergeAll } from './merge-schemas.ts';
import { holdsSchema, holdsSchemas, isSound, saysOnly } from './schema-keywords.ts';
import type { SchemaRules } from './schema-rules.ts';
import { findSchema, isInsideDefinitions, rootOf, type PlacedSchema } from './schema-reference.ts';

export type { SchemaRules } from './schema-rules.ts';

/** Inlined references can double the schema at every level; what is behind this many schemas is cut. */
const mostSchemas = 10_000;

const reductions = new WeakMap<SchemaRules, WeakMap<JsonObject, JsonObject>>();

/**
 * A tool's input schema in the words that the rules leave. It accepts whatever the given one accepts, and more only
 * where the rules have no word for a limit. The input is never changed, and the same one is reduced once in its life.
 */
export function reduceSchema(schema: JsonObject, rules: SchemaRules): JsonObject {
  let known = reductions.get(rules);
  if (known === undefined) reductions.set(rules, (known = new WeakMap()));
  let reduced = known.get(schema);
  if (reduced === undefined) {
    reduced = reduceWhole(schema, rules);
    known.set(schema, reduced);
  }
  return reduced;
}

function reduceWhole(schema: JsonObject, rules: SchemaRules): JsonObject {
  // Without its own name, so that a reference in it is still read from the whole.
  const { $id: _id, ...top } = flattenTop(schema, rules.forbiddenAtTop ?? []);
  const reducer = createReducer(rules, schema, definitionsWiden(top, schema, rules));
  const reduced = reducer.reduce({ schema: { ...top, type: 'object' }, root: schema }, 0);
  return isJsonObject(reduced) ? reduced : { type: 'object' };
}

/** A definition may come to accept more; whatever refers to it then counts as wider too. */
function definitionsWiden(top: JsonObject, whole: JsonObject, rules: SchemaRules): boolean {
  if (rules.inlineReferences === true) return false;
  const reducer = createReducer(rules, whole, false);
  for (const definitions of [top['$defs'], top['definitions']]) {
    if (!isJsonObject(definitions)) continue;
    for (const schema of Object.values(definitions)) reducer.reduce({ schema, root: whole }, 1);
  }
  return reducer.widened > 0;
}

interface Reducer {
  /** How often something was left out that a schema said. */
  readonly widened: number;
  reduce(placed: PlacedSchema, depth: number): JsonValue;
}

interface Place {
  readonly base: JsonObject;
  readonly depth: number;
}

function createReducer(rules: SchemaRules, whole: JsonObject, definitionsAreWider: boolean): Reducer {
  const dropped = new Set(rules.droppedKeywords);
  const only = rules.onlyKeywords === undefined ? undefined : new Set(rules.onlyKeywords);
  /** Where references lead that are being followed. */
  const open: JsonValue[] = [];
  let widened = 0;
  let schemas = 0;
  let properties = 0;

  const keeps = (keyword: string): boolean => !dropped.has(keyword) && (only === undefined || only.has(keyword));

  function reduce({ schema, root }: PlacedSchema, depth: number): JsonValue {
    schemas += 1;
    if (!isJsonObject(schema)) return reduceBoolean(schema);
    if (depth > (rules.maximumDepth ?? Infinity) || schemas > mostSchemas) return cut(schema);
    const place = { base: rootOf(schema, root), depth };
    const reference = schema['$ref'];
    if (reference === undefined) return reduceObject(schema, place);
    if (typeof reference !== 'string' || !staysInPlace(reference, place)) return follow(schema, reference, place);
    if (definitionsAreWider) widened += 1;
    return reduceObject(schema, place);
  }

  function staysInPlace(reference: string, { base }: Place): boolean {
    if (rules.inlineReferences === true || base !== whole) return false;
    return isInsideDefinitions(reference) && findSchema(base, reference) !== undefined;
  }

  function reduceBoolean(schema: JsonValue): JsonValue {
    if (schema === true) return rules.objectSchemasOnly === true ? {} : true;
    if (schema === false && rules.objectSchemasOnly !== true) return false;
    widened += 1;
    return {};
  }

  /** What a schema is in its fewest words. */
  function cut(schema: JsonObject): JsonObject {
    widened += 1;
    const words: Record<string, JsonValue> = {};
    for (const keyword of ['type', 'title', 'description']) {
      const value = schema[keyword];
      if (value !== undefined && keeps(keyword) && isSound(keyword, value)) words[keyword] = value;
    }
    return fitWords(words, rules, keeps);
  }

  /** The schema that a reference names, with what stands beside the reference. */
  function follow(schema: JsonObject, reference: JsonValue, { base, depth }: Place): JsonValue {
    const { $ref: _reference, ...beside } = schema;
    const target = typeof reference === 'string' ? findSchema(base, reference) : undefined;
    if (target === undefined || open.includes(target.schema))
      return cut({ ...(isJsonObject(target?.schema) && target.schema), ...beside });
    open.push(target.schema);
    const named = reduce(target, depth);
    open.pop();
    const entries = Object.entries(beside);
    const said = Object.fromEntries(entries.filter(([keyword]) => saysOnly.has(keyword) && keeps(keyword)));
    const limits = Object.fromEntries(entries.filter(([keyword]) => !saysOnly.has(keyword)));
    if (!isJsonObject(named)) return named;
    // Before 2019-09 whatever stands beside a reference means nothing.
    const ignored = /draft-0[3467]/.test(stringOf(whole['$schema']));
    const other = ignored || Object.keys(limits).length === 0 ? {} : reduce({ schema: limits, root: base }, depth);
    if (!isJsonObject(other) || Object.keys(other).length === 0) return { ...named, ...said };
    return keeps('allOf') ? { ...said, allOf: [named, other] } : { ...mergeDeep([named, other]), ...said };
  }

  function mergeDeep(all: readonly JsonObject[]): JsonObject {
    widened += 1;
    return mergeAll(all, { deep: true });
  }

  function reduceObject(schema: JsonObject, place: Place): JsonObject {
    const before = widened;
    const words = modernWords(schema);
    let result: Record<string, JsonValue> = {};
    for (const [keyword, value] of Object.entries(words)) {
      if (keyword === 'allOf' && !keeps(keyword)) continue;
      if (takes(keyword) && isSound(keyword, value)) setKeyword(result, { keyword, value, place });
      else if (!saysOnly.has(keyword)) widened += 1;
    }
    const { allOf } = words;
    if (!keeps('allOf') && Array.isArray(allOf))
      result = { ...mergeDeep([result, ...objectsOf(allOf.map((member) => reduceMember(member, place)))]) };
    dropOptionalProperties(result);
    keepWide(words, result, widened > before);
    return fitWords(result, rules, keeps);
  }

  /** Whether a keyword, or another one that says the same or less, may stay. */
  function takes(keyword: string): boolean {
    if ((keyword === '$defs' || keyword === 'definitions') && rules.inlineReferences === true) return false;
    if (keyword === 'const') return keeps(keyword) || keeps('enum');
    if (keyword === 'oneOf') return keeps(keyword) || keeps('anyOf');
    return keeps(keyword);
  }

  function setKeyword(
    result: Record<string, JsonValue>,
    { keyword, value, place }: { readonly keyword: string; readonly value: JsonValue; readonly place: Place },
  ): void {
    const before = widened;
    const reduced = reduceMembers(keyword, value, place);
    const wider = widened > before;
    switch (keyword) {
      // What refuses by what these accept would refuse more, were they wider.
      case 'not':
      case 'if':
        if (!wider) result[keyword] = reduced;
        return;
      case 'oneOf':
        if (keeps(keyword) && !wider) return setCombinator(result, keyword, reduced);
        widened += 1;
        return setCombinator(result, 'anyOf', reduced);
      case 'anyOf':
        return setCombinator(result, keyword, reduced);
      case 'allOf':
        result['allOf'] = [...objectsOf(result['allOf']), ...objectsOf(reduced)];
        return;
      case 'const':
        if (keeps(keyword) && rules.constantsAsEnums !== true) result[keyword] = reduced;
        else setEnum(result, [reduced]);
        return;
      case 'enum':
        return setEnum(result, Array.isArray(reduced) ? reduced : [reduced]);
      default:
        result[keyword] = reduced;
    }
  }

  function setCombinator(result: Record<string, JsonValue>, keyword: 'anyOf' | 'oneOf', value: JsonValue): void {
    if (!keeps(keyword)) return;
    if (result[keyword] === undefined) result[keyword] = value;
    else if (keeps('allOf')) result['allOf'] = [...objectsOf(result['allOf']), { [keyword]: value }];
  }

  function setEnum(result: Record<string, JsonValue>, values: readonly JsonValue[]): void {
    if (rules.stringEnumsOnly === true && !values.every((value) => typeof value === 'string')) widened += 1;
    else result['enum'] = values;
  }

  function reduceMembers(keyword: string, value: JsonValue, place: Place): JsonValue {
    if (keyword === 'additionalProperties' && typeof value === 'boolean') return value;
    if (holdsSchema.has(keyword)) return reduceMember(value, place);
    if (!holdsSchemas.has(keyword)) return value;
    if (Array.isArray(value)) return value.map((member) => reduceMember(member, place));
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, reduceMember(member, place)]));
  }

  function reduceMember(schema: JsonValue, { base, depth }: Place): JsonValue {
    return reduce({ schema, root: base }, depth + 1);
  }

  function dropOptionalProperties(result: Record<string, JsonValue>): void {
    const members = result['properties'];
    if (rules.maximumProperties === undefined || !isJsonObject(members)) return;
    const required = Array.isArray(result['required']) ? result['required'] : [];
    const byNeed = Object.keys(members).toSorted(
      (left, right) => Number(required.includes(right)) - Number(required.includes(left)),
    );
    const kept = new Set(byNeed.slice(0, Math.max(0, rules.maximumProperties - properties)));
    properties += kept.size;
    if (kept.size === byNeed.length) return;
    widened += 1;
    result['properties'] = Object.fromEntries(Object.entries(members).filter(([name]) => kept.has(name)));
  }

  return {
    get widened() {
      return widened;
    },
    reduce,
  };
}

function objectsOf(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
