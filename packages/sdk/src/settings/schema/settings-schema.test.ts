import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readSettings } from '../read-settings.ts';
import type { SettingKey, SettingTable } from '../settings-key.ts';
import { settingsTable } from '../settings-table.ts';
import { describeSettings } from './describe-settings.ts';
import { schemaFile, schemaText } from './schema-file.ts';
import { settingsSchema } from './settings-schema.ts';

const schema = settingsSchema();

test('the committed schema is what the code gives; if not, run `npm run schemas` and read the difference', () => {
  expect(readFileSync(schemaFile, 'utf8')).toBe(schemaText());
});

test('the guide lists every key', () => {
  const guide = readFileSync(new URL('../../../../../docs/guides/settings.md', import.meta.url), 'utf8');
  expect(guide).toContain(describeSettings());
});

/** What the reader has against values; names of keys are no matter of the schema, which keeps them all. */
function readerProblems(settings: Readonly<Record<string, unknown>>): string[] {
  const { findings } = readSettings(settings, { managed: true, strict: true });
  return findings.flatMap(({ path, problem }) =>
    /^(is no key that|stands |counts only )/.test(problem) && !path.includes('models')
      ? []
      : [`${path.join('.')} ${problem}`],
  );
}

const odd = fc.oneof(
  fc.constantFrom(
    null,
    true,
    false,
    0,
    7,
    '',
    ' ',
    'x',
    [],
    {},
    ['x'],
    [7],
    [null],
    [''],
    { a: 'b' },
    { a: 7 },
    { a: ['x'] },
  ),
);

/** Values of a key: what it takes, and what it does not. */
function valueOf(spec: SettingKey): fc.Arbitrary<unknown> {
  if (spec.keys !== undefined)
    return fc.oneof({ weight: 4, arbitrary: objectOf(spec.keys) }, { weight: 1, arbitrary: odd });
  if (spec.is === 'choice') return fc.oneof(fc.constantFrom(...(spec.choices ?? [])), odd);
  if (spec.is === 'model settings')
    return fc.constantFrom(
      {},
      { aliases: { a: 'x' } },
      { aliases: { a: 7 } },
      [],
      7,
      null,
      { defaultProvider: 'openai' },
      { servers: { s: { baseUrl: 'http://a' } } },
      { servers: { s: {} } },
      { servers: 7 },
      { facts: [] },
    );
  return odd;
}

function objectOf(table: SettingTable): fc.Arbitrary<Record<string, unknown>> {
  const keys = Object.entries(table).map(([key, spec]) => [key, valueOf(spec)] as const);
  return fc.record({ ...Object.fromEntries(keys), invented: odd }, { requiredKeys: [] });
}

test.each(Object.entries(settingsTable))('the schema and the reader agree about %s', (key, spec) => {
  fc.assert(
    fc.property(valueOf(spec), (value) => {
      const problems = readerProblems({ [key]: value });
      const { success } = schema.safeParse({ [key]: value });
      expect(success ? [] : ['refused']).toEqual(problems.length === 0 ? [] : ['refused']);
    }),
    { numRuns: 60 },
  );
});

test('and about all of them together', () => {
  fc.assert(
    fc.property(objectOf(settingsTable), (settings) => {
      expect(schema.safeParse(settings).success).toBe(readerProblems(settings).length === 0);
    }),
    { numRuns: 60 },
  );
});

test('what the reader leaves is what the schema takes', () => {
  fc.assert(
    fc.property(objectOf(settingsTable), (settings) => {
      const read = readSettings(settings, { managed: true, strict: true });
      expect(schema.safeParse(read.settings).success).toBe(true);
    }),
    { numRuns: 60 },
  );
});
