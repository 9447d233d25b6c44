import { expect, test } from 'vitest';
import { printableLine, printableText } from './printable-text.ts';

test.each([
  ['a colour', '\u001b[31mred\u001b[0m', '␛[31mred␛[0m'],
  ['a window title', '\u001b]0;owned\u0007', '␛]0;owned␇'],
  ['a link', '\u001b]8;;http://x\u001b\\text', '␛]8;;http://x␛\\text'],
  ['an eight-bit control', 'a\u009b2Jb', 'a<U+009B>2Jb'],
  ['an overwrite by carriage return', 'rm -rf /\rls        ', 'rm -rf /\nls        '],
  ['an overwrite by backspace', 'evil\b\b\b\bgood', 'evil␈␈␈␈good'],
  ['a reordering', 'a\u202egnp.exe', 'a<U+202E>gnp.exe'],
  ['a blank of no width', 'rm\u200b\u2060 x', 'rm<U+200B><U+2060> x'],
  ['a hidden word', 'ls\u{e0072}\u{e006d}', 'ls<U+E0072><U+E006D>'],
  ['a soft hyphen', 'r\u00adm', 'r<U+00AD>m'],
  ['a deletion', 'a\u007fb', 'a␡b'],
])('%s is shown, not obeyed', (_, text, printed) => {
  expect(printableText(text)).toBe(printed);
});

test('plain text, tabs, newlines and every script stay as they are', () => {
  const text = 'a\tb\nçé 漢字 👩‍💻 العربية\n';
  expect(printableText(text)).toBe(text);
  expect(printableText('one\r\ntwo\r\n')).toBe('one\ntwo\n');
});

test('a line is one line of the width, and no half character', () => {
  expect(printableLine('a\n  b\r\nc', 80)).toBe('a b c');
  expect(printableLine('abcdef', 4)).toBe('abc…');
  expect(printableLine('ab👩cd', 4)).toBe('ab…');
});
