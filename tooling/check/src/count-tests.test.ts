import { expect, test } from 'vitest';
import { countTests } from './count-tests.ts';

const report = (passed: number, failed: number, skipped = 0): string =>
  JSON.stringify({ numPassedTests: passed, numFailedTests: failed, numPendingTests: skipped });

test.each([
  ['what the report says', report(12, 2, 1), 1, { passed: 12, failed: 2, skipped: 1 }],
  [
    'a failure that is no test, such as a file that does not load',
    report(12, 0),
    1,
    { passed: 12, failed: 1, skipped: 0 },
  ],
  ['a run of no tests', report(0, 0), 0, { passed: 0, failed: 1, skipped: 0 }],
  ['no report', undefined, 1, { passed: 0, failed: 1, skipped: 0 }],
  ['half a report', '{"numPassedTests": 3', 1, { passed: 0, failed: 1, skipped: 0 }],
])('%s', (_name, text, exitCode, count) => {
  expect(countTests(text, exitCode)).toEqual(count);
});
