import type { BlobReference, ContentBlock, HistoryEntry, JsonValue, ModelBlock, SessionEvent } from '@rondo/protocol';
import { hydrateBlock } from './spill-block.ts';

export type ReadBlob = (hash: string) => Promise<Uint8Array>;

/** The event as it was before `spillEvent`. The same object when nothing of it is in a blob. */
export async function hydrateEvent(event: SessionEvent, read: ReadBlob): Promise<SessionEvent> {
  switch (event.type) {
    case 'entry.added':
    case 'entry.completed': {
      const entry = await hydrateEntry(event.entry, read);
      return entry === event.entry ? event : { ...event, entry };
    }
    case 'message.queued': {
      const content = await hydrateBlocks(event.content, read);
      return content === event.content ? event : { ...event, content: [...content] };
    }
    case 'tool.completed': {
      const content = await hydrateBlocks(event.content, read);
      const { structuredSpilled, ...rest } = event;
      if (structuredSpilled === undefined)
        return content === event.content ? event : { ...event, content: [...content] };
      return { ...rest, content: [...content], structured: await hydrateValue(structuredSpilled, read) };
    }
    default:
      return event;
  }
}

/** The entry with its blobs' content back. */
export async function hydrateEntry(entry: HistoryEntry, read: ReadBlob): Promise<HistoryEntry> {
  if (entry.type === 'message') {
    const content = await hydrateBlocks(entry.content, read);
    return content === entry.content ? entry : { ...entry, content: [...content] };
  }
  if (entry.type === 'assistant') {
    const content = await hydrateBlocks(entry.content, read);
    return content === entry.content ? entry : { ...entry, content: [...content] };
  }
  if (entry.type !== 'tool_result') return entry;
  const content = entry.content === undefined ? undefined : await hydrateBlocks(entry.content, read);
  const { spilled, ...rest } = entry;
  if (spilled === undefined)
    return content === undefined || content === entry.content ? entry : { ...entry, content: [...content] };
  return {
    ...rest,
    ...(content === undefined ? {} : { content: [...content] }),
    result: await hydrateValue(spilled, read),
  };
}

/** The blocks with their blobs' content back; the same array when none is in a blob. */
export async function hydrateBlocks<Block extends ContentBlock | ModelBlock>(
  blocks: readonly Block[],
  read: ReadBlob,
): Promise<readonly Block[]> {
  if (!blocks.some((block) => 'spilled' in block && block.spilled !== undefined)) return blocks;
  return Promise.all(blocks.map((block) => hydrateBlock(block, read)));
}

/** A JSON value that was kept in a blob. */
export async function hydrateValue(reference: BlobReference, read: ReadBlob): Promise<JsonValue> {
  return JSON.parse(new TextDecoder('utf-8', { ignoreBOM: true }).decode(await read(reference.hash)));
}
