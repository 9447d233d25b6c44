import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Count, countTests } from './count-tests.ts';
import { type Step, steps } from './steps.ts';

const root = join(import.meta.dirname, '..', '..', '..');

/** Runs the steps one after another, to the end even when one fails, and closes with `N passed, N failed`. */
const { values } = parseArgs({
  options: {
    /** Exit code of a test run that was made already; its report is counted instead of running the tests again. */
    'tests-exited': { type: 'string' },
    report: { type: 'string', default: join('.cache', 'tests.json') },
  },
});
const reportFile = join(root, values.report);

const total: Count = { passed: 0, failed: 0, skipped: 0 };
const failures: string[] = [];
for (const step of steps) {
  const startedAt = Date.now();
  const count = runStep(step);
  total.passed += count.passed;
  total.failed += count.failed;
  total.skipped += count.skipped;
  if (count.failed > 0) failures.push(step.name);
  const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
  process.stdout.write(`== ${step.name}: ${count.failed > 0 ? 'FAILED' : 'ok'} (${seconds} s)\n`);
}

if (failures.length > 0) process.stdout.write(`failed steps: ${failures.join(', ')}\n`);
if (total.skipped > 0) process.stdout.write(`skipped tests: ${total.skipped}\n`);
process.stdout.write(`${total.passed} passed, ${total.failed} failed\n`);
process.exitCode = total.failed > 0 ? 1 : 0;

function runStep(step: Step): Count {
  if (!step.countsTests) {
    const failed = npm(step.npm) === 0 ? 0 : 1;
    return { passed: 1 - failed, failed, skipped: 0 };
  }
  const exitCode = values['tests-exited'] === undefined ? runTests(step) : Number(values['tests-exited']);
  return countTests(existsSync(reportFile) ? readFileSync(reportFile, 'utf8') : undefined, exitCode);
}

function runTests(step: Step): number {
  rmSync(reportFile, { force: true });
  return npm([...step.npm, '--', '--reporter=default', '--reporter=json', `--outputFile.json=${reportFile}`]);
}

function npm(parameters: readonly string[]): number {
  process.stdout.write(`\n== npm ${parameters.join(' ')}\n`);
  const { error, status } = spawnSync('npm', parameters, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
  if (error) throw error;
  return status ?? 1;
}
