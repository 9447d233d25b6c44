import type { StreamEvent, TransientEvent } from '@rondo/protocol';

type Delta = Extract<TransientEvent, { readonly text: string }>;

/**
 * The batch as a reader that is behind gets it: pieces of one block that follow each other are one piece, and pieces of an
 * entry that ends in the batch are left out, since its end brings the whole. Durable events are all there, in order.
 */
export function coalesceDeltas(batch: readonly StreamEvent[]): readonly StreamEvent[] {
  const ended = endedEntries(batch);
  const events: StreamEvent[] = [];
  let open: Delta | undefined;
  for (const event of batch) {
    if (!isDelta(event)) {
      events.push(event);
      open = undefined;
    } else if (!ended.has(event.entryId)) {
      const joined: Delta | undefined = open === undefined ? undefined : join(open, event);
      if (joined === undefined) events.push(event);
      else events[events.length - 1] = joined;
      open = joined ?? event;
    }
  }
  return events;
}

function endedEntries(batch: readonly StreamEvent[]): ReadonlySet<string> {
  const ended = new Set<string>();
  for (const event of batch) {
    if (event.type === 'entry.discarded') ended.add(event.entryId);
    else if (event.type === 'entry.completed' && event.entry.type !== 'unknown') ended.add(event.entry.id);
  }
  return ended;
}

function isDelta(event: StreamEvent): event is Delta {
  return event.type === 'text.delta' || event.type === 'reasoning.delta' || event.type === 'tool_input.delta';
}

function join(one: Delta, next: Delta): Delta | undefined {
  const isNext =
    one.type === next.type &&
    one.entryId === next.entryId &&
    one.block === next.block &&
    one.offset + one.text.length === next.offset;
  return isNext ? { ...one, text: one.text + next.text } : undefined;
}
