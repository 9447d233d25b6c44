import { applyPatch } from 'diff';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { structuredPatch } from './structured-patch.ts';

const text = fc
  .array(fc.constantFrom('a', 'b', 'c', 'd', ''), { maxLength: 40 })
  .map((lines) => lines.map((line) => `${line}\n`).join(''));

it('makes the one text of the other', async () => {
  await fc.assert(
    fc.asyncProperty(text, text, async (before, after) => {
      const hunks = await structuredPatch(before, after);
      const patch = {
        oldFileName: 'a',
        newFileName: 'b',
        oldHeader: '',
        newHeader: '',
        hunks: hunks.map((hunk) => ({ ...hunk, lines: [...hunk.lines] })),
      };
      expect(applyPatch(before, patch)).toBe(after);
      for (const { lines, oldLines, newLines } of hunks) {
        expect(lines.filter((line) => !line.startsWith('+'))).toHaveLength(oldLines);
        expect(lines.filter((line) => !line.startsWith('-'))).toHaveLength(newLines);
      }
    }),
  );
});

it('is bounded for texts with nothing in common', async () => {
  const before = Array.from({ length: 30_000 }, (_, index) => `old ${index}\n`).join('');
  const after = Array.from({ length: 30_000 }, (_, index) => `new ${index}\n`).join('');
  const hunks = await structuredPatch(before, after);
  expect(hunks.reduce((sum, { lines }) => sum + lines.length, 0)).toBeLessThanOrEqual(5000);
});
