import type { ContentBlock, ModelBlock } from '@rondo/protocol';
import type { ReadBlob } from '../event/hydrate-event.ts';
import { hydrateBlock } from '../event/spill-block.ts';
import type { RequestLimits } from './request-limits.ts';

/**
 * The block with its whole content in place of a preview, or why that cannot be. An image that would be over the limit
 * is not read at all.
 */
export async function inlineBlock<Block extends ContentBlock | ModelBlock>(
  block: Block,
  readBlob: ReadBlob,
  { maxImageCharacters }: RequestLimits,
): Promise<{ readonly block: Block } | { readonly reason: string }> {
  if (!('spilled' in block) || block.spilled === undefined) return { block };
  const { bytes } = block.spilled;
  if (block.type === 'image' && Math.ceil(bytes / 3) * 4 > maxImageCharacters) {
    return { reason: `it has ${bytes} bytes, over the limit of ${maxImageCharacters} base64 characters` };
  }
  try {
    return { block: await hydrateBlock(block, readBlob) };
  } catch (error) {
    return {
      reason: `its stored content could not be read: ${error instanceof Error ? error.message : String(error)}`,
    };
  }
}
