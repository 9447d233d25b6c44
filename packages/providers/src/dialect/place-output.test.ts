import type { JsonObject } from '@rondo/protocol';
import type { ModelRequest } from '@rondo/runtime';
import { describe, expect, test } from 'vitest';
import { constrainedOutput } from './constrained-output.ts';
import { isStrict, placeOutput } from './place-output.ts';

const text = { type: 'string' };

function object(properties: JsonObject, more: JsonObject = {}): JsonObject {
  return { type: 'object', properties, required: Object.keys(properties), ...more };
}

function closed(properties: JsonObject): JsonObject {
  return { ...object(properties), additionalProperties: false };
}

describe('what a vendor is to hold the reply to', () => {
  test('says no limits on values, and closes every object', () => {
    const schema = object({
      name: { type: 'string', minLength: 1, pattern: '^a', description: 'Its name.' },
      mail: { type: 'string', format: 'email' },
      link: { type: 'string', format: 'uri' },
      parts: { type: 'array', maxItems: 3, items: object({ count: { type: 'integer', minimum: 1 } }) },
      state: { oneOf: [{ type: 'string', enum: ['open'] }, { type: 'null' }] },
    });
    expect(constrainedOutput(schema)).toEqual({
      schema: closed({
        name: { type: 'string', description: 'Its name.' },
        mail: { type: 'string', format: 'email' },
        link: text,
        parts: { type: 'array', items: closed({ count: { type: 'integer' } }) },
        state: { anyOf: [{ type: 'string', enum: ['open'] }, { type: 'null' }] },
      }),
      optional: 0,
      unions: 1,
    });
  });

  test('has in place of references what they name', () => {
    const schema = object(
      { from: { $ref: '#/$defs/place' }, to: { $ref: '#/$defs/place' } },
      { $defs: { place: object({ city: text }) } },
    );
    const place = closed({ city: text });
    expect(constrainedOutput(schema)?.schema).toEqual(closed({ from: place, to: place }));
  });

  test('counts what is optional and what has several types', () => {
    const schema = { type: 'object', properties: { a: text, b: { type: ['string', 'null'] } }, required: ['b'] };
    const output = constrainedOutput(schema);
    expect(output).toMatchObject({ optional: 1, unions: 1 });
    expect(output !== undefined && isStrict(output)).toBe(false);
  });

  test.each<[string, JsonObject]>([
    ['a top that is no object', { type: 'array', items: text }],
    ['a choice at the top', { anyOf: [object({}), object({ a: text })] }],
    ['keys of any name', object({ a: { type: 'object', additionalProperties: text } })],
    ['an object of which nothing is known', object({ a: { type: 'object' } })],
    ['any value', object({ a: {} })],
    ['a list of any values', object({ a: { type: 'array' } })],
    ['a tuple', object({ a: { type: 'array', prefixItems: [text], items: text } })],
    ['several at once', object({ a: { type: 'object', properties: {}, allOf: [object({})] } })],
    ['what is not', object({ a: { type: 'string', not: { const: 'x' } } })],
    ['an object as a constant', object({ a: { type: 'object', properties: {}, const: { b: 1 } } })],
    ['a tree', object({ children: { type: 'array', items: { $ref: '#' } } })],
    ['a reference to nothing', object({ a: { $ref: '#/$defs/a' } })],
  ])('is nothing for %s', (_what, schema) => {
    expect(constrainedOutput(schema)).toBeUndefined();
  });
});

describe('a schema that no format can say', () => {
  const request: ModelRequest = { system: 'Be brief.', tools: [], messages: [] };
  const list = { type: 'array', items: text };

  test('stands at the end of the system prompt, the same for every request', () => {
    const placed = placeOutput({ ...request, output: { schema: list } }, () => true);
    expect(placed).toEqual({
      system: `Be brief.\n\nYour final answer is JSON that fits this JSON Schema, with no other text before or after it:\n${JSON.stringify(list)}`,
    });
    const alone = placeOutput({ ...request, system: '', output: { schema: list } }, () => true);
    expect(`Be brief.\n\n${alone.system}`).toBe(placed.system);
  });

  test('is whole there, where the vendor takes no format', () => {
    const schema = object({ count: { type: 'integer', minimum: 1 } });
    const placed = placeOutput({ ...request, output: { schema } }, () => false);
    expect(placed.format).toBeUndefined();
    expect(placed.system.endsWith(`\n${JSON.stringify(schema)}`)).toBe(true);
  });

  test('is nowhere where none is asked for', () => {
    expect(placeOutput(request, () => true)).toEqual({ system: 'Be brief.' });
  });
});
