import fc from 'fast-check';
import { expect, test } from 'vitest';
import { matchesStars } from './star-pattern.ts';

const text = fc.array(fc.constantFrom('a', 'b', '.', '\n'), { maxLength: 8 }).map((all) => all.join(''));
const pattern = fc.array(fc.constantFrom('a', 'b', '.', '*', '*'), { maxLength: 8 }).map((all) => all.join(''));

test('a star stands for any text, as in an expression', () => {
  fc.assert(
    fc.property(pattern, text, (written, subject) => {
      const source = written.split('*').map((part) => part.replaceAll('.', '\\.'));
      expect(matchesStars(written, subject)).toBe(new RegExp(`^${source.join('.*')}$`, 's').test(subject));
    }),
    { numRuns: 2000 },
  );
});

test('issue 5: no text keeps it busy, however many stars there are', () => {
  expect(matchesStars(`${'*a'.repeat(500)}*b`, 'a'.repeat(100_000))).toBe(false);
});
