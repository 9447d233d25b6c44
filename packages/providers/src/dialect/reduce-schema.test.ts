import type { JsonObject, JsonValue } from '@rondo/protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isJsonObject } from './json.ts';
import { reduceSchema, type SchemaRules } from './reduce-schema.ts';

const strictTop: SchemaRules = { forbiddenAtTop: ['oneOf', 'anyOf', 'allOf', 'enum', 'not'], namesMembers: true };
const plain: SchemaRules = {
  ...strictTop,
  inlineReferences: true,
  onlyKeywords: ['type', 'description', 'properties', 'required', 'items', 'enum', 'anyOf', 'minItems', 'nullable'],
  typeLists: 'nullable',
  constantsAsEnums: true,
  stringEnumsOnly: true,
  objectSchemasOnly: true,
  maximumDepth: 4,
  maximumProperties: 12,
};

function frozen<Value extends JsonValue>(value: Value): Value {
  if (typeof value === 'object' && value !== null) {
    Object.values(value).forEach((member: JsonValue) => frozen(member));
    Object.freeze(value);
  }
  return value;
}

function reduce(schema: JsonObject, rules: SchemaRules): JsonObject {
  return reduceSchema(frozen(schema), rules);
}

describe('the outermost schema', () => {
  test('one that nothing forbids stays as it is, with its members named', () => {
    const schema = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] };
    expect(reduce(schema, strictTop)).toEqual(schema);
    expect(reduce({}, strictTop)).toEqual({ type: 'object', properties: {} });
    expect(reduce({ type: ['object', 'null'], properties: { a: { type: 'array' } } }, strictTop)).toEqual({
      type: 'object',
      properties: { a: { type: 'array', items: {} } },
    });
  });

  test('a choice of closed objects becomes one object, and the choice is told in words', () => {
    const variants = [
      {
        type: 'object',
        properties: { kind: { const: 'file' }, path: { type: 'string' } },
        required: ['kind', 'path'],
        additionalProperties: false,
      },
      {
        type: 'object',
        properties: { kind: { const: 'url' }, url: { type: 'string' } },
        required: ['kind', 'url'],
        additionalProperties: false,
      },
    ];
    const reduced = reduce({ description: 'What to read.', oneOf: variants }, strictTop);
    expect(reduced).toMatchObject({
      type: 'object',
      properties: {
        kind: { anyOf: [{ const: 'file' }, { const: 'url' }] },
        path: { type: 'string' },
        url: { type: 'string' },
      },
      required: ['kind'],
      additionalProperties: false,
    });
    expect(reduced['description']).toContain('What to read.\n\n');
    expect(reduced['description']).toContain(JSON.stringify({ oneOf: variants }));
    expect(reduced).not.toHaveProperty('oneOf');
  });

  test('what all of several schemas ask for is asked of one', () => {
    const reduced = reduce(
      {
        properties: { a: { type: 'string' } },
        allOf: [
          { properties: { b: { type: 'number' } }, required: ['b'] },
          { $ref: '#/$defs/more' },
          { properties: { a: { minLength: 2 } } },
        ],
        $defs: { more: { type: 'object', properties: { c: true }, required: ['c'] } },
      },
      strictTop,
    );
    expect(reduced).toEqual({
      type: 'object',
      properties: { a: { allOf: [{ type: 'string' }, { minLength: 2 }] }, b: { type: 'number' }, c: true },
      required: ['b', 'c'],
      $defs: { more: { type: 'object', properties: { c: true }, required: ['c'] } },
    });
  });
});

describe('references', () => {
  const tree = {
    type: 'object',
    properties: { root: { $ref: '#/$defs/node', description: 'Where it begins.' } },
    $defs: {
      node: {
        type: 'object',
        description: 'A node.',
        properties: { name: { type: 'string' }, next: { $ref: '#/$defs/node' } },
        required: ['name'],
      },
    },
  };

  test('stay where they may, and those that lead nowhere are open', () => {
    expect(reduce(tree, {})).toEqual(tree);
    const broken = { type: 'object', properties: { a: { $ref: '#/$defs/gone' }, b: { $ref: 'https://x.example/y' } } };
    expect(reduce(broken, {})).toEqual({ type: 'object', properties: { a: {}, b: {} } });
  });

  test('are put in place, and cut where they lead back', () => {
    expect(reduce(tree, { inlineReferences: true })).toEqual({
      type: 'object',
      properties: {
        root: {
          type: 'object',
          description: 'Where it begins.',
          properties: { name: { type: 'string' }, next: { type: 'object', description: 'A node.' } },
          required: ['name'],
        },
      },
    });
  });

  test('that double at every level end somewhere', () => {
    const levels = Object.fromEntries(
      Array.from({ length: 60 }, (_, level) => {
        const next = { $ref: `#/$defs/l${level + 1}` };
        return [`l${level}`, { type: 'object', properties: { a: next, b: next } }];
      }),
    );
    const wide = { type: 'object', properties: { top: { $ref: '#/$defs/l0' } }, $defs: levels };
    expect(JSON.stringify(reduce(wide, { inlineReferences: true })).length).toBeLessThan(2_000_000);
  });

  test('of a schema inside that is a document of its own are read from there', () => {
    const inner = { $id: 'https://x.example/inner', $defs: { word: { type: 'string' } }, $ref: '#/$defs/word' };
    const reduced = reduce({ type: 'object', properties: { a: inner }, $defs: { word: { type: 'number' } } }, {});
    expect(reduced['properties']).toMatchObject({ a: { type: 'string' } });
  });
});

