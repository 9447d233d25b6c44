import assert from 'node:assert/strict';
import type { Client } from '@rondo/client';
import type { AnyEvent, StreamEvent } from '@rondo/protocol';

/** What one reader has of a session, from its beginning to the end of its turn. */
export interface Reading {
  readonly events: readonly AnyEvent[];
  /** Pieces of text that came, and entries of which some did. */
  readonly pieces: number;
  readonly entries: number;
}

/**
 * Reads a session with deltas to the end of its turn, as a view does that shows text as it comes.
 * @param onEvent is told of every durable event, and waited for. @throws when what was shown of an entry is not its
 * beginning.
 */
export async function readToEnd(
  client: Client,
  sessionId: string,
  onEvent: (seq: number) => Promise<void> | void,
): Promise<Reading> {
  const events: AnyEvent[] = [];
  /** What is shown of each block, by entry. */
  const shown = new Map<string, Map<number, string>>();
  let pieces = 0;
  let entries = 0;
  for await (const event of client.session(sessionId).events({ deltas: true })) {
    if (!isDurable(event)) {
      if (!('offset' in event) || event.type !== 'text.delta') continue;
      const blocks = shown.get(event.entryId) ?? new Map<number, string>();
      shown.set(event.entryId, blocks);
      const before = blocks.get(event.block) ?? '';
      assert.equal(event.offset, before.length, `a piece of ${event.entryId} does not continue what was shown`);
      blocks.set(event.block, before + event.text);
      pieces += 1;
      continue;
    }
    events.push(asStored(event));
    if (event.type === 'entry.discarded') shown.delete(event.entryId);
    if (event.type === 'entry.completed' && event.entry.type === 'assistant') {
      const blocks = shown.get(event.entry.id);
      if (blocks !== undefined) entries += 1;
      for (const [index, text] of blocks ?? []) {
        const block = event.entry.content[index];
        const whole = block?.type === 'text' ? block.text : undefined;
        assert.ok(whole?.startsWith(text), `${event.entry.id} shows ${JSON.stringify(text)} and is ${whole}`);
      }
    }
    const told = onEvent(event.seq);
    if (event.type === 'turn.ended') break;
    if (told !== undefined) await told;
  }
  return { events, pieces, entries };
}

/** Handles add the output to the record of a turn's end. */
function asStored(event: AnyEvent): AnyEvent {
  if (event.type !== 'turn.ended' || !('output' in event.record)) return event;
  const { output: _output, ...record } = event.record;
  return { ...event, record };
}

function isDurable(event: StreamEvent): event is AnyEvent {
  return 'seq' in event;
}
