import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { isRondoError } from '@rondo/protocol/values';
import { createPowerCutFileSystem, type DiskOperation } from '@rondo/runtime/testing';
import type { ChaosCase, ChaosFamily } from '../chaos-case.ts';
import { assertRecovers, type Unfinished } from '../story/assert-recovers.ts';
import { startStoryProcess, type StoryProcess } from '../story/story-process.ts';
import { createWorld } from '../story/world.ts';
import { liveOn, poweredPlace, wholeStory, type PoweredLife } from './powered-place.ts';

const fallible: ReadonlySet<DiskOperation> = new Set(['write', 'sync', 'syncDirectory']);
const codes = ['EIO', 'ENOSPC'] as const;

/** Where the session is opened again: by the process that was told, or by another one after it, also after a power cut. */
const places: Readonly<Record<string, (lived: PoweredLife) => StoryProcess>> = {
  'in the same process': ({ process }) => process,
  'in another process': ({ process }) => startStoryProcess(process.place, 2),
  'after a power cut': ({ process, disk }) =>
    startStoryProcess(poweredPlace(disk.restart({ keep: 0 }), createWorld(process.place.world.effects())), 2),
};

/** Each write and each sync fails once: whoever waits is told, and the session opens again. */
export const failedWrites: ChaosFamily = {
  name: 'failed writes and syncs',
  atOnce: 1,
  async cases() {
    const calls = (await wholeStory()).operations.filter((operation) => fallible.has(operation)).length;
    return Array.from({ length: calls }, (_, call) => failuresAt(call)).flat();
  },
};

function failuresAt(call: number): ChaosCase[] {
  const unfinished: Unfinished = call % 2 === 0 ? 'settle' : 'continue';
  return codes.flatMap((code) =>
    Object.entries(places).map(([where, open]) => ({
      name: `write or sync ${call} fails with ${code}, opened again ${where}, then ${unfinished}`,
      async run() {
        const disk = createPowerCutFileSystem();
        disk.failAt(call, code);
        const lived = await liveOn(disk);
        const { life, process } = lived;
        if (life.failure !== undefined)
          assert.ok(isRondoError(life.failure, 'session.write_failed'), `told as ${inspect(life.failure)}`);
        const acknowledged = [...life.acknowledged];
        if (where !== 'in the same process') await process.runtime.close();
        await assertRecovers({ ...life, acknowledged }, open(lived), unfinished);
      },
    })),
  );
}
