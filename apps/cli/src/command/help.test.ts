import { expect, test } from 'vitest';
import { type Flag, flagSpelling } from './flag.ts';
import { chatFlags } from './chat-flags.ts';
import { helpPages } from './help-pages.ts';
import { helpText } from './help.ts';
import { askedPage } from './run-command.ts';

test.each([40, 72, 80, 200])('every flag is there and no line is wider than %d columns', (columns) => {
  const lines = helpText(helpPages.chat, columns).split('\n');
  for (const [name, flag] of Object.entries<Flag>(chatFlags)) {
    expect(
      lines.some((line) => line.includes(`${flagSpelling(name, flag)} `) || line.endsWith(flagSpelling(name, flag))),
    ).toBe(flag.hidden !== true);
  }
  const tooWide = lines.filter((line) => line.length > columns && line.trim().includes(' '));
  expect(tooWide.filter((line) => !line.startsWith('    --') && !line.includes('--'))).toEqual([]);
});

test('flags stand under their groups, with what they take', () => {
  const text = helpText(helpPages.chat, 100);
  expect(text).toMatch(/\nSession:\n {2}-c, --continue .*\n {2}-r, --resume \[SESSION\]/);
  expect(text).toMatch(/--permission-mode MODE .*\n? .*\(default, acceptEdits/);
});

test.each([
  [['help'], 'chat'],
  [['help', 'models'], 'models'],
  [['help', 'me'], undefined],
  [['help', 'models', 'please'], undefined],
  [['helpful'], undefined],
])('%j asks for the page %s', (argv, page) => {
  expect(askedPage(argv)).toBe(page);
});
