import type { ContentBlock, ImageContentBlock, TextContentBlock } from '@rondo/protocol';
import { sniffImageMediaType } from '@rondo/protocol/values';
import type { ReadBlob } from '../event/hydrate-event.ts';
import { inlineBlock } from './inline-block.ts';
import type { RequestLimits } from './request-limits.ts';

export interface SendContentOptions {
  readonly readBlob: ReadBlob;
  readonly limits: RequestLimits;
  /** Told of every block that is sent as a text in its place. */
  readonly quarantined: (block: number, reason: string) => void;
}

/**
 * The blocks as they may be sent: inline, not empty, meant for the model, images as what their bytes are. What cannot
 * be sent is replaced by a text that says so. A block without a fault is the same object.
 */
export async function sendableContent(
  content: readonly ContentBlock[],
  options: SendContentOptions,
): Promise<ContentBlock[]> {
  const sendable: ContentBlock[] = [];
  for (const [index, original] of content.entries()) {
    if (!isForModel(original)) continue;
    const inline = await inlineBlock(original, options.readBlob, options.limits);
    const checked = 'reason' in inline ? inline : checkBlock(inline.block, options.limits);
    if (checked === undefined) continue;
    if ('reason' in checked) options.quarantined(index, checked.reason);
    sendable.push('reason' in checked ? placeholder(original, checked.reason) : checked.block);
  }
  return sendable;
}

/** A text in a block's place, so that the model knows what it does not see. */
export function placeholder(block: ContentBlock, reason: string): TextContentBlock {
  const kind = block.type === 'unknown' ? block.originalType : block.type;
  const parts = [`[${kind} left out: ${reason}`];
  if (block.type === 'image' && block.altText !== undefined) parts.push(`described as: ${block.altText}`);
  if (block.type === 'text' && block.text !== '') parts.push(`it begins: ${block.text}`);
  if (block.type !== 'unknown' && 'uri' in block && !block.uri.startsWith('data:'))
    parts.push(`at ${block.uri.slice(0, 500)}`);
  return { type: 'text', text: `${parts.join('; ')}]`.toWellFormed() };
}

type Checked = { readonly block: ContentBlock } | { readonly reason: string };

function checkBlock(block: ContentBlock, limits: RequestLimits): Checked | undefined {
  switch (block.type) {
    case 'text':
      if (block.text.trim() === '') return undefined;
      return { block: block.text.isWellFormed() ? block : { ...block, text: block.text.toWellFormed() } };
    case 'image':
      return checkImage(block, limits);
    case 'audio':
      return block.uri.startsWith('data:') ? { block } : { reason: 'it is not inline' };
    case 'embedded_resource':
      if (block.text === undefined && block.blob === undefined) return { reason: 'it has no content' };
      return { block: block.text?.isWellFormed() === false ? { ...block, text: block.text.toWellFormed() } : block };
    case 'resource_link':
      return { block };
    case 'unknown':
      return { reason: 'this version does not know its kind' };
  }
}

function checkImage(block: ImageContentBlock, limits: RequestLimits): Checked {
  const comma = block.uri.indexOf(',');
  const head = block.uri.slice(0, Math.min(comma, 200));
  if (comma < 0 || !/^data:[^,]*;base64$/i.test(head)) return { reason: 'it is not inline base64 data' };
  const size = block.uri.length - comma - 1;
  if (size > limits.maxImageCharacters) {
    return { reason: `it has ${size} base64 characters, the limit is ${limits.maxImageCharacters}` };
  }
  const data = block.uri.slice(comma + 1);
  if (!isBase64(data)) return { reason: 'its data is not base64' };
  const mediaType = sniffImageMediaType(firstBytes(data));
  if (mediaType === undefined) return { reason: 'its data is no PNG, JPEG, GIF or WebP' };
  if (head === `data:${mediaType};base64` && (block.mediaType ?? mediaType) === mediaType) return { block };
  return { block: { ...block, mediaType, uri: `data:${mediaType};base64,${data}` } };
}

/** Looks for what does not belong, since matching megabytes of what does would fill the expression's stack. */
function isBase64(data: string): boolean {
  const padding = data.endsWith('==') ? 2 : data.endsWith('=') ? 1 : 0;
  return data.length % 4 === 0 && data.length > padding && !/[^A-Za-z0-9+/]/.test(data.slice(0, data.length - padding));
}

function firstBytes(base64: string): Uint8Array {
  return Uint8Array.from(atob(base64.slice(0, 24)), (character) => character.charCodeAt(0));
}

function isForModel(block: ContentBlock): boolean {
  const audience = block.type === 'unknown' ? undefined : block.annotations?.audience;
  return audience === undefined || audience.length === 0 || audience.includes('assistant');
}
