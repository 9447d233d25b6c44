import type { ContentBlock, TextContentBlock } from '@rondo/protocol';
import { cutText } from '../event/cut-text.ts';

const LONGEST_PREVIEW = 500;

/** A text in a block's place, so that the model knows what it does not see and why. */
export function placeholder(block: ContentBlock, reason: string): TextContentBlock {
  const parts = [`[${describeBlock(block)} left out: ${reason}`];
  if (block.type === 'image' && block.altText !== undefined) parts.push(`described as: ${preview(block.altText)}`);
  if (block.type === 'text' && block.text !== '') parts.push(`it begins: ${preview(block.text)}`);
  if (block.type === 'resource_link') parts.push(preview(block.title ?? block.name ?? ''));
  if (block.type !== 'unknown' && 'uri' in block && !/^(data|blob):/.test(block.uri))
    parts.push(`at ${preview(block.uri)}`);
  return { type: 'text', text: `${parts.filter((part) => part !== '').join('; ')}]`.toWellFormed() };
}

/** What a block is, for people and models: `image (image/png, 81120 bytes)`. */
export function describeBlock(block: ContentBlock): string {
  const kind = block.type === 'unknown' ? block.originalType : kinds[block.type];
  const facts: string[] = [];
  const mediaType = mediaTypeOf(block);
  if (mediaType !== undefined && mediaType !== '') facts.push(cutText(mediaType, 100));
  const bytes = bytesOf(block);
  if (bytes !== undefined) facts.push(`${bytes} bytes`);
  return facts.length === 0 ? kind : `${kind} (${facts.join(', ')})`;
}

const kinds = {
  text: 'text',
  image: 'image',
  audio: 'audio',
  resource_link: 'link',
  embedded_resource: 'document',
} as const satisfies Record<Exclude<ContentBlock['type'], 'unknown'>, string>;

function mediaTypeOf(block: ContentBlock): string | undefined {
  if (block.type === 'unknown' || block.type === 'text') return undefined;
  if (block.mediaType !== undefined || !block.uri.startsWith('data:')) return block.mediaType;
  return /^data:([^;,]{0,100})/.exec(block.uri)?.[1];
}

/** Of media: how large its file is. */
function bytesOf(block: ContentBlock): number | undefined {
  if ('spilled' in block && block.spilled !== undefined) return block.spilled.bytes;
  if (block.type === 'embedded_resource') return block.blob === undefined ? undefined : bytesOfBase64(block.blob, 0);
  if ((block.type !== 'image' && block.type !== 'audio') || !block.uri.startsWith('data:')) return undefined;
  return bytesOfBase64(block.uri, block.uri.indexOf(',') + 1);
}

function bytesOfBase64(text: string, from: number): number {
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  return Math.max(0, Math.floor(((text.length - from) * 3) / 4) - padding);
}

function preview(text: string): string {
  return text.length <= LONGEST_PREVIEW ? text : `${cutText(text, LONGEST_PREVIEW)}…`;
}
