import { isWire } from './request-guards.ts';
import { anyObject, anyText, exact, listOf, matching, oneOf, orNull, trueOrFalse, type Shape } from './shape.ts';

/** What a vendor's reference says of a schema that the model's text is held to. */
interface OutputRules {
  /** Words that it refuses. */
  readonly refused: readonly string[];
  /** Every property of an object has to be in its `required`. */
  readonly requiresAll?: boolean;
}

/** A schema of an object all of whose objects are closed, in the words that the vendor takes. */
function closedSchema(rules: OutputRules): Shape {
  const schema: Shape = (value, place) => {
    if (!isWire(value)) return `${place}: must be a schema`;
    const refused = rules.refused.find((word) => value[word] !== undefined);
    if (refused !== undefined) return `${place}.${refused}: is not supported`;
    const { properties = {}, required, items, anyOf } = value;
    if (value['type'] === 'object') {
      if (value['additionalProperties'] !== false)
        return `${place}.additionalProperties: For 'object' type, must be explicitly set to false`;
      const names = isWire(properties) ? Object.keys(properties) : [];
      const missing = names.find((name) => !(Array.isArray(required) && required.includes(name)));
      if (rules.requiresAll === true && missing !== undefined) return `${place}.required: Missing '${missing}'`;
    }
    if (value['type'] === undefined && anyOf === undefined && value['$ref'] === undefined)
      return `${place}: schema must have a 'type' key`;
    const inner = [
      ...(isWire(properties) ? Object.entries(properties) : []),
      ...(items === undefined ? [] : [['items', items] as const]),
    ];
    for (const [name, member] of inner) {
      const problem = schema(member, `${place}.${name}`);
      if (problem !== undefined) return problem;
    }
    return anyOf === undefined ? undefined : listOf(schema)(anyOf, `${place}.anyOf`);
  };
  return (value, place) =>
    isWire(value) && value['type'] === 'object' ? schema(value, place) : `${place}: must be a schema of an object`;
}

const composed = ['allOf', 'not', 'if', 'then', 'else', 'dependentRequired', 'dependentSchemas', 'patternProperties'];

/** By OpenAI's guide to structured outputs. */
const strictSchema = closedSchema({
  refused: [...composed, 'oneOf', 'propertyNames', 'prefixItems'],
  requiresAll: true,
});

/** By Anthropic's guide to structured outputs. */
export const anthropicSchema = closedSchema({
  refused: [
    'not',
    'if',
    'then',
    'else',
    'oneOf',
    'patternProperties',
    'propertyNames',
    'prefixItems',
    'minimum',
    'maximum',
    'exclusiveMinimum',
    'exclusiveMaximum',
    'multipleOf',
    'minLength',
    'maxLength',
    'maxItems',
  ],
});

const name = matching(/^[a-zA-Z0-9_-]{1,64}$/);
const named = exact({ name, schema: anyObject }, { description: anyText, strict: orNull(trueOrFalse) });
const strictNamed = exact({ name, schema: strictSchema, strict: oneOf(true) }, { description: anyText });

/** A name and a schema, with the stricter rules where it is to be `strict`. */
const namedSchema: Shape = (value, place) =>
  isWire(value) && value['strict'] === true ? strictNamed(value, place) : named(value, place);

/** The `response_format` of chat completions. */
export const responseFormat: Shape = (value, place) => {
  if (!isWire(value)) return `${place}: must be an object`;
  return value['type'] === 'json_schema'
    ? exact({ type: anyText, json_schema: namedSchema })(value, place)
    : exact({ type: oneOf('text', 'json_object') })(value, place);
};

/** The `text` of OpenAI's responses. */
export const textFormat = exact(
  {},
  {
    format: (value, place) => {
      if (!isWire(value) || value['type'] !== 'json_schema')
        return exact({ type: oneOf('text', 'json_object') })(value, place);
      const { type: _type, ...rest } = value;
      return namedSchema(rest, place);
    },
    verbosity: oneOf('low', 'medium', 'high', null),
  },
);
