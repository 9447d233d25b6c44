import fc from 'fast-check';
import { expect, it } from 'vitest';
import { shortenLine, wholeLineBytes } from './shorten-line.ts';

it('a line of 500 bytes or less is whole', () => {
  const line = (bytes: Buffer) => shortenLine({ bytes, matchStart: 0, readPart: () => undefined });
  expect(line(Buffer.from('ü word'))).toBe('ü word');
  expect(line(Buffer.from('word\r'))).toBe('word');
  expect(line(Buffer.from('caf\xe9', 'latin1'))).toBe('café');
  expect(line(Buffer.alloc(500, 'x'))).toBe('x'.repeat(500));
});

it('of a longer line the match is shown, no character is split, and what is left out is said', () => {
  const characters = fc.constantFrom('a', 'aé', '你b', '👍cd');
  const filling = fc.tuple(fc.nat({ max: 3000 }), characters).map(([count, each]) => each.repeat(count));
  fc.assert(
    fc.property(filling, filling, (before, after) => {
      const whole = Buffer.from(`${before}word${after}`);
      const matchStart = Buffer.byteLength(before);
      // As ripgrep gives it: a long line is cut, and something is said behind it.
      const isLong = whole.length > wholeLineBytes;
      const bytes = isLong ? Buffer.concat([whole.subarray(0, wholeLineBytes), Buffer.from(' [... omitted]')]) : whole;
      const readPart = (start: number, length: number) => whole.subarray(start, start + length);
      const shown = shortenLine({ bytes, matchStart, readPart });
      expect(shown).toContain('word');
      expect(shown).not.toContain('\ufffd');
      expect(shown).not.toContain('omitted');
      const text = shown.replace(/^\[… from byte \d+ of the line\] /, '').replace(/ \[… the line goes on\]$/, '');
      const [lead = '', trail = ''] = text.split('word');
      expect(before.endsWith(lead) && after.startsWith(trail)).toBe(true);
      expect(lead === before).toBe(!shown.startsWith('[… from'));
      expect(trail === after).toBe(!shown.endsWith('goes on]'));
    }),
    { numRuns: 200 },
  );
});
