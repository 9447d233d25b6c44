import type { BlobReference, ContentBlock } from '@rondo/protocol';
import { encodeBase64, sniffImageMediaType } from '@rondo/protocol/values';

export type ReadBlob = (hash: string) => Promise<Uint8Array>;

type Spillable = Exclude<ContentBlock, { type: 'unknown' }>;

/**
 * The block with its whole content in place of the preview, or why that cannot be. Base64 that would be over
 * `maxImageCharacters` is not read at all.
 */
export async function hydrateBlock(
  block: Spillable,
  reference: BlobReference,
  readBlob: ReadBlob,
  maxImageCharacters: number,
): Promise<{ readonly block: ContentBlock } | { readonly reason: string }> {
  if (block.type === 'image' && Math.ceil(reference.bytes / 3) * 4 > maxImageCharacters) {
    return {
      reason: `the image has ${reference.bytes} bytes, over the limit of ${maxImageCharacters} base64 characters`,
    };
  }
  let bytes: Uint8Array;
  try {
    bytes = await readBlob(reference.hash);
  } catch (error) {
    return {
      reason: `its stored content could not be read: ${error instanceof Error ? error.message : String(error)}`,
    };
  }
  return { block: withBytes(block, bytes) };
}

export function decodeText(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

function withBytes(block: Spillable, bytes: Uint8Array): ContentBlock {
  const { spilled: _spilled, ...rest } = block;
  switch (rest.type) {
    case 'text':
      return { ...rest, text: decodeText(bytes) };
    case 'image':
      return {
        ...rest,
        uri: dataUri(sniffImageMediaType(bytes) ?? rest.mediaType ?? 'application/octet-stream', bytes),
      };
    case 'audio':
      return { ...rest, uri: dataUri(rest.mediaType ?? 'application/octet-stream', bytes) };
    case 'embedded_resource': {
      const { text, blob: _blob, ...resource } = rest;
      const isText = text !== undefined || rest.mediaType?.startsWith('text/') === true;
      return isText ? { ...resource, text: decodeText(bytes) } : { ...resource, blob: encodeBase64(bytes) };
    }
    case 'resource_link':
      return rest;
  }
}

function dataUri(mediaType: string, bytes: Uint8Array): string {
  return `data:${mediaType};base64,${encodeBase64(bytes)}`;
}
