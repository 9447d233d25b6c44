import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { gainedSince, lostSince, readBaseline, writeBaseline } from './baseline.ts';
import { checkTests } from './check-tests.ts';
import { readManifest } from './manifest.ts';
import { checkMutations, mutatedRows } from './mutation/check-mutations.ts';
import { readTests } from './read-tests.ts';
import { report, reportRows } from './report.ts';

/** Prints how much of the requirements tests show; fails when a title names them wrongly or a shown row is lost. */
const { values } = parseArgs({
  options: {
    /** Takes what is shown now as the baseline. */
    write: { type: 'boolean', default: false },
    /** Prints each row instead of the areas. */
    rows: { type: 'boolean', default: false },
  },
});
const root = join(import.meta.dirname, '..', '..', '..');
const place = join(import.meta.dirname, '..');
const baselinePath = join(place, 'shown.json');

const manifest = readManifest(join(place, 'manifest.json'));
const paths = globSync('{packages,apps,tooling}/*/{src,build}/**/*.test.ts', { cwd: root }).sort();
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const tests = paths.flatMap((path) => readTests(path, read(path), (beside) => read(join(dirname(path), beside))));
const { shown, problems } = checkTests(manifest, tests);

if (values.write) writeBaseline(baselinePath, shown);
const baseline = readBaseline(baselinePath);
for (const problem of checkMutations(manifest, tests, read))
  problems.push(`tooling/requirements/manifest.json: ${problem}`);
for (const lost of lostSince(baseline, shown)) problems.push(`tooling/requirements/shown.json: ${lost}`);

process.stdout.write(values.rows ? reportRows(manifest, shown) : report(manifest, shown));
for (const { id, part } of manifest.notOurs) process.stdout.write(`not ours: ${id} (${part})\n`);
process.stdout.write(
  `mutated: ${mutatedRows(manifest.mutations).size} rows, each noticed by its test: npm run mutations\n`,
);
const gained = gainedSince(baseline, shown);
if (gained > 0) process.stdout.write(`${gained} more than the baseline holds: npm run requirements -- --write\n`);
for (const problem of problems) process.stderr.write(`${problem}\n`);
process.stdout.write(`requirements: ${tests.length} tests read, ${problems.length} problems\n`);
if (problems.length > 0) process.exitCode = 1;
