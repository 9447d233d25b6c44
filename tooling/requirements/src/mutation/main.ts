import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readManifest } from '../manifest.ts';
import { judgeMutant } from './judge-mutant.ts';
import { sampleOf } from './mutation.ts';
import { startMutationRun, type TestOutcome } from './mutation-run.ts';

/** Switches behaviours off, one at a time, and fails unless the test of the row that asks for it notices. */
const { values } = parseArgs({
  options: {
    /** Only this row's; may stand several times. */
    row: { type: 'string', multiple: true },
    /** So many of them, chosen by the seed. */
    sample: { type: 'string' },
    seed: { type: 'string', default: '20261130' },
  },
});
const root = join(import.meta.dirname, '..', '..', '..', '..');
const manifest = readManifest(join(import.meta.dirname, '..', '..', 'manifest.json'));
const areas = new Set(manifest.rows.map(({ area }) => area));
const all = manifest.mutations;
const asked = values.row === undefined ? all : all.filter(({ row }) => values.row?.includes(row));
const chosen = values.sample === undefined ? asked : sampleOf(asked, Number(values.sample), Number(values.seed));
if (chosen.length === 0) throw new Error('no mutation is of such a row; the manifest names them');

// A mutation changes what all wires share, so that one of them tells.
await using runs = await startMutationRun(root, /^(?!over (?!memory, objects ))/);
const unchanged = new Map<string, readonly TestOutcome[]>();
let noticed = 0;
for (const mutation of chosen.toSorted((left, right) => (left.test < right.test ? -1 : 1))) {
  const { row, file, test } = mutation;
  const startedAt = Date.now();
  const before = unchanged.get(test) ?? (await runs.run(test));
  unchanged.set(test, before);
  const verdict = judgeMutant({ row, areas, before, after: await runs.run(test, mutation) });
  const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
  if (verdict.type === 'noticed') noticed += 1;
  const facts =
    verdict.type === 'noticed' ? `${verdict.failed} failed, ${verdict.othersPassed} others passed` : verdict.why;
  process.stdout.write(`${verdict.type.padEnd(8)}  ${row}  (${file}): ${facts} (${seconds} s)\n`);
}
process.stdout.write(`mutations: ${noticed} of ${chosen.length} noticed by their rows’ tests; ${all.length} in all\n`);
process.exitCode = noticed === chosen.length ? 0 : 1;
