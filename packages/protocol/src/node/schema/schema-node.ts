/** A JSON Schema, or a part of one, while it is made. */
export interface SchemaNode {
  [keyword: string]: unknown;
  properties?: Record<string, SchemaNode>;
}

/** Calls `visit` with each schema inside, parents first. Names of properties are no keywords and are never visited. */
export function visitSchemas(schema: unknown, visit: (node: SchemaNode) => void): void {
  if (Array.isArray(schema)) for (const one of schema) visitSchemas(one, visit);
  if (!isNode(schema)) return;
  visit(schema);
  for (const [keyword, argument] of Object.entries(schema)) {
    if (keyword === 'properties' || keyword === '$defs') visitSchemas(Object.values(argument ?? {}), visit);
    else if (holdsSchemas.has(keyword)) visitSchemas(argument, visit);
  }
}

const holdsSchemas = new Set(['items', 'additionalProperties', 'propertyNames', 'anyOf', 'oneOf', 'allOf', 'not']);

function isNode(value: unknown): value is SchemaNode {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
