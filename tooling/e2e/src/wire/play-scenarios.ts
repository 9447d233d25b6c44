import { describe, expect, inject, test } from 'vitest';
import { expectOutcome } from './expect-outcome.ts';
import { play, type Way } from './play.ts';
import type { Outcome, Scenario } from './scenario.ts';

/** Each starts two processes, and a loaded machine takes its time for them. */
const timeoutMs = 120_000;
const elsewhere: readonly Way[] = ['over the wire', 'by the SDK’s client'];

/** Plays each scenario in process, as it says, and then over the wire, where the same has to come of it. */
export function playScenarios(title: string, scenarios: readonly Scenario[]): void {
  describe(title, () => {
    test.concurrent.each(scenarios.map((scenario) => ({ ...scenario })))(
      '$name',
      async (scenario) => {
        const command = inject('builtCommand');
        const { outcomes } = await play(scenario, 'in process', command);
        for (const [at, outcome] of outcomes.entries()) expectOutcome(outcome, scenario.episodes[at]?.expect ?? {});
        for (const way of elsewhere) {
          const there = await play(scenario, way, command);
          for (const [at, outcome] of outcomes.entries()) {
            expect({ way, episode: at, ...comparable(there.outcomes[at]) }).toEqual({
              way,
              episode: at,
              ...comparable(outcome),
            });
          }
        }
      },
      timeoutMs,
    );
  });
}

/**
 * That a query ends badly is thrown in process and the exit code on the wire: the wire's own client says it in words of its
 * own, so that only whether it did is compared. In process a stream's error result is not thrown; on the wire it is.
 */
function comparable(outcome: Outcome | undefined) {
  const { error, ...rest } = outcome ?? { error: 'no outcome' };
  const endsInError = outcome?.lines.findLast((line) => line.type === 'result')?.is_error === true;
  return { ...rest, fails: error !== undefined || endsInError };
}
