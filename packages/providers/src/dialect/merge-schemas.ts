import type { JsonObject, JsonValue } from '@rondo/protocol';
import { isJsonObject } from './json.ts';
import { saysOnly } from './schema-keywords.ts';

type Fields = Record<string, JsonValue>;

const nothing: JsonObject = {};

/** Keywords that mean something together only. */
const groups = [
  ['if', 'then', 'else'],
  ['contains', 'minContains', 'maxContains'],
] as const;

/**
 * One schema without combinators that accepts every object which all of the schemas accept. Where two say different
 * things about one keyword and no one thing says both, the first counts. Properties of one name stand beside each other
 * in an `allOf`, or are merged too where that is `deep`.
 */
export function mergeAll(schemas: readonly JsonObject[], { deep = false } = {}): JsonObject {
  return schemas.reduce((left, right) => both(left, right, deep), nothing);
}

function both(left: JsonObject, right: JsonObject, deep: boolean): JsonObject {
  if (left === nothing) return right;
  const merged: Fields = { ...right, ...left };
  for (const group of groups) {
    if (!group.some((keyword) => left[keyword] !== undefined)) continue;
    for (const keyword of group) if (left[keyword] === undefined) delete merged[keyword];
  }
  const properties = [membersOf(left), membersOf(right)] as const;
  const names = new Set(properties.flatMap((members) => Object.keys(members)));
  if (names.size > 0) {
    merged['properties'] = Object.fromEntries(
      [...names].map((name) => [
        name,
        bothMembers(ownMember(properties[0], name), ownMember(properties[1], name), deep),
      ]),
    );
  }
  const required = [...new Set([...listOf(left['required']), ...listOf(right['required'])])];
  if (required.length > 0) merged['required'] = required;
  const types = commonTypes(left['type'], right['type']);
  if (types !== undefined) merged['type'] = types;
  delete merged['unevaluatedProperties'];
  // The right one's word for further names is not for those that only its own patterns knew.
  const bothMatch = left['patternProperties'] !== undefined && right['patternProperties'] !== undefined;
  if (bothMatch && left['additionalProperties'] === undefined) delete merged['additionalProperties'];
  return merged;
}

function bothMembers(left: JsonValue | undefined, right: JsonValue | undefined, deep: boolean): JsonValue {
  if (left === undefined || left === true || isEmpty(left)) return right ?? left ?? {};
  if (right === undefined || right === true || isEmpty(right) || same(left, right)) return left;
  if (!deep) return { allOf: [left, right] };
  return isJsonObject(left) && isJsonObject(right) ? both(left, right, deep) : false;
}

/**
 * One schema without combinators that accepts every object which any of the schemas accepts. A name that one of them
 * leaves open is open in the whole.
 */
export function mergeAny(schemas: readonly JsonObject[]): JsonObject {
  const [first] = schemas;
  if (first === undefined || schemas.length === 1) return first ?? nothing;
  const names = [...new Set(schemas.flatMap((schema) => Object.keys(membersOf(schema))))];
  const properties = Object.fromEntries(names.map((name) => [name, anyMember(schemas, name)]));
  const required = listOf(first['required']).filter((name) =>
    schemas.every((schema) => listOf(schema['required']).includes(name)),
  );
  return {
    type: 'object',
    ...(names.length > 0 && { properties }),
    ...(required.length > 0 && { required }),
    ...(schemas.every(isClosed) && { additionalProperties: false }),
  };
}

function anyMember(schemas: readonly JsonObject[], name: string): JsonValue {
  const members = schemas.map((schema) => ownMember(membersOf(schema), name) ?? (isClosed(schema) ? undefined : {}));
  const known = members.filter((member) => member !== undefined);
  const distinct = known.filter((member, index) => known.findIndex((other) => same(other, member)) === index);
  const [only] = distinct;
  if (only !== undefined && distinct.length === 1) return only;
  if (!distinct.some((member) => member === true || isEmpty(member))) return { anyOf: distinct };
  return sayings(distinct.find((member) => isJsonObject(member) && Object.keys(member).length > 0));
}

function sayings(schema: JsonValue | undefined): JsonObject {
  if (!isJsonObject(schema)) return {};
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => saysOnly.has(keyword)));
}

/** Whether it refuses every name that it does not list. */
function isClosed(schema: JsonObject): boolean {
  return schema['additionalProperties'] === false && schema['patternProperties'] === undefined;
}

function commonTypes(left: JsonValue | undefined, right: JsonValue | undefined): JsonValue | undefined {
  if (left === undefined || right === undefined) return left ?? right;
  const lefts: readonly JsonValue[] = Array.isArray(left) ? left : [left];
  const rights: readonly JsonValue[] = Array.isArray(right) ? right : [right];
  const common = lefts.filter((type) => rights.includes(type));
  return common.length === 1 ? common[0] : common.length > 1 ? common : left;
}

function membersOf(schema: JsonObject): JsonObject {
  return isJsonObject(schema['properties']) ? schema['properties'] : nothing;
}

function ownMember(members: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(members, name) ? members[name] : undefined;
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

function isEmpty(value: JsonValue): boolean {
  return isJsonObject(value) && Object.keys(value).length === 0;
}

function same(left: JsonValue, right: JsonValue): boolean {
  return left === right || JSON.stringify(left) === JSON.stringify(right);
}
