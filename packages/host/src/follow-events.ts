import type { EventBatch } from '@rondo/runtime';
import { coalesceDeltas } from './coalesce-deltas.ts';
import type { Link } from './link.ts';

export interface FollowEventsOptions extends Pick<Link, 'room' | 'mostEvents'> {
  readonly write: (events: EventBatch) => void;
  readonly signal: AbortSignal;
}

/**
 * Writes batches until they end or the signal aborts. While the reader is behind nothing more is taken, so that what it
 * misses waits in the log and not in memory.
 */
export async function followEvents(
  batches: AsyncIterable<EventBatch>,
  { write, room, mostEvents, signal }: FollowEventsOptions,
): Promise<void> {
  let isBehind = false;
  for await (const batch of batches) {
    if (signal.aborted) return;
    const events = isBehind ? coalesceDeltas(batch) : batch;
    isBehind = false;
    for (const piece of pieces(events, mostEvents)) {
      write(piece);
      const full = room();
      if (full === undefined) continue;
      isBehind = true;
      await full;
      if (signal.aborted) return;
    }
  }
}

function* pieces(events: EventBatch, mostEvents: number): Generator<EventBatch, void, void> {
  if (events.length <= mostEvents) yield events;
  else for (let start = 0; start < events.length; start += mostEvents) yield events.slice(start, start + mostEvents);
}
