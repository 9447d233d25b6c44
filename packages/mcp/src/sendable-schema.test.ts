import { describe, expect, test } from 'vitest';
import { sendableSchema } from './sendable-schema.ts';

const recursive = {
  type: 'object',
  properties: { node: { $ref: '#/$defs/node' } },
  $defs: { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } } } },
};

const looped: Record<string, unknown> = { type: 'object' };
looped['properties'] = { self: looped };

function nested(levels: number): unknown {
  return levels === 0 ? { type: 'string' } : { type: 'object', properties: { in: nested(levels - 1) } };
}

describe('a schema that can be sent', () => {
  test.each([
    ['of no arguments', {}, { type: 'object', properties: {} }],
    [
      'with its dialect',
      { $schema: 'https://json-schema.org/draft-07/schema', type: 'object' },
      { type: 'object', properties: {} },
    ],
    ['that refers to itself', recursive, recursive],
  ])('%s is taken', (_name, given, schema) => {
    expect(sendableSchema(given)).toEqual({ ok: true, schema });
  });
});

describe('a schema that a provider would refuse', () => {
  test.each([
    [{ properties: { a: { $ref: '#/%' } } }, /refers to "#\/%", which is not in it/],
    [undefined, /is missing/],
    ['text', /is no object/],
    [[], /is no object/],
    [{ type: 'string' }, /has type "string"/],
    [{ type: 'object', anyOf: [] }, /"anyOf" at its top/],
    [{ type: 'object', properties: [] }, /"properties" that is no object/],
    [{ type: 'object', required: 'a' }, /"required" that is no list/],
    [{ type: 'object', properties: { 'a b': {} } }, /an argument "a b"/],
    [{ type: 'object', properties: { ['x'.repeat(65)]: {} } }, /an argument/],
    [{ type: 'object', properties: { a: 'string' } }, /is no schema at a/],
    [{ type: 'object', properties: { a: { type: 'array', items: 3 } } }, /is no schema at a\.\*/],
    [{ type: 'object', properties: { a: { anyOf: {} } } }, /"anyOf" that is no list of schemas at a/],
    [{ type: 'object', properties: { a: { $ref: '#/$defs/none' } } }, /refers to "#\/\$defs\/none"/],
    [{ type: 'object', properties: { a: { $ref: 'https://elsewhere.test/x' } } }, /refers to/],
    [{ type: 'object', description: 'x'.repeat(100_001) }, /characters/],
    [nested(70), /nested deeper/],
    [looped, /is no JSON/],
    [{ type: 'object', properties: { a: { default: 1n } } }, /is no JSON/],
  ])('case %# is named with what is wrong', (given, problem) => {
    const answer = sendableSchema(given);
    expect(answer.ok).toBe(false);
    expect(answer).toMatchObject({ problem: expect.stringMatching(problem) });
  });
});
