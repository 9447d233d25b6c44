import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createLineReader } from './line-reader.ts';

/** The bytes in pieces that end at these places. */
function cut(bytes: Uint8Array<ArrayBuffer>, places: readonly number[]): Uint8Array<ArrayBuffer>[] {
  const ends = [...places, bytes.length].filter((place) => place <= bytes.length).sort((left, right) => left - right);
  return ends.map((end, index) => bytes.slice(ends[index - 1] ?? 0, end));
}

test('however the bytes are cut, the lines are those that were written', () => {
  const line = fc.string({ unit: 'binary', minLength: 1 }).map((text) => text.replaceAll('\n', ' '));
  fc.assert(
    fc.property(fc.array(line), fc.array(fc.nat(200)), (lines, places) => {
      // Lone surrogates have no bytes.
      const written = lines.map((text) => text.toWellFormed());
      const read = createLineReader();
      const bytes = new TextEncoder().encode(written.map((text) => `${text}\n`).join(''));
      expect(cut(bytes, places).flatMap(read)).toEqual(written);
    }),
  );
});

test('other ends of lines are data, and empty lines are none', () => {
  const read = createLineReader();
  const text = 'a\u2028b\u2029c\u0085d\re';
  expect(read(new TextEncoder().encode(`\n\n${text}\n\nrest`))).toEqual([text]);
  expect(read(new TextEncoder().encode('\n'))).toEqual(['rest']);
});

test('a line without an end is refused before it fills the memory', () => {
  const read = createLineReader(10);
  expect(read(new TextEncoder().encode('123456'))).toEqual([]);
  expect(() => read(new TextEncoder().encode('78901'))).toThrow(RangeError);
});
