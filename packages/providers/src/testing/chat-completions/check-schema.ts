import { firstProblem, isWire, type Wire } from '../request-guards.ts';

const ungrammatical: readonly string[] = ['pattern', 'format', 'minLength', 'maxLength', 'minItems', 'maxItems', 'not'];

/** llama.cpp makes one grammar of all tools; what it may fail at is refused here whenever it is there. */
export function checkGrammar(schema: Wire, place: string): string | undefined {
  return eachSchema(schema, place, (inner, at) => {
    const keyword = ungrammatical.find((name) => inner[name] !== undefined);
    return keyword === undefined ? undefined : `${at}.${keyword}: failed to parse grammar`;
  });
}

/** Ollama reads a tool into structures that know neither `true` as a schema nor a reference. */
export function checkPropertiesAreObjects(schema: Wire, place: string): string | undefined {
  return eachSchema(schema, place, (inner, at) => {
    const properties = isWire(inner['properties']) ? Object.entries(inner['properties']) : [];
    const odd = properties.find(([, value]) => !isWire(value) || value['$ref'] !== undefined);
    return odd === undefined ? undefined : `${at}.properties.${odd[0]}: json: cannot unmarshal into ToolProperty`;
  });
}

function eachSchema(
  schema: Wire,
  place: string,
  check: (schema: Wire, place: string) => string | undefined,
): string | undefined {
  const properties = isWire(schema['properties']) ? Object.entries(schema['properties']) : [];
  const lists = ['anyOf', 'oneOf', 'allOf'].flatMap((name) => (Array.isArray(schema[name]) ? schema[name] : []));
  const inside = [...properties.map(([, value]) => value), schema['items'], ...(lists as readonly unknown[])];
  return (
    check(schema, place) ??
    firstProblem(inside, (inner) => (isWire(inner) ? eachSchema(inner, place, check) : undefined))
  );
}
