import { expect, test } from 'vitest';
import { replayRandomSession } from '../testing/replay-random-session.ts';

test.each(Array.from({ length: 20 }, (_, index) => index + 1))(
  'issue 4, accept 9: whatever was done to a session in whatever order, it replays as it was recorded (seed %i)',
  async (seed) => expect(await replayRandomSession(seed)).toEqual([]),
);
