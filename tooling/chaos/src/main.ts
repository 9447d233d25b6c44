import { inspect, parseArgs } from 'node:util';
import { families } from './families.ts';
import { runCases } from './run-cases.ts';
import { sampleCases } from './sample.ts';

const usage = `usage: npm run chaos [-- --family NAME] [--sample N] [--seed N]

Runs every case of trouble, or of each family a sample of N, the same for the same seed.
`;
/** Failures beyond these say the same. */
const shownFailures = 10;

const { values } = parseArgs({
  options: {
    family: { type: 'string' },
    sample: { type: 'string' },
    seed: { type: 'string', default: '1' },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
const chosen = families.filter(({ name }) => values.family === undefined || name === values.family);
if (values.help || chosen.length === 0) {
  const names = families.map(({ name }) => `  ${name}\n`).join('');
  process.stdout.write(`${usage}\nFamilies:\n${names}`);
  process.exit(values.help ? 0 : 2);
}

let passed = 0;
let failed = 0;
for (const family of chosen) {
  const startedAt = Date.now();
  const all = await family.cases();
  const cases = values.sample === undefined ? all : sampleCases(all, Number(values.sample), Number(values.seed));
  const failures = await runCases(cases, family.atOnce);
  passed += cases.length - failures.length;
  failed += failures.length;
  const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
  process.stdout.write(
    `${family.name}: ${cases.length} of ${all.length} cases, ${failures.length} failed (${seconds} s)\n`,
  );
  for (const { name, error } of failures.slice(0, shownFailures))
    process.stdout.write(`\n${name}\n${inspect(error)}\n`);
}
process.stdout.write(`chaos: ${passed} passed, ${failed} failed\n`);
process.exitCode = failed > 0 ? 1 : 0;
