import assert from 'node:assert/strict';
import { createPowerCutFileSystem, type PowerCutFileSystem } from '@rondo/runtime/testing';
import type { ChaosCase, ChaosFamily } from '../chaos-case.ts';
import { assertRecovers } from '../story/assert-recovers.ts';
import { liveStory, type Life } from '../story/live-story.ts';
import { nextPrompt } from '../story/story-script.ts';
import { startStoryProcess, type StoryProcess } from '../story/story-process.ts';
import { createWorld } from '../story/world.ts';
import { poweredPlace, snapshotPath } from './powered-place.ts';

/** A snapshot after every turn, however short. */
const often = { snapshotEveryBytes: 1 };

/** The story, and a turn after it, by one process that closes: its log and snapshots at both places. */
interface Lived {
  readonly disk: PowerCutFileSystem;
  readonly process: StoryProcess;
  readonly life: Life;
}

async function liveOn(disk: PowerCutFileSystem): Promise<Lived> {
  const process = startStoryProcess(poweredPlace(disk, createWorld(), often), 1);
  const life = await liveStory(process);
  await process.runtime.close().catch(() => undefined);
  return { disk, process, life };
}

/** What becomes of a snapshot while nobody has the session open. `late` is that of a later time. */
type Mischief = (bytes: Uint8Array | undefined, others: { readonly late: Uint8Array }) => Uint8Array | undefined;

const mischiefs: Readonly<Record<string, Mischief>> = {
  'is as it was left': (bytes) => bytes,
  'is gone': () => undefined,
  'is empty': () => new Uint8Array(0),
  'is of a later time': (_, { late }) => late,
  'is half of one of a later time': (_, { late }) => late.subarray(0, late.length >> 1),
};

/** The power goes off during every operation, and whatever becomes of the snapshot: the session opens as its log says. */
export const snapshots: ChaosFamily = {
  name: 'snapshots',
  atOnce: 1,
  async cases() {
    const { disk } = await liveOn(createPowerCutFileSystem());
    const late = await lateSnapshot();
    const cases: ChaosCase[] = [];
    for (const cut of [...disk.operations.keys(), disk.operations.length]) {
      for (const [what, mischief] of Object.entries(mischiefs))
        cases.push(snapshotCase(`power off during operation ${cut}, and the snapshot ${what}`, cut, mischief, late));
    }
    for (let at = 0; at < late.length; at += at < 512 ? 1 : 61) {
      const flip: Mischief = () => flipped(late, at);
      cases.push(snapshotCase(`byte ${at} of a later snapshot is another one`, disk.operations.length, flip, late));
    }
    return cases;
  },
};

function snapshotCase(name: string, cut: number, mischief: Mischief, late: Uint8Array): ChaosCase {
  return {
    name,
    async run() {
      const disk = createPowerCutFileSystem();
      disk.cutPowerAt(cut);
      const { process, life } = await liveOn(disk);
      const after = disk.restart({ keep: 'all' });
      await put(after, mischief(await contentOf(after), { late }));
      const place = poweredPlace(after, createWorld(process.place.world.effects()), often);
      await assertRecovers(life, startStoryProcess(place, 2), cut % 2 === 0 ? 'settle' : 'continue');
    },
  };
}

/** That of a session which has gone on. */
async function lateSnapshot(): Promise<Uint8Array> {
  const { disk, process } = await liveOn(createPowerCutFileSystem());
  const next = startStoryProcess(process.place, 2);
  const turnId = await next.start(nextPrompt);
  await next.watch({ shown: () => {}, signal: new AbortController().signal, turnId });
  await next.runtime.close();
  const bytes = await contentOf(disk);
  assert.ok(bytes !== undefined && bytes.length > 0, 'no snapshot was kept');
  return bytes;
}

async function contentOf(disk: PowerCutFileSystem): Promise<Uint8Array | undefined> {
  const size = disk.status(snapshotPath)?.size;
  if (size === undefined) return undefined;
  const file = await disk.open(snapshotPath, 'read');
  const bytes = new Uint8Array(size);
  await file.read(bytes, 0);
  await file.close();
  return bytes;
}

async function put(disk: PowerCutFileSystem, bytes: Uint8Array | undefined): Promise<void> {
  if (disk.status(snapshotPath) !== undefined) await disk.remove(snapshotPath);
  // Where there is no session yet there is no folder for one.
  if (bytes === undefined || disk.status(snapshotPath.slice(0, snapshotPath.lastIndexOf('/'))) === undefined) return;
  const file = await disk.open(snapshotPath, 'update');
  await file.write(bytes, 0);
  await file.close();
}

function flipped(bytes: Uint8Array, at: number): Uint8Array {
  const copy = bytes.slice();
  copy[at] = (copy[at] ?? 0) ^ 1;
  return copy;
}
