import type { Shown } from './check-tests.ts';
import { type Manifest, ourRows, type Row, transports } from './manifest.ts';
import { mutatedRows } from './mutation/check-mutations.ts';

/**
 * One line an area. A row is shown when a test names it, and one that holds on all wires when tests show it on each;
 * until then it is begun. The wires' columns count the rows that must be shown on all wires, the last one
 * those whose behaviour a mutation switches off.
 */
export function report(manifest: Manifest, shown: Shown): string {
  const rows = ourRows(manifest);
  const mutated = mutatedRows(manifest.mutations);
  const head = ['area', 'rows', 'shown', 'begun', 'not yet', 'on all wires', ...transports, 'mutated'];
  const areas = [...new Set(rows.map(({ area }) => area))];
  const lines = areas.map((area) => [
    area,
    ...counts(
      rows.filter((row) => row.area === area),
      shown,
      mutated,
    ),
  ]);
  const table = [head, ...lines, ['all', ...counts(rows, shown, mutated)]];
  const widths = head.map((_, column) => Math.max(...table.map((line) => line[column]?.length ?? 0)));
  const print = (line: readonly string[]): string =>
    line
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ');
  return `${table.map(print).join('\n')}\n`;
}

/** One line a row: how far it is, the wires on which it must be shown, whether it has a mutation, its ID, its wires. */
export function reportRows(manifest: Manifest, shown: Shown): string {
  const mutated = mutatedRows(manifest.mutations);
  return ourRows(manifest)
    .map(
      (row) =>
        `${stateOf(row, shown).padEnd(7)}  ${row.transports.padEnd(5)}  ${(mutated.has(row.id) ? 'mutated' : '').padEnd(7)}  ${row.id}  ${[...(shown.get(row.id) ?? [])].join(' ')}`.trimEnd() +
        '\n',
    )
    .join('');
}

function counts(rows: readonly Row[], shown: Shown, mutated: ReadonlySet<string>): string[] {
  const of = (state: ReturnType<typeof stateOf>): number => rows.filter((row) => stateOf(row, shown) === state).length;
  const onAll = rows.filter((row) => row.transports === 'all');
  const on = transports.map((wire) => onAll.filter(({ id }) => shown.get(id)?.has(wire)).length);
  const withMutation = rows.filter(({ id }) => mutated.has(id)).length;
  return [rows.length, of('shown'), of('begun'), of('not yet'), onAll.length, ...on, withMutation].map(String);
}

function stateOf({ id, transports: wires }: Row, shown: Shown): 'shown' | 'begun' | 'not yet' {
  const on = shown.get(id);
  if (on === undefined) return 'not yet';
  return wires !== 'all' || on.size === transports.length ? 'shown' : 'begun';
}
