import { isWire } from '../request-guards.ts';
import { anyText, anything, exact, listOf, trueOrFalse, type Shape } from '../shape.ts';

const number: Shape = (value, place) => (typeof value === 'number' ? undefined : `${place}: must be a number`);
const typeName = /^(string|number|integer|boolean|array|object|null)$/;

/** A JSON Schema in the words that the API's reference lists for it, a reference with no other word beside it. */
export const schemaShape: Shape = (value, place) => {
  if (isWire(value) && value['$ref'] !== undefined) {
    const beside = Object.keys(value).find((key) => !key.startsWith('$'));
    return beside === undefined ? undefined : `${place}.${beside}: nothing may stand beside a $ref`;
  }
  return words(value, place);
};

const inner: Shape = (value, place) => schemaShape(value, place);

const types: Shape = (value, place) => {
  const names: readonly unknown[] = Array.isArray(value) ? value : [value];
  return names.every((name) => typeof name === 'string' && typeName.test(name)) ? undefined : `${place}: is no type`;
};

function named(shape: Shape): Shape {
  return (value, place) => {
    if (!isWire(value)) return `${place}: must be an object`;
    for (const [name, member] of Object.entries(value)) {
      const problem = shape(member, `${place}.${name}`);
      if (problem !== undefined) return problem;
    }
    return undefined;
  };
}

const values: Shape = (value, place) =>
  Array.isArray(value) && value.length > 0 ? undefined : `${place}: must be a list of values`;

const words: Shape = exact(
  {},
  {
    $id: anyText,
    $defs: named(inner),
    $ref: anyText,
    $anchor: anyText,
    type: types,
    format: anyText,
    title: anyText,
    description: anyText,
    enum: values,
    items: inner,
    prefixItems: listOf(inner),
    minItems: number,
    maxItems: number,
    minimum: number,
    maximum: number,
    anyOf: listOf(inner),
    oneOf: listOf(inner),
    properties: named(inner),
    additionalProperties: (value, place) => (typeof value === 'boolean' ? trueOrFalse : inner)(value, place),
    required: listOf(anyText),
    propertyOrdering: anything,
  },
);
