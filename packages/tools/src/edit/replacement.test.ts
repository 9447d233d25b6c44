import fc from 'fast-check';
import { expect, it } from 'vitest';
import { withLineFeeds } from '../file/line-break.ts';
import { findMatches } from './find-matches.ts';
import { replacementsFor } from './replacement.ts';

const piece = fc.constantFrom('a', 'b', '\n', '\r\n', '\r', '\u{1f600}', '\u{1f601}');
const text = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''));
const wanted = fc
  .array(fc.constantFrom('a', 'b', '\n', '\u{1f600}', '\u{1f601}'), { minLength: 1, maxLength: 3 })
  .map((pieces) => pieces.join(''));

function replaced(before: string, old: string, next: string) {
  const replacements = replacementsFor(before, findMatches(before, old), next);
  let at = 0;
  let after = '';
  for (const { start, end, text } of replacements) {
    after += before.slice(at, start) + text;
    at = end;
  }
  return { after: after + before.slice(at), replacements };
}

it('replaces as if all line breaks were alike, and cuts no character', () => {
  fc.assert(
    fc.property(text, wanted, wanted, (before, old, next) => {
      const { after, replacements } = replaced(before, old, next);
      for (const { start, end, text } of replacements) {
        expect(text.isWellFormed()).toBe(true);
        expect(before.slice(0, start).isWellFormed() && before.slice(end).isWellFormed()).toBe(true);
        expect(before.slice(start - 1, start + 1)).not.toBe('\r\n');
      }
      if (!before.includes('\r')) expect(after).toBe(before.replaceAll(old, () => next));
    }),
  );
});

it('uses one kind of break throughout where the text does', () => {
  fc.assert(
    fc.property(text, wanted, wanted, fc.constantFrom('\r\n', '\r'), (before, old, next, kind) => {
      const plain = withLineFeeds(before);
      const styled = plain.replaceAll('\n', kind);
      fc.pre(styled.includes(kind));
      expect(replaced(styled, old, next).after).toBe(plain.replaceAll(old, () => next).replaceAll('\n', kind));
    }),
  );
});
