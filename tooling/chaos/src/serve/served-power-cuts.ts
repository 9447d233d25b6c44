import type { PowerLoss } from '@rondo/runtime/testing';
import type { ChaosCase, ChaosFamily } from '../chaos-case.ts';
import { assertTold } from './assert-told.ts';
import { type PowerCut, type PoweredHost, startPoweredHost } from './powered-host.ts';
import { liveServedStory } from './served-story.ts';

type Losses = Readonly<Record<string, PowerCut['loss']>>;

/** What becomes of everything that was not synced. */
const whole: Losses = {
  'nothing unsynced kept': () => ({ keep: 0 }),
  'all kept': () => ({ keep: 'all' }),
  'nothing unsynced kept, new names lost': () => ({ keep: 0, entries: 'lost' }),
  'all kept, new names lost': () => ({ keep: 'all', entries: 'lost' }),
};
const eighths = [1, 2, 3, 4, 5, 6, 7];
/** First cuts, as parts of the story, behind which the power goes off again. */
const firstCuts = [0.4, 0.6, 0.8];
/** What the next host does with what is left is less than this; in a life that does less, it is not cut off. */
const operationsOfNextLife = 24;

/**
 * The power of a machine that serves goes off during every operation on its disk, and what was not synced is kept, lost,
 * or lost in part; and again while the next host goes on with what is left. Its clients come back by themselves.
 */
export const servedPowerCuts: ChaosFamily = {
  name: 'power cuts of a host that serves',
  atOnce: 1,
  async cases() {
    const [life] = (await liveThrough([])).lives;
    const operations = life?.operations ?? [];
    return [...operations.entries()]
      .flatMap(([operation, what]) => {
        const parts = what === 'write' || what === 'sync' ? lossesInPart(operation) : {};
        return Object.entries({ ...whole, ...parts }).map(([how, loss]) =>
          powerCut(`operation ${operation} (${what}), ${how}`, [{ operation, loss }]),
        );
      })
      .concat(firstCuts.flatMap((part) => cutsBehind(Math.round(operations.length * part))));
  },
};

/** Prefixes that end at any byte, and holes at the front. */
function lossesInPart(operation: number): Losses {
  const losses: Record<string, (unsyncedBytes: number) => PowerLoss> = {};
  for (const eighth of eighths) {
    const bytesOf = (unsynced: number): number => Math.floor((unsynced * eighth + operation) / 8);
    losses[`${eighth} eighths kept`] = (unsynced) => ({ keep: bytesOf(unsynced) });
    losses[`all kept but the first ${eighth} eighths are zero`] = (unsynced) => ({
      keep: 'all',
      zeroed: bytesOf(unsynced),
    });
  }
  return losses;
}

function cutsBehind(first: number): ChaosCase[] {
  return Array.from({ length: operationsOfNextLife }, (_, operation) => operation).flatMap((operation) =>
    Object.entries(whole).map(([how, loss]) =>
      powerCut(`operation ${first} and operation ${operation} of the next life, ${how}`, [
        { operation: first, loss },
        { operation, loss },
      ]),
    ),
  );
}

function powerCut(name: string, cuts: readonly PowerCut[]): ChaosCase {
  return { name: `power off during ${name}`, run: async () => void (await liveThrough(cuts)) };
}

async function liveThrough(cuts: readonly PowerCut[]): Promise<PoweredHost> {
  const host = await startPoweredHost({ cuts });
  try {
    const told = await liveServedStory(host);
    assertTold(await host.end(), told, host.charges);
    return host;
  } catch (error) {
    await host.end().catch(() => {});
    throw error;
  }
}
