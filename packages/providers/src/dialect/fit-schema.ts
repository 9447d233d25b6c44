import type { JsonObject, JsonValue } from '@rondo/protocol';
import { isJsonObject } from './json.ts';
import { mergeAll } from './merge-schemas.ts';
import type { SchemaRules } from './schema-rules.ts';

type Fields = Record<string, JsonValue>;

/** Older drafts' words in those of today's, which mean the same. */
export function modernWords(schema: JsonObject): JsonObject {
  const words: Fields = { ...schema };
  if (Array.isArray(words['items'])) {
    const { items, additionalItems } = words;
    delete words['additionalItems'];
    delete words['items'];
    if (items.length > 0) words['prefixItems'] = items;
    if (additionalItems !== undefined) words['items'] = additionalItems;
  }
  for (const [flag, limit] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    if (typeof words[flag] !== 'boolean') continue;
    const bound = words[limit];
    const exclusive = words[flag] && bound !== undefined;
    delete words[flag];
    if (!exclusive) continue;
    delete words[limit];
    words[flag] = bound;
  }
  return words;
}

/**
 * Takes out of `result` what means more than before now that something beside it is gone from `schema`.
 * @param wider whether anything in it accepts more than before.
 */
export function keepWide(schema: JsonObject, result: Fields, wider: boolean): void {
  const lost = (keyword: string): boolean => schema[keyword] !== undefined && result[keyword] === undefined;
  const names = (value: JsonValue | undefined): number => (isJsonObject(value) ? Object.keys(value).length : 0);
  const remove = (...keywords: readonly string[]): void => {
    for (const keyword of keywords) delete result[keyword];
  };
  if (lost('patternProperties') || names(result['properties']) < names(schema['properties']))
    remove('additionalProperties');
  if (lost('prefixItems')) remove('items');
  if (lost('if')) remove('then', 'else');
  if (lost('minContains')) remove('contains');
  if (wider) remove('maxContains', 'unevaluatedItems', 'unevaluatedProperties');
}

/** Writes types and members in the way that the rules ask for. The meaning stays. */
export function fitWords(fields: JsonObject, rules: SchemaRules, keeps: (keyword: string) => boolean): JsonObject {
  const result: Fields = { ...fields };
  if (rules.namesMembers === true) nameMembers(result);
  if (rules.typeLists === 'nullable') return fitNullable(result, keeps);
  const { type } = result;
  if (rules.typeLists === undefined || !Array.isArray(type)) return result;
  delete result['type'];
  const [only] = type;
  if (type.length === 1 && only !== undefined) return { ...result, type: only };
  return withChoice(
    result,
    type.map((name) => ({ type: name })),
    keeps,
  );
}

function nameMembers(result: Fields): void {
  const types: readonly JsonValue[] = Array.isArray(result['type']) ? result['type'] : [result['type'] ?? ''];
  if (types.includes('object')) result['properties'] ??= {};
  if (types.includes('array')) result['items'] ??= {};
}

function fitNullable(result: Fields, keeps: (keyword: string) => boolean): JsonObject {
  const { type, anyOf } = result;
  if (Array.isArray(type)) {
    delete result['type'];
    const named = type.filter((name) => name !== 'null');
    if (named.length < type.length) result['nullable'] = true;
    const [only = 'null'] = named;
    if (named.length <= 1) result['type'] = only;
    else
      return withChoice(
        result,
        named.map((name) => ({ type: name })),
        keeps,
      );
  }
  if (!Array.isArray(anyOf) || !anyOf.some(isNull)) return result;
  delete result['anyOf'];
  const choices = anyOf.filter((choice) => !isNull(choice));
  const [only] = choices;
  const nullable = { ...result, nullable: true };
  if (choices.length === 1 && isJsonObject(only)) return mergeAll([nullable, only], { deep: true });
  return choices.length === 0 ? { ...result, type: 'null' } : { ...nullable, anyOf: choices };
}

function isNull(schema: JsonValue): boolean {
  return isJsonObject(schema) && schema['type'] === 'null';
}

function withChoice(fields: Fields, anyOf: readonly JsonObject[], keeps: (keyword: string) => boolean): JsonObject {
  if (!keeps('anyOf')) return fields;
  if (fields['anyOf'] === undefined) return { ...fields, anyOf };
  const others = Array.isArray(fields['allOf']) ? fields['allOf'] : [];
  return keeps('allOf') ? { ...fields, allOf: [...others, { anyOf }] } : fields;
}
