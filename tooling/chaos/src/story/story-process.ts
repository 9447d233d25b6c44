import type { AnyEvent } from '@rondo/protocol';
import type { Clock, EventStore, Model } from '@rondo/runtime';
import { acknowledgingStore, type Ledger } from './acknowledging-store.ts';
import { createStoryEngine, sessionId, type StoryEngine, type StoryPrompt } from './story-engine.ts';
import type { World } from './world.ts';

/** Where processes of one session live one after another. */
export interface StoryPlace {
  readonly world: World;
  /** Bytes of the session's log, whole or not. */
  readonly sizeOfLog: () => number;
  readonly openStore: () => EventStore;
  /** What the story begins with; `storyPrompt` unless said. */
  readonly prompt?: StoryPrompt;
  /** In place of the scripted model and the clock that stands still. */
  readonly model?: Model;
  readonly clock?: Clock;
}

/** A runtime of the story at its place, with what its store told it. */
export interface StoryProcess extends StoryEngine {
  readonly place: StoryPlace;
  readonly ledger: Ledger;
  events(): Promise<AnyEvent[]>;
}

export function startStoryProcess(place: StoryPlace, generation: number): StoryProcess {
  const ledger: Ledger = { acknowledged: [] };
  const files = place.openStore();
  const store = acknowledgingStore(files, ledger, place.sizeOfLog);
  const { world, model, clock } = place;
  const engine = createStoryEngine({
    store,
    world,
    generation,
    ...(model === undefined ? {} : { model }),
    ...(clock === undefined ? {} : { clock }),
  });
  return { ...engine, place, ledger, events: () => Array.fromAsync(files.read(sessionId)) };
}
