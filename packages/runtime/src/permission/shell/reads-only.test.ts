import { expect, test } from 'vitest';
import { shellLines } from '../../testing/shell-lines.ts';
import { analyzeShellLine } from './analyze-shell-line.ts';
import { shellTables } from './shell-tables.ts';

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

test('the tables name each program once in a kind', () => {
  const { reading, passing, wrapping, unread } = shellTables();
  for (const names of [reading, passing, wrapping, unread]) expect(new Set(names).size).toBe(names.length);
  expect(passing.filter((name) => wrapping.includes(name) || unread.includes(name))).toEqual([]);
  expect(reading).toEqual(expect.arrayContaining(['cat', 'grep', 'ls']));
  expect(reading).not.toContain('rm');
});
