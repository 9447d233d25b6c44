import { createReadStream, type PathLike } from 'node:fs';
import type { ImageContentBlock } from '@rondo/protocol';
import { imageBlockFromBytes, type ImageBlockOptions, MAX_IMAGE_BASE64_CHARACTERS } from '@rondo/protocol/values';

/** Bytes whose base64 form has just as many characters as an image block may hold. */
const MAX_BYTES = (MAX_IMAGE_BASE64_CHARACTERS / 4) * 3;

/**
 * An image block that holds the content of a local file. The media type is taken from the bytes, not from the name.
 * @throws TypeError when the file is over the limit, or is no PNG, JPEG, GIF or WebP and no media type is given.
 */
export async function imageBlockFromPath(path: PathLike, options: ImageBlockOptions = {}): Promise<ImageContentBlock> {
  if (!(typeof path === 'string' || path instanceof URL || path instanceof Uint8Array)) {
    throw new TypeError('path must be a string or a file URL');
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  // One byte more than fits shows that the file does not, however large it is or however fast it grows.
  for await (const chunk of createReadStream(path, { end: MAX_BYTES })) {
    chunks.push(chunk);
    size += chunk.length;
  }
  if (size > MAX_BYTES) {
    throw new TypeError(
      `${String(path)} is over ${MAX_BYTES} bytes, the most an image block holds: ${MAX_IMAGE_BASE64_CHARACTERS} base64 characters`,
    );
  }
  return imageBlockFromBytes(Buffer.concat(chunks), options);
}