describe('what a keyword means beside others', () => {
  const properties = { type: 'object', properties: {} };
  test.each<[string, JsonObject, SchemaRules, JsonObject]>([
    [
      'without patterns for names, other names are not refused',
      { patternProperties: { '^x': { type: 'string' } }, additionalProperties: false },
      { droppedKeywords: ['patternProperties'] },
      { type: 'object' },
    ],
    [
      'without a tuple, its rest is not for all',
      { properties: { a: { type: 'array', prefixItems: [{ type: 'string' }], items: { type: 'number' } } } },
      { droppedKeywords: ['prefixItems'] },
      { type: 'object', properties: { a: { type: 'array' } } },
    ],
    [
      'a refusal by something wider is none',
      { properties: { a: { not: { type: 'string', minLength: 3 } } } },
      { droppedKeywords: ['minLength'] },
      { type: 'object', properties: { a: {} } },
    ],
    [
      'one of several that are wider is any of them',
      {
        properties: {
          a: {
            oneOf: [
              { type: 'string', maxLength: 2 },
              { type: 'string', minLength: 3 },
            ],
          },
        },
      },
      { droppedKeywords: ['minLength'] },
      { type: 'object', properties: { a: { anyOf: [{ type: 'string', maxLength: 2 }, { type: 'string' }] } } },
    ],
    [
      'a condition that is wider decides nothing',
      // oxlint-disable-next-line unicorn/no-thenable -- JSON Schema has a keyword of that name.
      { if: { properties: { a: { minLength: 1 } } }, then: { required: ['b'] }, else: { required: ['c'] } },
      { droppedKeywords: ['minLength'] },
      { type: 'object' },
    ],
    [
      'older words',
      {
        properties: {
          a: { items: [{ type: 'string' }], additionalItems: false },
          b: { minimum: 1, exclusiveMinimum: true },
          c: { minimum: 1, exclusiveMinimum: false },
        },
      },
      {},
      {
        type: 'object',
        properties: {
          a: { prefixItems: [{ type: 'string' }], items: false },
          b: { exclusiveMinimum: 1 },
          c: { minimum: 1 },
        },
      },
    ],
    [
      'words that are wrong are left out',
      { properties: { a: { type: 'any', required: true, enum: [], pattern: '(' } }, required: 'a' },
      {},
      { type: 'object', properties: { a: {} } },
    ],
    [
      'types in a list',
      { properties: { a: { type: ['string', 'null'], minLength: 1 }, b: { type: ['string'] } } },
      { typeLists: 'anyOf' },
      {
        type: 'object',
        properties: { a: { minLength: 1, anyOf: [{ type: 'string' }, { type: 'null' }] }, b: { type: 'string' } },
      },
    ],
    [
      'types and choices with null',
      {
        properties: {
          a: { type: ['string', 'null'] },
          b: { description: 'B', anyOf: [{ type: 'number' }, { type: 'null' }] },
          c: { type: ['string', 'number', 'null'] },
        },
      },
      { typeLists: 'nullable' },
      {
        type: 'object',
        properties: {
          a: { type: 'string', nullable: true },
          b: { description: 'B', nullable: true, type: 'number' },
          c: { nullable: true, anyOf: [{ type: 'string' }, { type: 'number' }] },
        },
      },
    ],
    [
      'constants and values that are no strings',
      { properties: { a: { const: 'x' }, b: { enum: ['x', 1] } } },
      { constantsAsEnums: true, stringEnumsOnly: true },
      { type: 'object', properties: { a: { enum: ['x'] }, b: {} } },
    ],
    [
      'what all ask for, where there is no word for it',
      { properties: { a: { allOf: [{ type: 'string' }, { description: 'A', minLength: 1 }] } } },
      { droppedKeywords: ['allOf'] },
      { type: 'object', properties: { a: { type: 'string', description: 'A', minLength: 1 } } },
    ],
    [
      'optional properties go first where there are too many',
      { properties: { a: {}, b: {}, c: {} }, required: ['c'], additionalProperties: false },
      { maximumProperties: 2 },
      { type: 'object', properties: { a: {}, c: {} }, required: ['c'] },
    ],
    [
      'what is too deep is said in fewest words',
      { properties: { a: { type: 'object', description: 'A', properties: { b: { type: 'string', minLength: 1 } } } } },
      { maximumDepth: 1 },
      {
        type: 'object',
        properties: { a: { type: 'object', description: 'A', properties: { b: { type: 'string' } } } },
      },
    ],
  ])('%s', (_name, schema, rules, expected) => {
    expect(reduce(schema, rules)).toEqual(expected);
  });

  test('a schema is reduced once for the same rules', () => {
    expect(reduceSchema(properties, plain)).toBe(reduceSchema(properties, plain));
    expect(reduceSchema(properties, strictTop)).not.toBe(reduceSchema(properties, plain));
  });
});

