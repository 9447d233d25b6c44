import { createFileStore, type FileStoreOptions } from '@rondo/runtime/node';
import { createPowerCutFileSystem, type PowerCutFileSystem } from '@rondo/runtime/testing';
import { liveStory, type Life } from '../story/live-story.ts';
import { sessionId } from '../story/story-engine.ts';
import { startStoryProcess, type StoryPlace, type StoryProcess } from '../story/story-process.ts';
import { createWorld, type World } from '../story/world.ts';

const home = '/home/user/.rondo';

/** Where the session's snapshot lies. */
export const snapshotPath = `${home}/sessions/${sessionId}/snapshot`;

/** The file store over a disk whose power can fail. */
export function poweredPlace(
  disk: PowerCutFileSystem,
  world: World,
  options: Pick<FileStoreOptions, 'snapshotEveryBytes'> = {},
): StoryPlace {
  return {
    world,
    sizeOfLog: () => disk.status(`${home}/sessions/${sessionId}/log.jsonl`)?.size ?? 0,
    openStore: () => createFileStore({ home, fileSystem: disk, ...options }),
  };
}

/** A life on a disk, and the process that lived it. */
export interface PoweredLife {
  readonly disk: PowerCutFileSystem;
  readonly process: StoryProcess;
  readonly life: Life;
}

export async function liveOn(disk: PowerCutFileSystem): Promise<PoweredLife> {
  const process = startStoryProcess(poweredPlace(disk, createWorld()), 1);
  return { disk, process, life: await liveStory(process) };
}

/** The story on a good disk: what it does there is where a bad one can fail. */
export async function wholeStory(): Promise<PowerCutFileSystem> {
  const { disk, life } = await liveOn(createPowerCutFileSystem());
  if (life.failure === undefined) return disk;
  throw new Error('the story does not come to its end on a good disk', { cause: life.failure });
}
