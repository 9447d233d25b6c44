import { expect, test } from 'vitest';
import { patchLines, replacementLines } from './diff-lines.ts';
import { plain } from './painter.ts';

test('a replacement shows what changes and nothing around it', () => {
  expect(replacementLines('a\nb\nc\nd', 'a\nB\nx\nc\nd', plain, 10)).toEqual(['-b', '+B', '+x']);
  expect(replacementLines('', 'new\nfile', plain, 10)).toEqual(['+new', '+file']);
  expect(replacementLines('x\nx', 'x', plain, 10)).toEqual(['-x']);
});

test('a patch shows its hunks up to a limit', () => {
  const structured = {
    structuredPatch: [{ oldStart: 7, oldLines: 2, newStart: 7, newLines: 2, lines: [' a', '-b', '+c', ' d'] }],
  };
  expect(patchLines(structured, plain, 10)).toEqual(['@@ line 7', ' a', '-b', '+c', ' d']);
  expect(patchLines(structured, plain, 3)).toEqual(['@@ line 7', ' a', '-b', '… 2 more lines']);
});

test('what is no patch has no lines', () => {
  for (const structured of [undefined, null, 'text', {}, { structuredPatch: [] }, { structuredPatch: 'x' }]) {
    expect(patchLines(structured, plain, 10)).toBeUndefined();
  }
  expect(patchLines({ structuredPatch: [{ oldStart: 1, lines: [3] }] }, plain, 10)).toEqual([]);
});

test('a changed line cannot hide another', () => {
  expect(replacementLines('', 'safe\r\u001b[2Kevil', plain, 10)).toEqual(['+safe␍␛[2Kevil']);
});