test('a reduced schema accepts whatever the given one accepts, and follows the rules', () => {
  fc.assert(
    fc.property(
      schemas,
      fc.array(objects, { minLength: 8, maxLength: 8 }),
      fc.constantFrom<SchemaRules>(
        strictTop,
        plain,
        { inlineReferences: true, droppedKeywords: ['pattern', 'minimum', 'patternProperties'] },
        { ...strictTop, droppedKeywords: ['maximum', 'additionalProperties'], typeLists: 'anyOf' },
      ),
      (schema, values, rules) => {
        const reduced = reduce(schema, rules);
        for (const value of values) {
          if (accepts(schema, value, schema)) expect(accepts(reduced, value, reduced)).toBe(true);
        }
        expect(reduced['type']).toBe('object');
        for (const keyword of rules.forbiddenAtTop ?? []) expect(reduced).not.toHaveProperty(keyword);
        if (rules.onlyKeywords !== undefined) expect(keywordsOf(reduced)).toEqual(new Set());
      },
    ),
    { numRuns: 200 },
  );
}, 60_000);

const names = fc.constantFrom('a', 'b', 'c', 'xy');
const leaves = fc.oneof(fc.constantFrom<JsonValue>('', 'x', 'long', 0, 1, 7, true, null), fc.constant([]));
const { objects, schemas } = fc.letrec<{
  value: JsonValue;
  objects: JsonObject;
  member: JsonValue;
  schema: JsonObject;
  schemas: JsonObject;
}>((tie) => ({
  value: fc.oneof({ maxDepth: 2 }, leaves, fc.array(tie('value'), { maxLength: 3 }), tie('objects')),
  objects: fc.dictionary(names, tie('value'), { maxKeys: 3 }),
  member: fc.oneof({ weight: 1, arbitrary: fc.boolean() }, { weight: 9, arbitrary: tie('schema') }),
  schema: fc.oneof(
    { maxDepth: 3 },
    fc.record<JsonObject>(
      {
        type: fc.constantFrom<JsonValue>('string', 'number', 'object', ['string', 'null'], ['object', 'array', 'null']),
        description: fc.constant('words'),
        minimum: fc.constant(1),
        maximum: fc.constant(3),
        pattern: fc.constant('^x'),
        enum: fc.constant(['x', 1, null]),
        const: fc.constantFrom<JsonValue>('x', 1),
      },
      { requiredKeys: [] },
    ),
    fc.record<JsonObject>(
      {
        properties: fc.dictionary(names, tie('member'), { maxKeys: 3 }),
        patternProperties: fc.dictionary(fc.constantFrom('^a', 'y'), tie('member'), { maxKeys: 2 }),
        additionalProperties: tie('member'),
        required: fc.uniqueArray(names, { maxLength: 2 }),
        prefixItems: fc.array(tie('member'), { minLength: 1, maxLength: 2 }),
        items: tie('member'),
      },
      { requiredKeys: [] },
    ),
    fc.record<JsonObject>(
      {
        type: fc.constantFrom<JsonValue>('object', ['object', 'null']),
        properties: fc.dictionary(names, tie('member'), { maxKeys: 2 }),
        allOf: fc.array(tie('member'), { minLength: 1, maxLength: 2 }),
        anyOf: fc.array(tie('member'), { minLength: 1, maxLength: 3 }),
        oneOf: fc.array(tie('member'), { minLength: 1, maxLength: 3 }),
        not: tie('member'),
        if: tie('member'),
        // oxlint-disable-next-line unicorn/no-thenable -- JSON Schema has a keyword of that name.
        then: tie('member'),
        else: tie('member'),
      },
      { requiredKeys: [] },
    ),
    fc.record<JsonObject>(
      { $ref: fc.constantFrom('#/$defs/one', '#/$defs/two'), minimum: fc.constant(1) },
      { requiredKeys: ['$ref'] },
    ),
  ),
  schemas: fc
    .tuple(tie('schema'), tie('schema'), tie('schema'))
    // One definition may name the other, but not the other way about: the acceptor below has no guard against circles.
    .map(
      ([schema, one, two]): JsonObject => ({
        ...schema,
        $defs: { one: withoutReferences(one, []), two: withoutReferences(two, ['#/$defs/one']) },
      }),
    ),
}));

