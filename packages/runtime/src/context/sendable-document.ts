import type { ContentBlock, EmbeddedResourceContentBlock, ImageContentBlock } from '@rondo/protocol';
import { decodeBase64 } from '../event/decode-base64.ts';
import { isBase64 } from './base64.ts';
import { type CheckedBlock, notTaken, plainMediaType } from './checked-block.ts';
import type { PdfFacts } from './pdf-facts.ts';
import type { RequestLimits } from './request-limits.ts';
import { sendableImage } from './sendable-image.ts';

const PDF = 'application/pdf';
const known = new WeakMap<ContentBlock, PdfFacts | { readonly reason: string }>();

/**
 * A resource as the model takes it: a text, a document of a kind that it reads, or an image. A block without a fault is
 * the same object.
 */
export async function sendableResource(
  block: EmbeddedResourceContentBlock,
  limits: RequestLimits,
): Promise<CheckedBlock> {
  const { text, blob } = block;
  if (text !== undefined) return { block: text.isWellFormed() ? block : { ...block, text: text.toWellFormed() } };
  if (blob === undefined) return { reason: 'it has no content' };
  const mediaType = plainMediaType(block.mediaType);
  if (mediaType.startsWith('image/')) return sendableImage(imageOf(block, blob, mediaType), limits);
  if (limits.documents?.includes(mediaType) === false) {
    const asText = isTextType(mediaType) ? textOf(blob) : undefined;
    if (asText === undefined) return { reason: notTaken('documents', mediaType, limits.documents) };
    const { blob: _, ...rest } = block;
    return { block: { ...rest, text: asText } };
  }
  if (blob.length > limits.maxDocumentCharacters)
    return { reason: `it has ${blob.length} base64 characters, the limit is ${limits.maxDocumentCharacters}` };
  const sent = block.mediaType === undefined || block.mediaType === mediaType ? block : { ...block, mediaType };
  if (mediaType !== PDF) return isBase64(blob) ? { block: sent } : { reason: 'its data is not base64' };
  let facts = known.get(block);
  if (facts === undefined) {
    facts = await readPdf(blob);
    known.set(block, facts);
  }
  if ('reason' in facts) return facts;
  if (facts.encrypted) return { reason: 'it is encrypted' };
  const { pages = 0 } = facts;
  if (pages > limits.maxDocumentPages)
    return { reason: `it has ${pages} pages, the limit is ${limits.maxDocumentPages}` };
  return { block: sent, pages };
}

async function readPdf(blob: string): Promise<PdfFacts | { readonly reason: string }> {
  const bytes = isBase64(blob) ? decodeBase64(blob) : undefined;
  if (bytes === undefined) return { reason: 'its data is not base64' };
  const { pdfFacts } = await import('./pdf-facts.ts');
  return (await pdfFacts(bytes)) ?? { reason: 'its data is no PDF' };
}

function imageOf(
  { uri, annotations }: EmbeddedResourceContentBlock,
  blob: string,
  mediaType: string,
): ImageContentBlock {
  return {
    type: 'image',
    uri: `data:${mediaType};base64,${blob}`,
    mediaType,
    altText: uri,
    ...(annotations === undefined ? {} : { annotations }),
  };
}

function isTextType(mediaType: string): boolean {
  return /^text\/|^application\/(json|xml|yaml|toml|javascript|x-ndjson)$|\+(json|xml)$/.test(mediaType);
}

function textOf(blob: string): string | undefined {
  const bytes = isBase64(blob) ? decodeBase64(blob) : undefined;
  if (bytes === undefined) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
