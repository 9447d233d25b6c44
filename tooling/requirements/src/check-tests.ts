import type { Manifest, Transport } from './manifest.ts';
import { transports } from './manifest.ts';
import type { Test } from './read-tests.ts';
import { rowNames, rowsOutOfPlace } from './row-names.ts';

/** Which rows tests show, and on which wires. A test outside every `describe('over <transport>')` adds no wire. */
export type Shown = ReadonlyMap<string, ReadonlySet<Transport>>;

const mostRows = 3;

/** What tests show of the manifest, and what is wrong with how they name its rows. Skipped tests show nothing. */
export function checkTests(manifest: Manifest, tests: readonly Test[]): { shown: Shown; problems: string[] } {
  const ids = new Set(manifest.rows.map(({ id }) => id));
  const areas = new Set(manifest.rows.map(({ area }) => area));
  const shown = new Map<string, Set<Transport>>();
  const problems = new Set<string>();
  for (const { path, line, titles, skipped } of tests) {
    const where = `${path}:${line}`;
    const names = [...new Set(titles.flatMap((title) => rowNames(title, areas)))];
    for (const name of names.filter((each) => !ids.has(each))) {
      problems.add(`${where}: no row is called ${name}; take the ID from tooling/requirements/manifest.json`);
    }
    for (const name of titles.flatMap((title) => rowsOutOfPlace(title, ids))) {
      problems.add(`${where}: ${name} must stand at the head of the title, as in '${name}: what is seen'`);
    }
    if (names.length > mostRows) problems.add(`${where}: names ${names.length} rows, at most ${mostRows} a test`);
    if (skipped) continue;
    for (const name of names.filter((each) => ids.has(each))) {
      const wires = shown.get(name) ?? new Set();
      for (const wire of wiresOf(titles)) wires.add(wire);
      shown.set(name, wires);
    }
  }
  return { shown, problems: [...problems] };
}

const wiresOf = (titles: readonly string[]): Transport[] =>
  transports.filter((wire) => titles.some((title) => title === `over ${wire}` || title.startsWith(`over ${wire}, `)));
