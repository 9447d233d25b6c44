import { expect, test } from 'vitest';
import { judgeRandomSession, replayRandomSession } from '../testing/replay-random-session.ts';

const seeds = Array.from({ length: 20 }, (_, index) => index + 1);

test.each(seeds)(
  'issue 4, accept 9: whatever was done to a session in whatever order, it replays as it was recorded (seed %i)',
  async (seed) => expect(await replayRandomSession(seed)).toEqual([]),
);

test.each(seeds)(
  'hooks and a policy that are as they were decide as they did, whatever was done to the session (seed %i)',
  async (seed) => {
    const { changes, hookChanges } = await judgeRandomSession(seed, { isWide: seed % 2 === 0 });
    expect({ changes, hookChanges }).toEqual({ changes: [], hookChanges: [] });
  },
);
