import { racingAnswers } from './answer/racing-answers.ts';
import type { ChaosFamily } from './chaos-case.ts';
import { killedClients } from './client/killed-clients.ts';
import { disconnects } from './disconnect/disconnects.ts';
import { mutatedMessages } from './message/mutated-messages.ts';
import { servedFailedWrites } from './serve/served-failed-writes.ts';
import { servedKills } from './serve/served-kills.ts';
import { servedPowerCuts } from './serve/served-power-cuts.ts';
import { mutatedStreams } from './stream/mutated-streams.ts';
import { kills, killsOfTrees } from './kill/kills.ts';
import { modelFaults } from './model/model-faults.ts';
import { comparedLines } from './permission/compared-lines.ts';
import { wrappedCommands } from './permission/wrapped-commands.ts';
import { failedWrites } from './power/failed-writes.ts';
import { twoOwners } from './owner/two-owners.ts';
import { powerCuts } from './power/power-cuts.ts';
import { randomReplays } from './replay/random-replays.ts';
import { removals } from './power/removals.ts';
import { snapshots } from './power/snapshots.ts';

/** Every kind of trouble, the quick ones first. */
export const families: readonly ChaosFamily[] = [
  failedWrites,
  removals,
  mutatedStreams,
  mutatedMessages,
  wrappedCommands,
  comparedLines,
  randomReplays,
  racingAnswers,
  modelFaults,
  disconnects,
  twoOwners,
  kills,
  killsOfTrees,
  servedKills,
  killedClients,
  servedFailedWrites,
  servedPowerCuts,
  snapshots,
  powerCuts,
];
