import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalJson } from './canonical-json.ts';
import type { JsonValue } from './json-value.ts';

const json = fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as JsonValue);

/** The same value with the keys of every object put in the other order. */
function reversed(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map((member: JsonValue) => reversed(member));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, reversed(member)]),
  );
}

test('equal values have one text, whatever the order of their keys', () => {
  fc.assert(
    fc.property(json, (value) => {
      expect(canonicalJson(reversed(value))).toBe(canonicalJson(value));
    }),
  );
});

test('the text is JSON of the same value, without white space', () => {
  fc.assert(
    fc.property(json, (value) => {
      const text = canonicalJson(value);
      expect(JSON.parse(text)).toEqual(value);
      expect(text).toHaveLength(JSON.stringify(value).length);
    }),
  );
});

test('different values have different texts', () => {
  fc.assert(
    fc.property(json, json, (one, other) => {
      if (JSON.stringify(one) === JSON.stringify(other)) return;
      if (canonicalJson(one) === canonicalJson(other)) expect(reversed(one)).toEqual(reversed(other));
    }),
  );
});

test('keys stand in order, absent and undefined members are the same', () => {
  expect(canonicalJson({ b: 1, a: { d: null, c: [true, 'x'] }, B: 2 })).toBe(
    '{"B":2,"a":{"c":[true,"x"],"d":null},"b":1}',
  );
  expect(canonicalJson({ a: 1, gone: undefined } as unknown as JsonValue)).toBe('{"a":1}');
});