function withoutReferences(schema: JsonObject, allowed: readonly string[]): JsonObject {
  const text = JSON.stringify(schema, (key, value: unknown) =>
    key === '$ref' && !allowed.includes(String(value)) ? undefined : value,
  );
  return JSON.parse(text) as JsonObject;
}

/** What JSON Schema says of a value, for the keywords that are made above, and `nullable`. */
function accepts(schema: JsonValue | undefined, value: JsonValue, root: JsonObject): boolean {
  if (!isJsonObject(schema)) return schema !== false;
  const holds = (inner: JsonValue | undefined, of: JsonValue = value): boolean => accepts(inner, of, root);
  const list = (keyword: string): readonly JsonValue[] => {
    const members = schema[keyword];
    return Array.isArray(members) ? members : [];
  };
  if (schema['nullable'] === true && value === null) return true;
  const { $ref: reference, type, enum: values, minimum, maximum, pattern } = schema;
  if (typeof reference === 'string') {
    const definitions = root['$defs'];
    if (!isJsonObject(definitions) || !holds(definitions[reference.slice('#/$defs/'.length)])) return false;
  }
  if (type !== undefined && ![type].flat().some((name) => name === typeOf(value))) return false;
  if (Array.isArray(values) && !values.includes(value)) return false;
  if ('const' in schema && schema['const'] !== value) return false;
  if (typeof value === 'number' && typeof minimum === 'number' && value < minimum) return false;
  if (typeof value === 'number' && typeof maximum === 'number' && value > maximum) return false;
  if (typeof value === 'string' && typeof pattern === 'string' && !RegExp(pattern).test(value)) return false;
  if (Array.isArray(value)) {
    const first = list('prefixItems');
    if (!value.every((item, index) => holds(index < first.length ? first[index] : schema['items'], item))) return false;
  }
  if (isJsonObject(value) && !acceptsMembers(schema, value, holds)) return false;
  if (!list('allOf').every((member) => holds(member))) return false;
  if ('anyOf' in schema && !list('anyOf').some((member) => holds(member))) return false;
  if ('oneOf' in schema && list('oneOf').filter((member) => holds(member)).length !== 1) return false;
  if ('not' in schema && holds(schema['not'])) return false;
  return 'if' in schema ? holds(schema[holds(schema['if']) ? 'then' : 'else']) : true;
}

function acceptsMembers(
  schema: JsonObject,
  value: JsonObject,
  holds: (schema: JsonValue | undefined, value: JsonValue) => boolean,
): boolean {
  const { properties = {}, patternProperties = {}, required = [], additionalProperties } = schema;
  if (Array.isArray(required) && !required.every((name) => Object.hasOwn(value, String(name)))) return false;
  return Object.entries(value).every(([name, member]) => {
    const named = isJsonObject(properties) && Object.hasOwn(properties, name) ? [properties[name]] : [];
    const matched = Object.entries(patternProperties ?? {}).flatMap(([source, inner]) =>
      RegExp(source).test(name) ? [inner] : [],
    );
    const all = [...named, ...matched];
    return all.length === 0 ? holds(additionalProperties, member) : all.every((inner) => holds(inner, member));
  });
}

function typeOf(value: JsonValue): string {
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
}

/** Keywords that `plain` does not take. */
function keywordsOf(schema: JsonValue): Set<string> {
  const found = new Set<string>();
  const visit = (inner: JsonValue | undefined): void => {
    if (!isJsonObject(inner)) return;
    for (const [keyword, value] of Object.entries(inner)) {
      if (plain.onlyKeywords?.includes(keyword) !== true) found.add(keyword);
      if (keyword === 'properties' && isJsonObject(value)) Object.values(value).forEach(visit);
      if (keyword === 'items') visit(value);
      if (keyword === 'anyOf' && Array.isArray(value)) value.forEach(visit);
    }
  };
  visit(schema);
  return found;
}
