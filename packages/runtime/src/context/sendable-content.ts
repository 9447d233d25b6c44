import type { AudioContentBlock, ContentBlock } from '@rondo/protocol';
import { readDataUri } from '@rondo/protocol/values';
import type { ReadBlob } from '../event/hydrate-event.ts';
import { isBase64 } from './base64.ts';
import { type CheckedBlock, notTaken, plainMediaType } from './checked-block.ts';
import { inlineBlock, isInline } from './inline-block.ts';
import { describeBlock, placeholder } from './placeholder.ts';
import type { RequestLimits } from './request-limits.ts';
import { sendableResource } from './sendable-document.ts';
import { sendableImage } from './sendable-image.ts';

export interface SendContentOptions {
  readonly readBlob: ReadBlob;
  readonly limits: RequestLimits;
  /** Told of every block that is sent as a text in its place: where it is, what it is, what is wrong. */
  readonly quarantined: (block: number, what: string, reason: string) => void;
}

/** A block as it is sent, with the place of the one that it was and what of it counts in a request. */
export interface SentBlock extends Exclude<CheckedBlock, { readonly reason: string }> {
  readonly index: number;
}

/**
 * The blocks as they may be sent: inline, not empty, meant for the model, of kinds and sizes that it takes, as what
 * their bytes are, without `meta`. What cannot be sent is replaced by a text that says so. A block without a fault and
 * without `meta` is the same object.
 */
export async function sendableContent(
  content: readonly ContentBlock[],
  options: SendContentOptions,
): Promise<SentBlock[]> {
  const sendable: SentBlock[] = [];
  for (const [index, original] of content.entries()) {
    if (!isForModel(original)) continue;
    const inline = isInline(original) ? { block: original } : await inlineBlock(original, options.readBlob);
    const whole = 'reason' in inline ? original : inline.block;
    const checking = 'reason' in inline ? inline : checkBlock(inline.block, options.limits);
    // Nearly all blocks are texts, of which nothing has to be waited for.
    const checked = checking instanceof Promise ? await checking : checking;
    if (checked === undefined) continue;
    if ('reason' in checked) {
      options.quarantined(index, describeBlock(whole), checked.reason);
      sendable.push({ index, block: placeholder(whole, checked.reason) });
    } else sendable.push({ index, ...checked, block: withoutMeta(checked.block) });
  }
  return sendable;
}

function checkBlock(block: ContentBlock, limits: RequestLimits): CheckedBlock | Promise<CheckedBlock> | undefined {
  switch (block.type) {
    case 'text':
      if (block.text.trim() === '') return undefined;
      return { block: block.text.isWellFormed() ? block : { ...block, text: block.text.toWellFormed() } };
    case 'image':
      return sendableImage(block, limits);
    case 'audio':
      return checkAudio(block, limits);
    case 'embedded_resource':
      return sendableResource(block, limits);
    case 'resource_link':
      return { block };
    case 'unknown':
      return { reason: 'this version does not know its kind' };
  }
}

function checkAudio(block: AudioContentBlock, { audio }: RequestLimits): CheckedBlock {
  const uri = readDataUri(block.uri);
  const mediaType = plainMediaType(block.mediaType ?? uri?.mediaType);
  if (audio?.includes(mediaType) === false) return { reason: notTaken('audio', mediaType, audio) };
  if (uri === undefined) return { reason: 'it is not inline base64 data' };
  return isBase64(uri.base64) ? { block } : { reason: 'its data is not base64' };
}

function isForModel(block: ContentBlock): boolean {
  const audience = block.type === 'unknown' ? undefined : block.annotations?.audience;
  return audience === undefined || audience.length === 0 || audience.includes('assistant');
}

/** Metadata is the client's: the model and whoever serves it never get it. */
function withoutMeta(block: ContentBlock): ContentBlock {
  if (block.type === 'unknown' || block.meta === undefined) return block;
  const { meta: _meta, ...rest } = block;
  return rest;
}
