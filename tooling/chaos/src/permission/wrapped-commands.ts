import assert from 'node:assert/strict';
import { judgeWrappedCommands } from '@rondo/runtime/testing';
import type { ChaosCase, ChaosFamily } from '../chaos-case.ts';

const lines = 50_000;
const linesOfCase = 500;

/** A denied command within whatever starts commands or holds them, under the widest policies: none allows it. */
export const wrappedCommands: ChaosFamily = {
  name: 'wrapped denied commands',
  atOnce: 1,
  cases: () =>
    Promise.resolve(
      Array.from({ length: lines / linesOfCase }, (_, index): ChaosCase => {
        // Every fifth where nobody is there to ask.
        const attended = index % 5 !== 4;
        return {
          name: `seed ${index + 1}, ${linesOfCase} lines, ${attended ? 'attended' : 'unattended'}`,
          run: () => judge(index + 1, attended),
        };
      }),
    ),
};

async function judge(seed: number, attended: boolean): Promise<void> {
  const { counts, allowed } = await judgeWrappedCommands({ seed, lines: linesOfCase, layers: 5, attended });
  assert.deepEqual(allowed, []);
  if (!attended) assert.equal(counts.deny, linesOfCase);
  // Most is seen through, not merely left to the person.
  assert.ok(counts.deny > counts.ask, `${counts.ask} lines were not understood`);
}
