import { setTimeout } from 'node:timers/promises';
import type { Clock } from '@rondo/runtime';

/** The time of a peer's end, without loading the engine for it. */
export const peerTime: Clock = {
  now: Date.now,
  sleep: (milliseconds, { signal }) => setTimeout(milliseconds, undefined, { signal }),
};
