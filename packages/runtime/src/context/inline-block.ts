import type { ContentBlock, ModelBlock } from '@rondo/protocol';
import type { ReadBlob } from '../event/hydrate-event.ts';
import { hydrateBlock } from '../event/spill-block.ts';

/** No request of any provider is that large, and a string of it would be too long to be made. */
const MOST_BYTES = 256 * 1024 * 1024;

/** Whether the block has its whole content in it. */
export function isInline(block: ContentBlock | ModelBlock): boolean {
  return !('spilled' in block) || block.spilled === undefined;
}

/** The block with its whole content in place of a preview, or why that cannot be. */
export async function inlineBlock<Block extends ContentBlock | ModelBlock>(
  block: Block,
  readBlob: ReadBlob,
): Promise<{ readonly block: Block } | { readonly reason: string }> {
  if (!('spilled' in block) || block.spilled === undefined) return { block };
  if (block.spilled.bytes > MOST_BYTES) return { reason: 'it is larger than any request may be' };
  try {
    return { block: await hydrateBlock(block, readBlob) };
  } catch (error) {
    return {
      reason: `its stored content could not be read: ${error instanceof Error ? error.message : String(error)}`,
    };
  }
}
