import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import reference from '../../fixtures/migration/reference.json' with { type: 'json' };
import { laterOptions, needlessOptions, servedOptions } from './option-table.ts';

const guide = readFileSync(new URL('../../../../docs/guides/sdk.md', import.meta.url), 'utf8');
const declared = readFileSync(new URL('options.ts', import.meta.url), 'utf8');
const known = [...Object.keys(servedOptions), ...Object.keys(needlessOptions), ...laterOptions];

/** The options that the guide's rows of this beginning name. */
function listed(row: string): string[] {
  const rows = guide.split('\n').filter((line) => line.startsWith(`| ${row}`));
  expect(rows, row).not.toEqual([]);
  return rows
    .flatMap((line) => [...(line.split(' | ')[1] ?? '').matchAll(/`(\w+)`/g)])
    .flatMap(([, name]) => (name !== undefined && known.includes(name) ? [name] : []));
}

test('the guide lists each option once, in the row of what becomes of it', () => {
  const isReference = (name: string) => reference.options.includes(name);
  const [ofReference, own] = [
    Object.keys(servedOptions).filter(isReference),
    Object.keys(servedOptions).filter((name) => !isReference(name)),
  ];
  expect(listed('served').toSorted()).toEqual(ofReference.toSorted());
  // `model` stands here again, for what it takes besides a name.
  expect(listed("Rondo's own").toSorted()).toEqual([...own, 'model'].toSorted());
  expect(listed('without effect').toSorted()).toEqual(Object.keys(needlessOptions).toSorted());
  expect(listed('later').toSorted()).toEqual(laterOptions.toSorted());
});

test('the type of the options declares exactly those', () => {
  const names = [...declared.slice(declared.indexOf('interface Options')).matchAll(/^ {2}(\w+)\?:/gm)];
  expect(names.map(([, name]) => String(name)).toSorted()).toEqual(known.toSorted());
});
