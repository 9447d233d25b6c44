import type { ProcessOutcome, RunProcessOptions } from './supervisor/run-process.ts';

/**
 * Runs a program of the person's own, such as a hook: in a process group of its own, to its exit, with nothing of it left
 * afterwards, and swept at the next start when this process dies first. Not isolated. What starts processes is loaded
 * with the first one.
 * @throws RondoError `sandbox.unavailable` when it could not be started.
 */
export async function runProcess(options: RunProcessOptions): Promise<ProcessOutcome> {
  const supervised = await import('./supervisor/run-process.ts');
  return await supervised.runProcess(options);
}
