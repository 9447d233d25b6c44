import type { ContentBlock } from '@rondo/protocol';
import { readDataUri } from '@rondo/protocol/values';
import { contentNote } from '../dialect/content-note.ts';

type Image = Extract<ContentBlock, { type: 'image' }>;
type EmbeddedResource = Extract<ContentBlock, { type: 'embedded_resource' }>;

const imageMediaTypes: readonly string[] = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'];

export interface EncodeContentOptions {
  /** Asks the model to cite the documents it is given, texts of resources among them. */
  readonly citations: boolean;
}

/**
 * A content block as the API takes it, or undefined for text that it would refuse: it takes none that is empty or all
 * white space. What it does not take at all becomes text that names it, so that the model knows it was there.
 */
export function encodeContent(block: ContentBlock, options: EncodeContentOptions): object | undefined {
  switch (block.type) {
    case 'text':
      return encodeText(block.text);
    case 'image':
      return encodeImage(block);
    case 'audio':
    case 'resource_link':
    case 'unknown':
      return encodeText(contentNote(block));
    case 'embedded_resource':
      return encodeEmbedded(block, options);
  }
}

export function encodeText(text: string): { readonly type: 'text'; readonly text: string } | undefined {
  return /\S/.test(text) ? { type: 'text', text } : undefined;
}

function encodeImage(block: Image): object | undefined {
  const { uri } = block;
  if (/^https?:/i.test(uri)) return { type: 'image', source: { type: 'url', url: uri } };
  const data = readDataUri(uri);
  const mediaType = data?.mediaType ?? block.mediaType;
  if (data !== undefined && mediaType !== undefined && imageMediaTypes.includes(mediaType)) {
    return { type: 'image', source: { type: 'base64', media_type: mediaType, data: data.base64 } };
  }
  return encodeText(contentNote({ ...block, ...(mediaType !== undefined && { mediaType }) }));
}

function encodeEmbedded(block: EmbeddedResource, { citations }: EncodeContentOptions): object | undefined {
  const { mediaType, text, blob } = block;
  if (text !== undefined && citations && /\S/.test(text)) {
    return encodeDocument(block, { type: 'text', media_type: 'text/plain', data: text }, citations);
  }
  // A document would say no more than the text does, and not every server of this API takes one.
  if (text !== undefined) return encodeText(contentNote(block));
  if (blob !== undefined && mediaType !== undefined && imageMediaTypes.includes(mediaType)) {
    return { type: 'image', source: { type: 'base64', media_type: mediaType, data: blob } };
  }
  if (blob !== undefined && mediaType === 'application/pdf') {
    return encodeDocument(block, { type: 'base64', media_type: mediaType, data: blob }, citations);
  }
  return encodeText(contentNote(block));
}

/** The name of a document is what the model calls it by, its context what it knows of it and never cites. */
function encodeDocument({ uri }: EmbeddedResource, source: object, citations: boolean): object {
  const name = documentName(uri);
  return {
    type: 'document',
    source,
    ...(name !== undefined && { title: name }),
    ...(!uri.startsWith('data:') && uri !== '' && { context: `From ${uri}` }),
    ...(citations && { citations: { enabled: true } }),
  };
}

const longestTitle = 500;

function documentName(uri: string): string | undefined {
  if (uri.startsWith('data:')) return undefined;
  const last =
    uri
      .replace(/[?#].*$/, '')
      .replace(/\/+$/, '')
      .split(/[/\\]/)
      .at(-1) ?? '';
  let name = last;
  try {
    name = decodeURIComponent(last);
  } catch {
    // A % that stands for itself.
  }
  return /\S/.test(name) ? name.slice(0, longestTitle) : undefined;
}
