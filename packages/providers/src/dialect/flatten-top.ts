import type { JsonObject, JsonValue } from '@rondo/protocol';
import { isJsonObject } from './json.ts';
import { mergeAll, mergeAny } from './merge-schemas.ts';
import { findSchema, type PlacedSchema } from './schema-reference.ts';

/** Of what is lost, this much is told to the model in words. */
const longestNote = 2_000;

/**
 * The outermost schema without the forbidden keywords. References and combinators are merged into one schema of an
 * object that accepts every object the given one accepts; what cannot be said in it is told in its description.
 */
export function flattenTop(schema: JsonObject, forbidden: readonly string[]): JsonObject {
  // A constant is an enum of one.
  const refused = forbidden.includes('enum') ? [...forbidden, 'const'] : forbidden;
  const found = refused.filter((keyword) => schema[keyword] !== undefined);
  if (found.length === 0 && schema['$ref'] === undefined) return schema;
  const merged = flatten({ schema, root: schema }, []);
  const kept = Object.entries(merged).filter(([keyword]) => !refused.includes(keyword));
  const lost = found.filter((keyword) => keyword !== 'allOf');
  return withNote(
    Object.fromEntries(kept),
    Object.fromEntries(lost.map((keyword) => [keyword, schema[keyword] ?? null])),
  );
}

const combinators: readonly string[] = ['$ref', 'allOf', 'anyOf', 'oneOf'];

function flatten({ schema, root }: PlacedSchema, open: readonly JsonValue[]): JsonObject {
  if (!isJsonObject(schema) || open.includes(schema)) return {};
  const inside = [...open, schema];
  const each = (members: JsonValue | undefined): readonly JsonObject[] =>
    Array.isArray(members)
      ? members.filter(mayBeObject).map((member: JsonValue) => flatten({ schema: member, root }, inside))
      : [];
  const own = Object.fromEntries(Object.entries(schema).filter(([keyword]) => !combinators.includes(keyword)));
  const reference = schema['$ref'];
  const target = typeof reference === 'string' ? findSchema(root, reference) : undefined;
  return mergeAll([
    own,
    ...(target === undefined ? [] : [flatten(target, inside)]),
    ...each(schema['allOf']),
    mergeAny(each(schema['anyOf'])),
    mergeAny(each(schema['oneOf'])),
  ]);
}

/** The input of a tool is an object whatever a schema says, so a choice that is none was never there. */
function mayBeObject(schema: JsonValue): boolean {
  if (!isJsonObject(schema)) return schema === true;
  const { type } = schema;
  return type === undefined || type === 'object' || (Array.isArray(type) && type.includes('object'));
}

function withNote(schema: JsonObject, lost: JsonObject): JsonObject {
  const note = JSON.stringify(lost);
  if (note === '{}' || note.length > longestNote) return schema;
  const { description } = schema;
  const before = typeof description === 'string' && description !== '' ? `${description}\n\n` : '';
  return { ...schema, description: `${before}The input also has to match this JSON Schema: ${note}` };
}
