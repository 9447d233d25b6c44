import type { BlobReference, ContentBlock, HistoryEntry, JsonValue, ModelBlock, SessionEvent } from '@rondo/protocol';
import type { EncodedEvent } from './event-store.ts';
import { blockSize, spillBlock, valueSize } from './spill-block.ts';

/** JSON text up to this length stays in the log whole. */
export const SPILL_BOUND = 64 * 1024;

/** Pieces below this are left where they are: a reference would save next to nothing. */
const SMALLEST_PIECE = 2048;

export type WriteBlob = (bytes: Uint8Array) => Promise<BlobReference>;

/**
 * The event as the log takes it: when its JSON text is longer than the bound, its largest pieces (texts, media,
 * arguments, structured output) are written as blobs and referred to, until it fits. Answers at once, with the same
 * object, when nothing is to be done. {@link hydrateEvent} brings the pieces back, byte for byte.
 */
export function spillEvent(
  encoded: EncodedEvent,
  write: WriteBlob,
  bound = SPILL_BOUND,
): EncodedEvent | Promise<EncodedEvent> {
  if (encoded.json.length <= bound) return encoded;
  const smallest = smallestToSpill(pieceSizes(encoded.event), encoded.json.length - bound);
  return smallest === undefined ? encoded : spillPieces(encoded.event, { write, smallest });
}

interface Spilling {
  readonly write: WriteBlob;
  readonly smallest: number;
}

async function spillPieces(event: SessionEvent, spilling: Spilling): Promise<EncodedEvent> {
  const spilled = await spillIn(event, spilling);
  return { event: spilled, json: JSON.stringify(spilled) };
}

async function spillIn(event: SessionEvent, spilling: Spilling): Promise<SessionEvent> {
  switch (event.type) {
    case 'entry.added':
    case 'entry.completed':
      return { ...event, entry: await spillEntry(event.entry, spilling) };
    case 'message.queued':
      return { ...event, content: await spillBlocks(event.content, spilling) };
    case 'tool.completed': {
      const { structured, ...rest } = event;
      const content = await spillBlocks(event.content, spilling);
      if (structured === undefined || valueSize(structured) < spilling.smallest) return { ...event, content };
      return { ...rest, content, structuredSpilled: await spillValue(structured, spilling.write) };
    }
    default:
      return event;
  }
}

async function spillEntry(entry: HistoryEntry, spilling: Spilling): Promise<HistoryEntry> {
  if (entry.type === 'message') return { ...entry, content: await spillBlocks(entry.content, spilling) };
  if (entry.type === 'assistant') return { ...entry, content: await spillBlocks(entry.content, spilling) };
  if (entry.type !== 'tool_result') return entry;
  const { result, ...rest } = entry;
  const content = entry.content === undefined ? {} : { content: await spillBlocks(entry.content, spilling) };
  if (result === undefined || valueSize(result) < spilling.smallest) return { ...entry, ...content };
  return { ...rest, ...content, spilled: await spillValue(result, spilling.write) };
}

function spillBlocks<Block extends ContentBlock | ModelBlock>(
  blocks: readonly Block[],
  { write, smallest }: Spilling,
): Promise<Block[]> {
  return Promise.all(blocks.map(async (block) => (blockSize(block) < smallest ? block : spillBlock(block, write))));
}

function spillValue(value: JsonValue, write: WriteBlob): Promise<BlobReference> {
  return write(new TextEncoder().encode(JSON.stringify(value)));
}

/** The size from which on pieces have to go to save that much; undefined when none can. */
function smallestToSpill(sizes: readonly number[], toSave: number): number | undefined {
  let smallest: number | undefined;
  let saved = 0;
  for (const size of sizes.filter((each) => each >= SMALLEST_PIECE).sort((one, other) => other - one)) {
    if (saved >= toSave) break;
    saved += size;
    smallest = size;
  }
  return smallest;
}

function pieceSizes(event: SessionEvent): number[] {
  switch (event.type) {
    case 'entry.added':
    case 'entry.completed':
      return entrySizes(event.entry);
    case 'message.queued':
      return event.content.map(blockSize);
    case 'tool.completed':
      return [...event.content.map(blockSize), valueSize(event.structured)];
    default:
      return [];
  }
}

function entrySizes(entry: HistoryEntry): number[] {
  if (entry.type === 'message' || entry.type === 'assistant') return entry.content.map(blockSize);
  if (entry.type === 'tool_result') return [...(entry.content ?? []).map(blockSize), valueSize(entry.result)];
  return [];
}
