import type { BlobReference, ContentBlock, JsonValue, ModelBlock } from '@rondo/protocol';
import { encodeBase64 } from '@rondo/protocol/values';
import { decodeBase64 } from './decode-base64.ts';
import { cutText } from './cut-text.ts';

const PREVIEW_CHARACTERS = 1024;

type Block = ContentBlock | ModelBlock;

/** Characters of the block that a blob could hold; 0 when it must stay as it is. */
export function blockSize(block: Block): number {
  if ('spilled' in block && block.spilled !== undefined) return 0;
  switch (block.type) {
    case 'text':
      // Half a character has no UTF-8: such a text would not come back as it was.
      return block.text.isWellFormed() ? block.text.length : 0;
    case 'image':
    case 'audio':
      return block.uri.startsWith('data:') && block.uri.isWellFormed() ? block.uri.length : 0;
    case 'embedded_resource':
      if (block.text !== undefined) return block.text.isWellFormed() ? block.text.length : 0;
      return block.blob?.length ?? 0;
    case 'tool_call':
      return valueSize(block.input);
    default:
      return 0;
  }
}

export function valueSize(value: JsonValue | undefined): number {
  return value === undefined ? 0 : JSON.stringify(value).length;
}

/** The block with its content in a blob and a preview, or nothing, in its place. */
export async function spillBlock<Spilled extends Block>(
  block: Spilled,
  write: (bytes: Uint8Array) => Promise<BlobReference>,
): Promise<Spilled> {
  switch (block.type) {
    case 'text':
      return { ...block, text: cutText(block.text, PREVIEW_CHARACTERS), spilled: await write(utf8(block.text)) };
    case 'image':
    case 'audio': {
      const spilled = await write(mediaBytes(block.uri, block.mediaType));
      return { ...block, uri: `blob:${spilled.hash}`, spilled };
    }
    case 'embedded_resource': {
      if (block.text !== undefined) {
        return { ...block, text: cutText(block.text, PREVIEW_CHARACTERS), spilled: await write(utf8(block.text)) };
      }
      const bytes = exactBytes(block.blob ?? '');
      if (bytes === undefined) return block;
      const { blob: _kept, ...rest } = block;
      return { ...rest, spilled: await write(bytes) } as Spilled;
    }
    case 'tool_call':
      return { ...block, input: {}, spilled: await write(utf8(JSON.stringify(block.input))) };
    default:
      return block;
  }
}

/** The block with its content back, read from its blob. */
export async function hydrateBlock<Spilled extends Block>(
  block: Spilled,
  read: (hash: string) => Promise<Uint8Array>,
): Promise<Spilled> {
  if (!('spilled' in block) || block.spilled === undefined) return block;
  const bytes = await read(block.spilled.hash);
  const { spilled: _read, ...whole } = block;
  switch (block.type) {
    case 'text':
      return { ...whole, text: readUtf8(bytes) } as Spilled;
    case 'image':
    case 'audio':
      return { ...whole, uri: mediaUri(bytes, block.mediaType) } as Spilled;
    case 'embedded_resource':
      return {
        ...whole,
        ...(block.text === undefined ? { blob: encodeBase64(bytes) } : { text: readUtf8(bytes) }),
      } as Spilled;
    case 'tool_call':
      return { ...whole, input: JSON.parse(readUtf8(bytes)) } as Spilled;
    default:
      return block;
  }
}

/**
 * What an image's or a sound's blob holds: the bytes themselves where the URI can be made from them again, character
 * for character, else the URI's own text.
 */
function mediaBytes(uri: string, mediaType: string | undefined): Uint8Array {
  const prefix = mediaPrefix(mediaType);
  const bytes = uri.startsWith(prefix) ? exactBytes(uri.slice(prefix.length)) : undefined;
  return bytes === undefined || isUriText(bytes) ? utf8(uri) : bytes;
}

function mediaUri(bytes: Uint8Array, mediaType: string | undefined): string {
  return isUriText(bytes) ? readUtf8(bytes) : mediaPrefix(mediaType) + encodeBase64(bytes);
}

function mediaPrefix(mediaType: string | undefined): string {
  return `data:${mediaType ?? ''};base64,`;
}

function isUriText(bytes: Uint8Array): boolean {
  return readUtf8(bytes.subarray(0, 5)) === 'data:';
}

/** The bytes of a base64 text, when encoding them gives that very text. */
function exactBytes(base64: string): Uint8Array | undefined {
  const bytes = decodeBase64(base64);
  return bytes !== undefined && encodeBase64(bytes) === base64 ? bytes : undefined;
}

function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function readUtf8(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}
