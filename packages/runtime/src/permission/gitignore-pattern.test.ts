import fc from 'fast-check';
import ignore from 'ignore';
import { expect, test } from 'vitest';
import { compileGitignorePattern } from './gitignore-pattern.ts';

/** The library reads the same language with regular expressions. */
function byLibrary(pattern: string, path: string, foldCase: boolean): boolean {
  const matcher = ignore({ ignorecase: foldCase }).add({ pattern });
  return matcher.ignores(path) || matcher.ignores(`${path}/`);
}

const piece = fc.constantFrom(
  'a',
  'b',
  'B',
  '.',
  '-',
  '*',
  '*',
  '?',
  '[ab]',
  '[!a]',
  '[A-C]',
  '[]a]',
  '[[:alpha:]]',
  '\\*',
  '\\a',
  '{',
  '+',
  '(',
  '$',
  '[-a]',
  '[a-]',
);
const segment = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.array(piece, { minLength: 1, maxLength: 4 }).map((all) => all.join('').replace(/\*{2,}/g, '*')),
  },
  { weight: 1, arbitrary: fc.constant('**') },
);
const pattern = fc
  .tuple(fc.constantFrom('', '/'), fc.array(segment, { minLength: 1, maxLength: 4 }), fc.constantFrom('', '/'))
  .map(([first, segments, last]) => (first === '' && segments.length > 1 ? '/' : first) + segments.join('/') + last)
  .filter((text) => /[^/]/.test(text));
const name = fc
  .array(fc.constantFrom('a', 'b', 'c', 'A', 'B', '.', '-', '*', '1', ']', '{', '+'), { minLength: 1, maxLength: 4 })
  .map((all) => all.join(''))
  .filter((text) => text !== '.' && text !== '..');
const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((all) => all.join('/'));

test('it matches what a gitignore library matches', () => {
  fc.assert(
    fc.property(pattern, path, fc.boolean(), (written, subject, foldCase) => {
      const matches = compileGitignorePattern(written, foldCase)(subject);
      expect({ written, subject, foldCase, matches }).toEqual({
        written,
        subject,
        foldCase,
        matches: byLibrary(written, subject, foldCase),
      });
    }),
    { numRuns: 5000 },
  );
});

test.each([
  ['*.ts', 'src/a.ts', true],
  ['/*.ts', 'src/a.ts', false],
  ['/src/**', 'src/a/b', true],
  ['/src/**', 'src', false],
  ['/**/secret*', 'a/b/secret.txt', true],
  ['/a/**/b', 'a/b', true],
  ['/a/**/b', 'a/x/y/b/c', true],
  ['.env*', 'deep/.env.local', true],
  ['/[a', '[a', false],
  ['/a\\', 'a', false],
  ['/a b  ', 'a b', true],
  ['/a?c', 'a/c', false],
  ['/x[[:nothing:]]', 'x1', false],
])('%s and %s: %s', (written, subject, expected) => {
  expect(compileGitignorePattern(written, false)(subject)).toBe(expected);
});

test('issue 5: no path keeps it busy, however many stars the pattern has', () => {
  for (const written of [
    `/${'*a'.repeat(50)}*b`,
    `/${'**/a/'.repeat(50)}b`,
    `${'*'.repeat(500)}b`,
    `/${'*[!b]'.repeat(40)}*x`,
    `/${'**/*a/'.repeat(30)}*b`,
  ]) {
    const matches = compileGitignorePattern(written, false);
    for (const subject of ['a'.repeat(50_000), 'a/'.repeat(20_000) + 'a']) expect(matches(subject)).toBe(false);
  }
});
