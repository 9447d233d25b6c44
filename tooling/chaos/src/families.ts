import type { ChaosFamily } from './chaos-case.ts';
import { disconnects } from './disconnect/disconnects.ts';
import { mutatedMessages } from './message/mutated-messages.ts';
import { mutatedStreams } from './stream/mutated-streams.ts';
import { kills } from './kill/kills.ts';
import { modelFaults } from './model/model-faults.ts';
import { failedWrites } from './power/failed-writes.ts';
import { powerCuts } from './power/power-cuts.ts';

/** Every kind of trouble, the quick ones first. */
export const families: readonly ChaosFamily[] = [
  failedWrites,
  mutatedStreams,
  mutatedMessages,
  modelFaults,
  disconnects,
  kills,
  powerCuts,
];
