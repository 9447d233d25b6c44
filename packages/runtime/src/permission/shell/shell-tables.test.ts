import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { describeShellTables, shellTables } from './shell-tables.ts';

test('the tables name each program once in a kind', () => {
  const { reading, passing, wrapping, unread } = shellTables();
  for (const names of [reading, passing, wrapping, unread]) expect(new Set(names).size).toBe(names.length);
  expect(passing.filter((name) => wrapping.includes(name) || unread.includes(name))).toEqual([]);
  expect(reading).toEqual(expect.arrayContaining(['cat', 'grep', 'ls']));
  expect(reading).not.toContain('rm');
});

test('the guide prints the tables that the analysis works from', () => {
  const guide = readFileSync(new URL('../../../../../docs/guides/shell-lines.md', import.meta.url), 'utf8');
  expect(guide).toContain(describeShellTables());
});
