import { writeSync } from 'node:fs';
import { inspect } from 'node:util';
import type { AnyEvent } from '@rondo/protocol';
import { nodeFileSystem } from '@rondo/runtime/node';
import { liveStory } from '../story/live-story.ts';
import type { StoryPrompt } from '../story/story-engine.ts';
import { startStoryProcess } from '../story/story-process.ts';
import { dyingFileSystem, type Death } from './dying-file-system.ts';
import { realPlace } from './real-place.ts';

/** What the process is told, as JSON in its first argument. */
export interface MortalOptions {
  readonly folder: string;
  readonly serverUrl: string;
  readonly prompt?: StoryPrompt | undefined;
  readonly death: Death;
}

/** A line that it prints, at once and whole, so that it is read also when the process is killed right after it. */
export type MortalLine =
  | { readonly shown: AnyEvent }
  | { readonly turnId: string }
  | { readonly ended: true; readonly writes: number; readonly failure?: string };

const { folder, serverUrl, prompt, death } = JSON.parse(process.argv[2] ?? '') as MortalOptions;
let writes = 0;
const fileSystem = dyingFileSystem(nodeFileSystem, death, () => {
  writes += 1;
});
const story = startStoryProcess(realPlace({ folder, serverUrl, prompt, fileSystem }), 1);

function print(line: MortalLine): void {
  writeSync(1, `${JSON.stringify(line)}\n`);
}

const { failure } = await liveStory(story, {
  shown: (event) => print({ shown: event }),
  started: (turnId) => print({ turnId }),
});
await story.runtime.close();
print({ ended: true, writes, ...(failure === undefined ? {} : { failure: inspect(failure) }) });
