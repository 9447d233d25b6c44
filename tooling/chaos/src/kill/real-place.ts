import { appendFileSync, existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createAnthropicModel } from '@rondo/providers/anthropic';
import { systemClock } from '@rondo/runtime';
import { createFileStore, createKernelOwners, type FileSystem, nodeFileSystem } from '@rondo/runtime/node';
import { sessionId, type StoryPrompt } from '../story/story-engine.ts';
import type { StoryPlace } from '../story/story-process.ts';
import type { Effect, World } from '../story/world.ts';

export interface RealPlaceOptions {
  /** Holds the home and what happened in the world. */
  readonly folder: string;
  readonly serverUrl: string;
  readonly prompt?: StoryPrompt | undefined;
  readonly fileSystem?: FileSystem;
}

/** The file store over this machine's files and kernel locks, a model behind HTTP, a world that is a file. */
export function realPlace({ folder, serverUrl, prompt, fileSystem = nodeFileSystem }: RealPlaceOptions): StoryPlace {
  const home = join(folder, 'home');
  const log = join(home, 'sessions', sessionId, 'log.jsonl');
  return {
    world: fileWorld(join(folder, 'world.jsonl')),
    sizeOfLog: () => statSync(log, { throwIfNoEntry: false })?.size ?? 0,
    openStore: () => createFileStore({ home, fileSystem, owners: createKernelOwners({ home }) }),
    model: createAnthropicModel({ model: 'claude-sonnet-4-5', apiKey: 'sk-chaos', baseUrl: serverUrl }),
    clock: systemClock,
    ...(prompt === undefined ? {} : { prompt }),
  };
}

function fileWorld(file: string): World {
  return {
    add: (effect) => appendFileSync(file, `${JSON.stringify(effect)}\n`),
    effects: () => (existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : []).map(readEffect),
  };
}

function readEffect(line: string): Effect {
  return JSON.parse(line) as Effect;
}
