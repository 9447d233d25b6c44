import type { ContentAnnotations, ImageContentBlock } from './content-block.ts';
import { encodeBase64 } from './encode-base64.ts';
import type { ImageMediaType } from './image-header.ts';
import { MAX_IMAGE_BASE64_CHARACTERS } from './image-limit.ts';

export interface ImageBlockOptions {
  /** Taken from the bytes when absent. */
  readonly mediaType?: string;
  readonly altText?: string;
  readonly annotations?: ContentAnnotations;
}

/**
 * An image block that holds the bytes themselves.
 * @throws TypeError when the bytes are no PNG, JPEG, GIF or WebP and no media type is given, or when the data would be
 * over {@link MAX_IMAGE_BASE64_CHARACTERS}.
 */
export function imageBlockFromBytes(bytes: Uint8Array, options: ImageBlockOptions = {}): ImageContentBlock {
  const mediaType = options.mediaType ?? sniffImageMediaType(bytes);
  if (mediaType === undefined)
    throw new TypeError('not a PNG, JPEG, GIF or WebP image; pass mediaType to send it anyway');
  const characters = Math.ceil(bytes.length / 3) * 4;
  if (characters > MAX_IMAGE_BASE64_CHARACTERS) {
    throw new TypeError(`the image needs ${characters} base64 characters, the limit is ${MAX_IMAGE_BASE64_CHARACTERS}`);
  }
  return {
    type: 'image',
    uri: `data:${mediaType};base64,${encodeBase64(bytes)}`,
    mediaType,
    ...(options.altText === undefined ? {} : { altText: options.altText }),
    ...(options.annotations === undefined ? {} : { annotations: options.annotations }),
  };
}

/** The media type that the first bytes claim, or undefined when they are none of the four that models take. */
export function sniffImageMediaType(bytes: Uint8Array): ImageMediaType | undefined {
  if (startsWith(bytes, 0, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])) return 'image/png';
  if (startsWith(bytes, 0, [0xff, 0xd8, 0xff])) return 'image/jpeg';
  if (startsWith(bytes, 0, [0x47, 0x49, 0x46, 0x38]) && (bytes[4] === 0x37 || bytes[4] === 0x39) && bytes[5] === 0x61)
    return 'image/gif';
  if (startsWith(bytes, 0, [0x52, 0x49, 0x46, 0x46]) && startsWith(bytes, 8, [0x57, 0x45, 0x42, 0x50]))
    return 'image/webp';
  return undefined;
}

function startsWith(bytes: Uint8Array, offset: number, expected: readonly number[]): boolean {
  return expected.every((byte, index) => bytes[offset + index] === byte);
}
