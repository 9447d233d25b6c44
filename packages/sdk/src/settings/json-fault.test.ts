import { expect, test } from 'vitest';
import fc from 'fast-check';
import { jsonFault } from './json-fault.ts';

test.each([
  ['{"a":x}', '1:6', 'a value'],
  ['{,}', '1:2', 'a key in double quotes'],
  ['{"a": 1,\n}', '2:1', 'a key in double quotes'],
  ['{\n  "a": 1\n  "b": 2\n}', '3:3', 'a comma or }'],
  ['{"a" 1}', '1:6', 'a colon'],
  ['[1, 2', '1:6', 'a comma or ]'],
  ['[1, 2] 3', '1:8', 'the end of the file'],
  ['// hello\n{}', '1:1', 'a value'],
  ['{"a": "x\ny"}', '1:7', 'a value'],
  ['{"a": 01}', '1:8', 'a comma or }'],
  ['nul', '1:1', 'a value'],
  ["{'a': 1}", '1:2', 'a key in double quotes'],
])('%j is no JSON at %s', (text, place, expected) => {
  expect(jsonFault(text)).toMatchObject({ place, expected });
});

test('the place is where text that was JSON was spoilt, or before it', () => {
  fc.assert(
    fc.property(fc.json(), fc.nat(), fc.constantFrom('x', '}', ',', '"', '\n', ':'), (json, where, spoiler) => {
      const at = where % (json.length + 1);
      const spoilt = `${json.slice(0, at)}${spoiler}${json.slice(at)}`;
      try {
        JSON.parse(spoilt);
      } catch {
        const [line = 0, column = 0] = jsonFault(spoilt).place.split(':').map(Number);
        const lines = spoilt.split('\n');
        expect(line).toBeLessThanOrEqual(lines.length);
        expect(column).toBeLessThanOrEqual((lines[line - 1] ?? '').length + 1);
      }
    }),
  );
});
