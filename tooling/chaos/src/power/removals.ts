import assert from 'node:assert/strict';
import type { EventStore } from '@rondo/runtime';
import { isRondoError } from '@rondo/protocol/values';
import { createPowerCutFileSystem, type PowerCutFileSystem, type PowerLoss } from '@rondo/runtime/testing';
import type { ChaosCase, ChaosFamily } from '../chaos-case.ts';
import { sessionId } from '../story/story-engine.ts';
import { createWorld } from '../story/world.ts';
import { liveOn, poweredPlace } from './powered-place.ts';

const losses: readonly PowerLoss[] = [
  { keep: 0 },
  { keep: 'all' },
  { keep: 0, entries: 'lost' },
  { keep: 'all', entries: 'lost' },
];

/** The power goes off during every operation of a removal: the session is there, whole, or it is gone. */
export const removals: ChaosFamily = {
  name: 'removals',
  atOnce: 1,
  async cases() {
    const disk = await diskWithSession();
    const before = disk.operations.length;
    await storeOn(disk).remove(sessionId);
    const cases: ChaosCase[] = [];
    for (let cut = before; cut <= disk.operations.length; cut += 1) {
      for (const loss of losses) cases.push(removal(cut, loss, cut === disk.operations.length));
    }
    return cases;
  },
};

function removal(cut: number, loss: PowerLoss, done: boolean): ChaosCase {
  return {
    name: `power off during operation ${cut} of a removal, ${loss.keep} unsynced bytes and new names ${loss.entries ?? 'kept'}`,
    async run() {
      const disk = await diskWithSession();
      const told = await eventsOn(storeOn(disk));
      disk.cutPowerAt(cut);
      const removed = await storeOn(disk)
        .remove(sessionId)
        .then(
          () => true,
          () => false,
        );
      assert.equal(removed, done);
      const store = storeOn(disk.restart(loss));
      const listed = (await store.list()).sessions.length;
      const found = await eventsOn(store).catch((error: unknown) => {
        assert.ok(isRondoError(error, 'session.not_found'), String(error));
        return undefined;
      });
      assert.equal(listed, found === undefined ? 0 : 1, 'the list says something else than the log');
      if (done) assert.equal(found, undefined, 'a session that was removed is there again');
      if (found !== undefined) {
        assert.deepEqual(found, told, 'the session is there, but not whole');
        await store.remove(sessionId);
      }
      // Its name is free.
      await (await store.create(sessionId)).release();
    },
  };
}

async function diskWithSession(): Promise<PowerCutFileSystem> {
  const { disk, process } = await liveOn(createPowerCutFileSystem());
  await process.runtime.close();
  return disk;
}

function storeOn(disk: PowerCutFileSystem): EventStore {
  return poweredPlace(disk, createWorld()).openStore();
}

async function eventsOn(store: EventStore): Promise<unknown[]> {
  const events: unknown[] = [];
  for await (const event of store.read(sessionId)) events.push(event);
  return events;
}
