import type { ContentBlock } from '@rondo/protocol';
import { readDataUri } from '@rondo/protocol/values';
import { contentNote } from '../dialect/content-note.ts';

export interface TextPart {
  readonly type: 'text';
  readonly text: string;
}

export interface ImagePart {
  readonly type: 'image_url';
  readonly image_url: { readonly url: string };
}

export type ContentPart = TextPart | ImagePart;

/**
 * The parts of a user message, without text that is all white space. An image of a type that is not taken, and whatever
 * else the wire has no part for, becomes a text that names it.
 */
export function encodeParts(content: readonly ContentBlock[], images: readonly string[]): ContentPart[] {
  return content.flatMap((block): ContentPart[] => {
    const url = imageUrl(block, images);
    if (url !== undefined) return [{ type: 'image_url', image_url: { url } }];
    const text = contentNote(block);
    return /\S/.test(text) ? [{ type: 'text', text }] : [];
  });
}

/** Parts that are all text as one text: templates of many models read nothing else. */
export function asContent(parts: readonly ContentPart[]): string | readonly ContentPart[] {
  return parts.every((part) => part.type === 'text') ? textOf(parts) : parts;
}

export function textOf(parts: readonly ContentPart[]): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n');
}

function imageUrl(block: ContentBlock, images: readonly string[]): string | undefined {
  if (block.type === 'embedded_resource') {
    const { blob, mediaType } = block;
    return blob !== undefined && mediaType !== undefined && images.includes(mediaType)
      ? `data:${mediaType};base64,${blob}`
      : undefined;
  }
  if (block.type !== 'image') return undefined;
  if (/^https?:/i.test(block.uri)) return images.length > 0 ? block.uri : undefined;
  const data = readDataUri(block.uri);
  const mediaType = data?.mediaType ?? block.mediaType;
  if (data === undefined || mediaType === undefined || !images.includes(mediaType)) return undefined;
  return `data:${mediaType};base64,${data.base64}`;
}
