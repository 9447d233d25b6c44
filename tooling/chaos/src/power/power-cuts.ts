import { createPowerCutFileSystem, type PowerLoss } from '@rondo/runtime/testing';
import type { ChaosCase, ChaosFamily } from '../chaos-case.ts';
import { assertRecovers, type Unfinished } from '../story/assert-recovers.ts';
import { startStoryProcess } from '../story/story-process.ts';
import { createWorld } from '../story/world.ts';
import { liveOn, poweredPlace, wholeStory, type PoweredLife } from './powered-place.ts';

const recoveries: readonly Unfinished[] = ['settle', 'continue'];

/** The power goes off during every operation on the disk, and what was not synced is kept, lost, or lost in part: at every byte of the last batch. */
export const powerCuts: ChaosFamily = {
  name: 'power cuts',
  atOnce: 1,
  async cases() {
    const { operations } = await wholeStory();
    const lastBatch = operations.lastIndexOf('sync');
    const cases: ChaosCase[] = [];
    for (const cut of [...operations.keys(), operations.length]) {
      for (const loss of await lossesAt(cut, cut === lastBatch ? 1 : 17)) {
        for (const unfinished of recoveries) cases.push(powerCut(cut, loss, unfinished));
      }
    }
    return cases;
  },
};

function powerCut(cut: number, loss: PowerLoss, unfinished: Unfinished): ChaosCase {
  return {
    name: `power off during operation ${cut}, ${describeLoss(loss)}, then ${unfinished}`,
    essential: loss.keep === 0 && loss.entries === undefined,
    async run() {
      const { disk, process, life } = await liveUntilCut(cut);
      // The disk and the world stay as they are for the cases that share them.
      const place = poweredPlace(disk.restart(loss), createWorld(process.place.world.effects()));
      await assertRecovers(life, startStoryProcess(place, 2), unfinished);
    },
  };
}

function describeLoss({ keep, zeroed, entries = 'kept' }: PowerLoss): string {
  const zeros = zeroed === undefined ? '' : ` but the first ${zeroed} are zero`;
  return `${keep === 'all' ? 'all' : `the first ${keep}`} unsynced bytes kept${zeros}, new names ${entries}`;
}

/** The whole losses, and where a sync was under way those in part: prefixes, and holes at the front, that many bytes apart. */
async function lossesAt(cut: number, step: number): Promise<readonly PowerLoss[]> {
  const losses: PowerLoss[] = [
    { keep: 0 },
    { keep: 'all' },
    { keep: 0, entries: 'lost' },
    { keep: 'all', entries: 'lost' },
  ];
  const { disk } = await liveUntilCut(cut);
  if (disk.operations[cut] !== 'sync') return losses;
  const unsynced = disk.unsyncedBytes();
  // A spilled output is longer than all batches together and is read whole or not at all: few of its bytes will do.
  const apart = unsynced > 16_384 ? 4093 : step;
  for (let bytes = 1 + ((cut * 5) % apart); bytes < unsynced; bytes += apart) {
    losses.push({ keep: bytes }, { keep: 'all', zeroed: bytes });
  }
  return losses;
}

/** A life is the same whatever is lost afterwards: those that follow each other share it. */
let lastLife: { readonly cut: number; readonly life: Promise<PoweredLife> } | undefined;

function liveUntilCut(cut: number): Promise<PoweredLife> {
  if (lastLife?.cut !== cut) {
    const disk = createPowerCutFileSystem();
    disk.cutPowerAt(cut);
    lastLife = { cut, life: liveOn(disk) };
  }
  return lastLife.life;
}
