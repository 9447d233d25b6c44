import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { migrationRows, unknownStandings } from '../fixtures/migration/migration-rows.ts';
import { migrationTable } from '../fixtures/migration/migration-table.ts';

const rows = migrationRows();

test('no name of the reference is missing', () => {
  expect(
    rows.filter(({ standing }) => standing.state === 'missing').map(({ group, name }) => `${group}: ${name}`),
  ).toEqual([]);
});

test('only what has no meaning without a binary and an account is not applicable', () => {
  const names = rows.filter(({ standing }) => standing.state === 'not applicable').map(({ name }) => name);
  expect(names.toSorted()).toEqual([
    'McpClaudeAIProxyServerConfig',
    'executable',
    'executableArgs',
    'extractFromBunfs',
  ]);
});

test('what is said is said of names that the reference has', () => {
  expect(unknownStandings()).toEqual([]);
});

test('the guide prints the table', () => {
  const guide = readFileSync(new URL('../../../docs/guides/migration.md', import.meta.url), 'utf8');
  expect(guide, 'npm run migration').toContain(migrationTable(rows));
});
