import type { JsonObject } from '@rondo/protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readToolInput } from './tool-input.ts';

describe('input that came well', () => {
  test.each<[string, JsonObject]>([
    ['', {}],
    [' \n', {}],
    ['{}', {}],
    [' {"a": [1, "b"]}\n', { a: [1, 'b'] }],
  ])('%j is read and not said to be repaired', (text, input) => {
    expect(readToolInput(text)).toEqual({ input });
  });

  test('what a block began with stands in for what never came', () => {
    expect(readToolInput('', { a: 1 })).toEqual({ input: { a: 1 } });
    expect(readToolInput('', ['no object'])).toEqual({ input: {} });
  });
});

describe('input with one reading is repaired, and says what was mended', () => {
  test.each<[string, JsonObject, RegExp]>([
    ['\ufeff{"a":1}', { a: 1 }, /white space/],
    ['\u00a0{"a":1}\u2028', { a: 1 }, /white space/],
    ['```json\n{"a":1}\n```', { a: 1 }, /code fence/],
    ['```{"a":"```"}```', { a: '```' }, /code fence/],
    ['"{\\"a\\":1}"', { a: 1 }, /JSON inside a JSON string/],
    ['"\\"{\\\\\\"a\\\\\\":1}\\""', { a: 1 }, /string; JSON inside/],
    ['{"a":"one\ntwo\tthree"}', { a: 'one\ntwo\tthree' }, /control characters/],
    ['{"a\n":1}', { 'a\n': 1 }, /control characters/],
    ['{"a":"\\"\n"}', { a: '"\n' }, /control characters/],
    ['{"a":[1,2,],\n}', { a: [1, 2] }, /comma/],
    ['{"a":", ]",}', { a: ', ]' }, /comma/],
    ['{"a":1}{"a":1}', { a: 1 }, /sent again/],
    ['{"a":1} {"a":1}\n{"a":1}', { a: 1 }, /sent again/],
    ['```\n{"a":"x\ny",}\n```', { a: 'x\ny' }, /code fence.*control.*comma/],
    ['"```json\\n{\\"a\\":1,}\\n```"', { a: 1 }, /string.*code fence.*comma/],
  ])('%j', (text, input, mended) => {
    expect(readToolInput(text)).toEqual({ input, repaired: { text, mended: expect.stringMatching(mended) } });
  });
});

describe('input with no reading, or with two, never runs', () => {
  test.each([
    '{"a":',
    '{"a":1',
    '{"a":"x',
    '{"a":"x}',
    "{'a':1}",
    '{a:1}',
    '{"a" 1}',
    '{"a":1 "b":2}',
    '{"a":tru}',
    '{"a":1}{"a":2}',
    '{}{"a":1}',
    '{"a":1}{"a":1',
    '{"a":1} and so on',
    'Here it is: {"a":1}',
    '{"a":1,,}',
    '{,}',
    '{"a":[,]}',
    '{"a":1,"a":2,}',
    '```json\n{"a":1}',
    '{"a":1}\n```',
    '"{\\"a\\":1',
    '"{\\"a\\":1}',
    '"text"',
    '[{"a":1}]',
    '[{"a":1},]',
    '1',
    '11',
    'null',
    '{"a":1}}',
    '// nothing\n{"a":1}',
    '{"a":undefined}',
    '{"a":NaN}',
    '```',
    '``````',
  ])('%j', (text) => {
    expect(readToolInput(text)).toEqual({ input: {}, malformed: { text, error: expect.any(String) } });
  });
});

const object = fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue({ maxDepth: 2, stringUnit: 'grapheme' }), {
  minKeys: 1,
  maxKeys: 4,
});

/** Damage of each kind that is repaired, from the inside out. */
const damages: readonly ((json: string) => string)[] = [
  (json) => json.replace(/\\[nrt]/g, (escape) => JSON.parse(`"${escape}"`) as string),
  (json) => `${json.slice(0, -1)} ,\n}`,
  (json) => `${json}\n${json}`,
  (json) => `\`\`\`json\n${json}\n\`\`\``,
  (json) => JSON.stringify(json),
  (json) => `\ufeff ${json}`,
];
const chosen = fc.subarray([...damages]);

function damaged(value: object, kinds: typeof damages): string {
  return kinds.reduce((json, damage) => damage(json), JSON.stringify(value));
}

test('whatever is repaired is what it was before the damage', () => {
  fc.assert(
    fc.property(object, chosen, (value, kinds) => {
      const { input, malformed } = readToolInput(damaged(value, kinds));
      expect(malformed).toBeUndefined();
      expect(JSON.stringify(input)).toBe(JSON.stringify(value));
    }),
  );
});

test('what was cut off at any byte is never taken for the whole of something else', () => {
  fc.assert(
    fc.property(object, chosen, fc.nat(), (value, kinds, place) => {
      const bytes = Buffer.from(damaged(value, kinds));
      const cut = bytes.subarray(0, 1 + (place % (bytes.length - 1))).toString('utf8');
      const { input, malformed, repaired } = readToolInput(cut);
      if (malformed !== undefined || cut.trim() === '') return;
      // The whole object came, once at least: what was cut is the rest of the dress.
      expect(JSON.stringify(input)).toBe(JSON.stringify(value));
      if (kinds.length === 0) expect(repaired).toBeUndefined();
    }),
    { numRuns: 500 },
  );
});

test('a cut through plain JSON is malformed, wherever it goes', () => {
  const json = Buffer.from(
    JSON.stringify({ 'größe 世界': ['a "b" \\ \n', { c: [1.5e3, null, true] }], d: {}, e: '👩‍💻' }),
  );
  for (let length = 1; length < json.length; length += 1) {
    expect(readToolInput(json.subarray(0, length).toString('utf8')).malformed).toBeDefined();
  }
});
