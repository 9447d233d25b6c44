import { lineFaults } from '@rondo/sdk/testing';
import { describe, expect, inject, test } from 'vitest';
import { expectOutcome } from './expect-outcome.ts';
import { play, type Way } from './play.ts';
import type { Outcome, Scenario } from './scenario.ts';

/** Each starts two processes, and a loaded machine takes its time for them. */
const timeoutMs = 120_000;

/**
 * The wire is what the two are held to. The SDK's own client has tests of its own against a peer that does as it is told, so
 * that one in four scenarios has it beside the built command, and all of them where `RONDO_EVERY_SCENARIO` says so.
 */
function waysElsewhere(index: number): readonly Way[] {
  const isWhole = process.env['RONDO_EVERY_SCENARIO'] === '1';
  return isWhole || index % 4 === 0 ? ['over the wire', 'by the SDK’s client'] : ['over the wire'];
}

/** Plays each scenario in process, as it says, and then over the wire, where the same has to come of it. */
export function playScenarios(title: string, scenarios: readonly Scenario[]): void {
  describe(title, () => {
    test.concurrent.each(scenarios.map((scenario, index) => ({ ...scenario, ways: waysElsewhere(index) })))(
      '$name',
      async ({ ways, ...scenario }) => {
        const command = inject('builtCommand');
        const { outcomes } = await play(scenario, 'in process', command);
        for (const [at, outcome] of outcomes.entries()) expectOutcome(outcome, scenario.episodes[at]?.expect ?? {});
        expectOrder(outcomes);
        for (const way of ways) {
          const there = await play(scenario, way, command);
          expectOrder(there.outcomes);
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

/** The rules of the wire's order hold, whoever wrote the lines. A later episode may go on with what an earlier one left. */
function expectOrder(outcomes: readonly Outcome[]): void {
  for (const [at, { lines }] of outcomes.entries()) expect(lineFaults(lines, { resumed: at > 0 })).toEqual([]);
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
