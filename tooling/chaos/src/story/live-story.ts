import type { AnyEvent } from '@rondo/protocol';
import { sessionId } from './story-engine.ts';
import { storyPrompt } from './story-script.ts';
import type { StoryProcess } from './story-process.ts';

/** What the user of a process was told before it ended. */
export interface Life {
  /** Events that are durable, by what the store said. */
  readonly acknowledged: readonly AnyEvent[];
  /** Shown to a subscriber. */
  readonly shown: readonly AnyEvent[];
  /** Of the turn whose start was answered. */
  readonly turnId?: string;
  /** Why the story did not come to its end. */
  readonly failure?: unknown;
}

/** Hears what the user is told at the moment it is told. */
export interface LifeListener {
  readonly shown?: (event: AnyEvent) => void;
  readonly started?: (turnId: string) => void;
}

/** Lives the story to its end, or until the session fails. */
export async function liveStory(process: StoryProcess, listener: LifeListener = {}): Promise<Life> {
  const shown: AnyEvent[] = [];
  const over = new AbortController();
  const told = { acknowledged: process.ledger.acknowledged, shown };
  let started: { readonly turnId?: string } = {};
  const show = (event: AnyEvent): void => {
    shown.push(event);
    listener.shown?.(event);
  };
  try {
    await process.runtime.createSession({ bindingId: process.bindingId, sessionId });
    const watching = process.watch({ shown: show, signal: over.signal });
    watching.catch(() => {});
    const turnId = await process.start(process.place.prompt ?? storyPrompt);
    started = { turnId };
    listener.started?.(turnId);
    await watching;
    return { ...told, ...started };
  } catch (failure) {
    over.abort();
    return { ...told, ...started, failure };
  }
}
