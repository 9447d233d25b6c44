import type { ImageContentBlock } from '@rondo/protocol';
import { readDataUri, readImageHeader, sniffImageMediaType, type ImageHeader } from '@rondo/protocol/values';
import { firstBytes, isBase64 } from './base64.ts';
import { type CheckedBlock, notTaken, plainMediaType } from './checked-block.ts';
import { imageMediaTypes, type RequestLimits } from './request-limits.ts';

/** What the data itself says, whoever is asked. */
type ImageFacts =
  | { readonly mediaType: string; readonly header: ImageHeader | undefined }
  | { readonly reason: string };

const known = new WeakMap<ImageContentBlock, ImageFacts>();

/** The image as what its bytes are, if the model takes that. A block without a fault is the same object. */
export function sendableImage(block: ImageContentBlock, limits: RequestLimits): CheckedBlock {
  if (limits.images.length === 0) return { reason: 'this model takes no images' };
  const uri = readDataUri(block.uri);
  if (uri === undefined) return { reason: 'it is not inline base64 data' };
  const size = uri.base64.length;
  if (size > limits.maxImageCharacters)
    return { reason: `it has ${size} base64 characters, the limit is ${limits.maxImageCharacters}` };
  let facts = known.get(block);
  if (facts === undefined) {
    facts = imageFacts(uri.base64, plainMediaType(block.mediaType ?? uri.mediaType), limits);
    known.set(block, facts);
  }
  if ('reason' in facts) return facts;
  const { mediaType, header } = facts;
  if (!limits.images.includes(mediaType)) return { reason: notTaken('images', mediaType, limits.images) };
  const edge = header === undefined ? 0 : Math.max(header.width, header.height);
  if (edge > limits.maxImageEdge)
    return {
      reason: `it has ${header?.width} x ${header?.height} pixels, the limit is ${limits.maxImageEdge} on a side`,
    };
  if (header?.animated === true && !limits.animatedImages)
    return { reason: 'it is animated, and this model takes still images only' };
  const head = `data:${mediaType};base64,`;
  const isPlain = block.uri.startsWith(head) && (block.mediaType ?? mediaType) === mediaType;
  return { edge, block: isPlain ? block : { ...block, mediaType, uri: head + uri.base64 } };
}

function imageFacts(data: string, declared: string, limits: RequestLimits): ImageFacts {
  if (!isBase64(data)) return { reason: 'its data is not base64' };
  const mediaType = sniffImageMediaType(firstBytes(data, 24));
  if (mediaType === undefined) {
    // A kind that this version cannot read, and that the model is said to take.
    if (limits.images.includes(declared) && !imageMediaTypes.includes(declared) && isMediaFile(data))
      return { mediaType: declared, header: undefined };
    return { reason: 'its data is no PNG, JPEG, GIF or WebP' };
  }
  const header = readImageHeader(data, mediaType);
  if (header === undefined) return { reason: `its data begins like ${mediaType}, but its header is damaged` };
  return header.truncated ? { reason: 'its data is cut off' } : { mediaType, header };
}

/** HEIC and its kin begin with a box that says so. */
function isMediaFile(data: string): boolean {
  return String.fromCharCode(...firstBytes(data, 12).subarray(4, 8)) === 'ftyp';
}
