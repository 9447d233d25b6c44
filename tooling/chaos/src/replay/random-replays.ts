import assert from 'node:assert/strict';
import { replayRandomSession } from '@rondo/runtime/testing';
import type { ChaosCase, ChaosFamily } from '../chaos-case.ts';

const sessions = 3000;
const sessionsOfCase = 50;

/** Sessions to which anything was done in whatever order, replayed strictly: none may go another way than it went. */
export const randomReplays: ChaosFamily = {
  name: 'replays of random sessions',
  atOnce: 2,
  cases: () =>
    Promise.resolve(
      Array.from({ length: sessions / sessionsOfCase }, (_, index): ChaosCase => {
        const first = index * sessionsOfCase + 1;
        const last = first + sessionsOfCase - 1;
        return { name: `seeds ${first} to ${last}`, run: () => replaySeeds(first, last) };
      }),
    ),
};

async function replaySeeds(first: number, last: number): Promise<void> {
  for (let seed = first; seed <= last; seed += 1) {
    const found = await replayRandomSession(seed);
    assert.deepEqual(
      found.map(({ divergence }) => divergence),
      [],
      `seed ${seed} goes another way`,
    );
  }
}
