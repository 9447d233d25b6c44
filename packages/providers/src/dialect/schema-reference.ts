import type { JsonObject, JsonValue } from '@rondo/protocol';
import { isJsonObject } from './json.ts';
import { isSchema } from './schema-keywords.ts';

/** A schema and the one that the references in it are read from. */
export interface PlacedSchema {
  readonly schema: JsonValue;
  readonly root: JsonObject;
}

/** What `#` means inside of the schema: one that names itself by `$id` is a document of its own. */
export function rootOf(schema: JsonObject, root: JsonObject): JsonObject {
  const id = schema['$id'];
  return typeof id === 'string' && !id.startsWith('#') ? schema : root;
}

/** The schema that a reference names. Only pointers into the same document are followed: nothing is ever fetched. */
export function findSchema(root: JsonObject, reference: string): PlacedSchema | undefined {
  if (reference !== '#' && !reference.startsWith('#/')) return undefined;
  let found: PlacedSchema = { schema: root, root };
  for (const step of reference.split('/').slice(1)) {
    const next = memberOf(found.schema, readStep(step));
    if (next === undefined) return undefined;
    found = { schema: next, root: isJsonObject(next) ? rootOf(next, found.root) : found.root };
  }
  return isSchema(found.schema) ? found : undefined;
}

/** Whether it names a definition of the whole schema, which stands at the same place when the schema is reduced. */
export function isInsideDefinitions(reference: string): boolean {
  return /^#\/(\$defs|definitions)\/[^/]+$/.test(reference);
}

function memberOf(value: JsonValue, name: string): JsonValue | undefined {
  if (Array.isArray(value)) return /^\d+$/.test(name) ? value[Number(name)] : undefined;
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function readStep(step: string): string {
  try {
    return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return step;
  }
}
