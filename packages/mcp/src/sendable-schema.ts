import type { JsonObject, JsonValue } from '@rondo/protocol';
import { isObject } from './is-object.ts';

export type SendableSchema =
  | { readonly ok: true; readonly schema: JsonObject }
  | { readonly ok: false; readonly problem: string };

/** A tool's schema may take so much of a request, in characters of JSON. */
const MOST_CHARACTERS = 100_000;
const MOST_LEVELS = 64;
/** Names of arguments that every provider takes. */
const propertyName = /^[a-zA-Z0-9_.-]{1,64}$/;

/**
 * A tool's input schema in the form that every provider takes, or why it has none. One schema that a provider refuses makes
 * it refuse every request of the session: such a tool is better left out.
 */
export function sendableSchema(given: unknown): SendableSchema {
  let text: string | undefined;
  try {
    text = JSON.stringify(given);
  } catch (error) {
    return refused(`is no JSON (${error instanceof Error ? error.message : String(error)})`);
  }
  if (text === undefined) return refused('is missing');
  if (text.length > MOST_CHARACTERS)
    return refused(`has ${text.length} characters, which is more than ${MOST_CHARACTERS}`);
  const copy = JSON.parse(text) as JsonValue;
  if (!isObject(copy)) return refused('is no object');
  const { $schema: _dialect, type = 'object', ...rest } = copy;
  if (type !== 'object') return refused(`has type ${JSON.stringify(type)}, and a tool's arguments are an object`);
  const combined = ['anyOf', 'oneOf', 'allOf', 'not', 'enum'].find((keyword) => keyword in rest);
  if (combined !== undefined) return refused(`has "${combined}" at its top, which models' interfaces do not take`);
  const schema: JsonObject = { type, properties: {}, ...rest };
  const problem = problemIn(schema, schema, '', 0);
  return problem === undefined ? { ok: true, schema } : refused(problem);
}

function problemIn(schema: JsonValue | undefined, root: JsonObject, where: string, level: number): string | undefined {
  if (schema === undefined || typeof schema === 'boolean') return undefined;
  const place = where === '' ? '' : ` at ${where}`;
  if (!isObject(schema)) return `is no schema${place}`;
  if (level > MOST_LEVELS) return `is nested deeper than ${MOST_LEVELS} levels`;
  const { properties = {}, required = [], items, $ref } = schema;
  if (!isObject(properties)) return `has "properties" that is no object${place}`;
  if (!Array.isArray(required) || !required.every((name) => typeof name === 'string'))
    return `has "required" that is no list of names${place}`;
  if ($ref !== undefined && !leadsSomewhere($ref, root)) return `refers to ${JSON.stringify($ref)}, which is not in it`;
  for (const [name, property] of Object.entries(properties)) {
    if (level === 0 && !propertyName.test(name))
      return `has an argument ${JSON.stringify(name)}, a name that not every provider takes`;
    const problem = problemIn(property, root, join(where, name), level + 1);
    if (problem !== undefined) return problem;
  }
  const parts: [string, JsonValue | undefined][] = Array.isArray(items)
    ? items.map((item, index) => [join(where, String(index)), item])
    : [[join(where, '*'), items]];
  for (const keyword of ['anyOf', 'oneOf', 'allOf', 'prefixItems']) {
    const each = schema[keyword];
    if (each === undefined) continue;
    if (!Array.isArray(each)) return `has "${keyword}" that is no list of schemas${place}`;
    parts.push(...each.map((part): [string, JsonValue] => [where, part]));
  }
  for (const keyword of ['additionalProperties', 'not']) parts.push([join(where, '*'), schema[keyword]]);
  for (const keyword of ['$defs', 'definitions']) {
    const definitions = schema[keyword];
    if (isObject(definitions)) parts.push(...Object.entries(definitions));
  }
  for (const [path, part] of parts) {
    const problem = problemIn(part, root, path, level + 1);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Nothing is fetched: a reference leads to another place of the same schema. */
function leadsSomewhere(reference: JsonValue, root: JsonObject): boolean {
  if (typeof reference !== 'string' || !reference.startsWith('#')) return false;
  let place: JsonValue | undefined = root;
  for (const key of reference.slice(1).split('/').slice(1)) {
    const name = decoded(key)?.replaceAll('~1', '/').replaceAll('~0', '~');
    if (name === undefined || typeof place !== 'object' || place === null || !Object.hasOwn(place, name)) return false;
    place = (place as JsonObject)[name];
  }
  return true;
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function join(where: string, name: string): string {
  return where === '' ? name : `${where}.${name}`;
}

function refused(problem: string): SendableSchema {
  return { ok: false, problem: `its input schema ${problem}` };
}
