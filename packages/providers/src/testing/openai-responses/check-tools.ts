import { firstProblem, isWire, type Wire } from '../request-guards.ts';
import { anyObject, anyText, exact, listOf, oneOf, orNull, trueOrFalse } from '../shape.ts';
import { functionName } from './item-shapes.ts';

const mostTools = 128;

const functionTool = exact(
  { type: oneOf('function'), name: functionName, parameters: orNull(anyObject), strict: orNull(trueOrFalse) },
  {
    allowed_callers: orNull(listOf(oneOf('direct', 'programmatic'))),
    async: trueOrFalse,
    defer_loading: trueOrFalse,
    description: orNull(anyText),
    output_schema: orNull(anyObject),
  },
);

/** Tools that run on the vendor's side, whose settings are not looked at. */
const hostedTools: ReadonlySet<unknown> = new Set([
  'apply_patch',
  'code_interpreter',
  'computer',
  'computer_use_preview',
  'custom',
  'file_search',
  'image_generation',
  'local_shell',
  'mcp',
  'namespace',
  'programmatic_tool_calling',
  'shell',
  'tool_search',
  'web_search',
  'web_search_preview',
]);

/** What is wrong with the tools that a request offers. */
export function checkTools(tools: unknown): string | undefined {
  if (tools === undefined) return undefined;
  if (!Array.isArray(tools)) return 'tools: must be a list';
  if (tools.length > mostTools) {
    return `Invalid 'tools': array too long. Expected an array with maximum length ${mostTools}, but got an array with length ${tools.length} instead.`;
  }
  const names = new Set<unknown>();
  return firstProblem(tools as readonly unknown[], (tool, index) => {
    const place = `tools[${index}]`;
    if (isWire(tool) && hostedTools.has(tool['type'])) return undefined;
    const problem = functionTool(tool, place);
    if (problem !== undefined || !isWire(tool)) return problem;
    const { name, parameters } = tool;
    if (names.has(name)) return `${place}.name: ${JSON.stringify(name)} is there twice`;
    names.add(name);
    return isWire(parameters) ? checkParameters(String(name), parameters) : undefined;
  });
}

const notAtTop = ['oneOf', 'anyOf', 'allOf', 'enum', 'not'];

function checkParameters(name: string, schema: Wire): string | undefined {
  const invalid = `Invalid schema for function '${name}': `;
  if (schema['type'] !== 'object' || notAtTop.some((keyword) => schema[keyword] !== undefined))
    return `${invalid}schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.`;
  const problem = checkSchema(schema, []);
  return problem === undefined ? undefined : invalid + problem;
}

const typeNames: readonly unknown[] = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'];
const inside = ['items', 'additionalProperties', 'not', 'if', 'then', 'else', 'contains', 'propertyNames'];
const lists = ['anyOf', 'oneOf', 'allOf', 'prefixItems'];
const maps = ['properties', 'patternProperties', '$defs', 'definitions'];

function checkSchema(schema: unknown, path: readonly string[]): string | undefined {
  const context = `In context=(${path.map((step) => `'${step}'`).join(', ')}), `;
  if (typeof schema === 'boolean') return undefined;
  if (!isWire(schema)) return `${context}${JSON.stringify(schema)} is not of type 'object', 'boolean'.`;
  const types: readonly unknown[] = Array.isArray(schema['type']) ? schema['type'] : [schema['type']];
  const unknown = types.find((type) => type !== undefined && !typeNames.includes(type));
  if (unknown !== undefined) return `${context}${JSON.stringify(unknown)} is not valid under any of the given schemas.`;
  if (types.includes('object') && !isWire(schema['properties'])) return `${context}object schema missing properties.`;
  if (types.includes('array') && schema['items'] === undefined) return `${context}array schema missing items.`;
  if (schema['required'] !== undefined && !Array.isArray(schema['required']))
    return `${context}${JSON.stringify(schema['required'])} is not of type 'array'.`;
  return (
    firstProblem(inside, (key) => (schema[key] === undefined ? undefined : checkSchema(schema[key], [...path, key]))) ??
    firstProblem(lists, (key) => checkList(schema[key], [...path, key])) ??
    firstProblem(maps, (key) => checkMap(schema[key], [...path, key]))
  );
}

function checkList(schemas: unknown, path: readonly string[]): string | undefined {
  if (schemas === undefined) return undefined;
  if (!Array.isArray(schemas) || schemas.length === 0) return `${path.join('.')} must be a list with members.`;
  return firstProblem(schemas as readonly unknown[], (schema, index) => checkSchema(schema, [...path, String(index)]));
}

function checkMap(schemas: unknown, path: readonly string[]): string | undefined {
  if (schemas === undefined) return undefined;
  if (!isWire(schemas)) return `${path.join('.')} must be an object.`;
  return firstProblem(Object.entries(schemas), ([name, schema]) => checkSchema(schema, [...path, name]));
}
