/** CPU milliseconds that one step cost, early and late in a session. */
export interface HistoryCost {
  readonly early: number;
  readonly late: number;
}

/** Steps whose cost is averaged, at each of the two places. */
export const measuredSteps = 25;
/** A step adds two entries: a session of about 100 entries, and one of about 1,000. */
export const earlyStep = 50;
export const lateStep = 500;

/** Marks the steps of one session as they come, and prints what they cost at both places. */
export function createStepClock(): { step(): void; print(): void } {
  const marks: number[] = [];
  const between = (step: number): number => {
    const from = marks[step - measuredSteps];
    const to = marks[step];
    if (from === undefined || to === undefined) throw new Error(`The session ended after ${marks.length} steps.`);
    return (to - from) / measuredSteps;
  };
  return {
    step() {
      const { user, system } = process.cpuUsage();
      marks.push((user + system) / 1_000);
    },
    print() {
      const cost: HistoryCost = { early: between(earlyStep), late: between(lateStep) };
      process.stdout.write(`${JSON.stringify(cost)}\n`);
    },
  };
}
