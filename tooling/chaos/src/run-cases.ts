import type { ChaosCase } from './chaos-case.ts';

export interface ChaosFailure {
  readonly name: string;
  readonly error: unknown;
}

/** Runs the cases to the last, so many at once, and gives those that failed. */
export async function runCases(cases: readonly ChaosCase[], atOnce: number): Promise<ChaosFailure[]> {
  const failures: ChaosFailure[] = [];
  const left = cases[Symbol.iterator]();
  const work = async (): Promise<void> => {
    for (const { name, run } of left) {
      try {
        await run();
      } catch (error) {
        failures.push({ name, error });
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return failures;
}
