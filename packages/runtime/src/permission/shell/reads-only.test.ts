import { expect, test } from 'vitest';
import { shellLines } from '../../testing/shell-lines.ts';
import { analyzeShellLine } from './analyze-shell-line.ts';

function readsOnly(text: string): boolean {
  const { commands, unclear } = analyzeShellLine(text);
  return unclear === undefined && commands.length > 0 && commands.every((command) => command.readsOnly);
}

test.each(shellLines('read'))('it only reads: %j', (text) => {
  expect(readsOnly(text)).toBe(true);
});

test.each(shellLines('do-more-than-read'))('it does more than read: %j', (text) => {
  expect(readsOnly(text)).toBe(false);
});
