import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createLineParser } from './parse-lines.ts';

interface Seen {
  readonly lines: string[];
  readonly binary: number[];
}

function parse(chunks: readonly Buffer[], most = Infinity): Seen {
  const seen: Seen = { lines: [], binary: [] };
  const parser = createLineParser({
    onLine: ({ file, line, byte, matchStart, bytes }) => {
      seen.lines.push(`${file} ${line} ${byte} ${matchStart ?? '-'} ${bytes.toString()}`);
      return seen.lines.length >= most ? 'enough' : 'more';
    },
    onBinary: (file) => seen.binary.push(file),
  });
  for (const chunk of chunks) if (parser(chunk) === 'enough') break;
  return seen;
}

const output = Buffer.from(
  [
    '/proc/self/fd/3\x0012:5:1234:one:2:3:two',
    '/proc/self/fd/3\x0013-1300-beside-1-',
    '/proc/self/fd/14\x001:1:0:',
    '/proc/self/fd/4: binary file matches (found "\\0" byte around offset 7)',
    '/dev/fd/5\x007:2:9:/proc/self/fd/3\x00ü 你',
    '',
  ].join('\n'),
);
const expected: Seen = {
  lines: ['0 12 1234 4 one:2:3:two', '0 13 1300 - beside-1-', '11 1 0 0 ', '2 7 9 1 /proc/self/fd/3\0ü 你'],
  binary: [1],
};

it('reads lines wherever the output is split', () => {
  expect(parse([output])).toEqual(expected);
  fc.assert(
    fc.property(fc.array(fc.nat({ max: output.length })), (cuts) => {
      const places = [0, ...cuts.sort((left, right) => left - right), output.length];
      const chunks = places.slice(1).map((end, index) => output.subarray(places[index], end));
      expect(parse(chunks)).toEqual(expected);
    }),
  );
  expect(parse([output], 2).lines).toEqual(expected.lines.slice(0, 2));
});

it('keeps the beginning of a line that has no end', () => {
  const chunk = Buffer.alloc(65_536, 'x');
  const before = process.memoryUsage().arrayBuffers;
  const { lines } = parse([
    Buffer.from('/proc/self/fd/3\x001:1:0:'),
    ...Array.from({ length: 4000 }, () => chunk),
    Buffer.from('\n/proc/self/fd/3\x002:1:9:next\n'),
  ]);
  expect(lines[0]?.length).toBeLessThan(20_000);
  expect(lines[1]).toBe('0 2 9 0 next');
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(10_000_000);
});
