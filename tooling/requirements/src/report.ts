import type { Shown } from './check-tests.ts';
import { type Manifest, ourRows, type Row, transports } from './manifest.ts';

/**
 * One line an area. A row is shown when a test names it, and one that holds on all wires when tests show it on each;
 * until then it is begun. The wires' columns count the rows that must be shown on all wires.
 */
export function report(manifest: Manifest, shown: Shown): string {
  const rows = ourRows(manifest);
  const head = ['area', 'rows', 'shown', 'begun', 'not yet', 'on all wires', ...transports];
  const areas = [...new Set(rows.map(({ area }) => area))];
  const lines = areas.map((area) => [
    area,
    ...counts(
      rows.filter((row) => row.area === area),
      shown,
    ),
  ]);
  const table = [head, ...lines, ['all', ...counts(rows, shown)]];
  const widths = head.map((_, column) => Math.max(...table.map((line) => line[column]?.length ?? 0)));
  const print = (line: readonly string[]): string =>
    line
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ');
  return `${table.map(print).join('\n')}\n`;
}

/** One line a row: how far it is, the wires on which it must be shown, those on which it is, its ID. */
export function reportRows(manifest: Manifest, shown: Shown): string {
  return ourRows(manifest)
    .map(
      (row) =>
        `${stateOf(row, shown).padEnd(7)}  ${row.transports.padEnd(5)}  ${row.id}  ${[...(shown.get(row.id) ?? [])].join(' ')}`.trimEnd() +
        '\n',
    )
    .join('');
}

function counts(rows: readonly Row[], shown: Shown): string[] {
  const of = (state: ReturnType<typeof stateOf>): number => rows.filter((row) => stateOf(row, shown) === state).length;
  const onAll = rows.filter((row) => row.transports === 'all');
  const on = transports.map((wire) => onAll.filter(({ id }) => shown.get(id)?.has(wire)).length);
  return [rows.length, of('shown'), of('begun'), of('not yet'), onAll.length, ...on].map(String);
}

function stateOf({ id, transports: wires }: Row, shown: Shown): 'shown' | 'begun' | 'not yet' {
  const on = shown.get(id);
  if (on === undefined) return 'not yet';
  return wires !== 'all' || on.size === transports.length ? 'shown' : 'begun';
}
