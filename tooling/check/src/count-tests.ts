export interface Count {
  passed: number;
  failed: number;
  skipped: number;
}

/** The part of vitest's JSON report that is counted. */
interface Report {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
}

/** What a test run amounts to. A run that failed without naming a failed test, or left no report, is one failure. */
export function countTests(report: string | undefined, exitCode: number): Count {
  const { numPassedTests, numFailedTests, numPendingTests } = readReport(report);
  const ranNothing = numPassedTests + numFailedTests === 0;
  const failed = numFailedTests === 0 && (exitCode !== 0 || ranNothing) ? 1 : numFailedTests;
  return { passed: numPassedTests, failed, skipped: numPendingTests };
}

function readReport(report: string | undefined): Report {
  const nothing = { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0 };
  if (report === undefined) return nothing;
  try {
    return { ...nothing, ...(JSON.parse(report) as Partial<Report>) };
  } catch {
    return nothing;
  }
}
