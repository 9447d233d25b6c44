import type { StreamEvent } from '@rondo/protocol';

/** Passes a subscription's events on so that who joins an entry's pieces has its text, whatever was interrupted. */
export interface DeltaJoin {
  /** The batch itself where nothing in it needs a change. */
  pass(batch: readonly StreamEvent[]): readonly StreamEvent[];
}

/**
 * A subscription that is opened again begins with all the text of each block so far: what was handed out of it before is
 * cut off. A piece that would leave a gap, because the host has dropped what stood before it, is left out: what was
 * handed out stays the beginning of the entry's text, and `entry.completed` brings the whole.
 */
export function createDeltaJoin(): DeltaJoin {
  /** How much of each block has been handed out, by entry. */
  const lengths = new Map<string, Map<number, number>>();

  function passOne(event: StreamEvent): StreamEvent | undefined {
    if (!('offset' in event)) {
      if (event.type === 'entry.completed' && event.entry.type !== 'unknown') lengths.delete(event.entry.id);
      else if (event.type === 'entry.discarded') lengths.delete(event.entryId);
      else if (event.type === 'turn.ended') lengths.clear();
      return event;
    }
    const blocks = lengths.get(event.entryId) ?? new Map<number, number>();
    lengths.set(event.entryId, blocks);
    const known = blocks.get(event.block);
    const from = known ?? 0;
    const to = event.offset + event.text.length;
    if (event.offset > from || (known !== undefined && to <= known)) return undefined;
    blocks.set(event.block, to);
    return event.offset === from ? event : { ...event, offset: from, text: event.text.slice(from - event.offset) };
  }

  return {
    pass(batch) {
      let changed: StreamEvent[] | undefined;
      for (const [index, event] of batch.entries()) {
        const passed = passOne(event);
        if (passed === event) {
          changed?.push(event);
          continue;
        }
        changed ??= batch.slice(0, index);
        if (passed !== undefined) changed.push(passed);
      }
      return changed ?? batch;
    },
  };
}
