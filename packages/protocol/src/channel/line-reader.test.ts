import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createLineReader } from './line-reader.ts';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const read = (lines: readonly (Uint8Array | string)[]): string[] =>
  lines.map((line) =>
    typeof line === 'string' ? line : Array.from(line, (byte) => String.fromCharCode(byte)).join(''),
  );

test('however bytes are cut, each line is whole, and one above the bound is reported once', () => {
  const byte = fc.oneof(fc.constant(0x0a), fc.nat(255));
  const chunk = fc.array(byte, { maxLength: 20 }).map((bytes) => Uint8Array.from(bytes));
  fc.assert(
    fc.property(fc.array(chunk), fc.nat(10), (chunks, most) => {
      const reader = createLineReader(most);
      const lines = chunks.flatMap(reader);
      const all = read(chunks).join('').split('\n');
      const open = all.pop() ?? '';
      const expected = all.map((line) => (line.length > most ? 'too-long' : line));
      expect(read(lines)).toEqual(open.length > most ? [...expected, 'too-long'] : expected);
    }),
  );
});

test('a line without an end is reported while it comes, and what follows it is read', () => {
  const reader = createLineReader(10);
  expect(reader(bytesOf('123456'))).toEqual([]);
  expect(reader(bytesOf('78901'))).toEqual(['too-long']);
  expect(reader(bytesOf('23\nab'))).toEqual([]);
  expect(read(reader(bytesOf('c\n\n')))).toEqual(['abc', '']);
});
