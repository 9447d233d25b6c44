import type { ContentBlock } from '@rondo/protocol';

/** What a `data:` URI in base64 holds. */
export interface InlineData {
  readonly mediaType: string | undefined;
  readonly base64: string;
}

export function readDataUri(uri: string): InlineData | undefined {
  if (!uri.startsWith('data:')) return undefined;
  const comma = uri.indexOf(',');
  const [mediaType, ...parameters] = uri.slice('data:'.length, comma).split(';');
  if (comma === -1 || !parameters.includes('base64')) return undefined;
  return { mediaType: mediaType === '' ? undefined : mediaType, base64: uri.slice(comma + 1) };
}

/** A text in place of content that the model does not take, which says what was there. */
export function contentNote(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'image':
      return `[image${ofType(block.mediaType)}: ${block.altText ?? shortUri(block.uri)}]`;
    case 'audio':
      return `[audio${ofType(block.mediaType)}: ${shortUri(block.uri)}]`;
    case 'resource_link': {
      const name = block.title ?? block.name;
      const description = block.description === undefined ? '' : `: ${block.description}`;
      return `[resource${ofType(block.mediaType)} ${name === undefined ? '' : `${name} `}at ${shortUri(block.uri)}${description}]`;
    }
    case 'embedded_resource': {
      const head = `[resource${ofType(block.mediaType)}: ${shortUri(block.uri)}]`;
      return block.text === undefined ? head : `${head}\n${block.text}`;
    }
    case 'unknown':
      return `[content of the kind ${block.originalType}, which cannot be shown here]`;
  }
}

function ofType(mediaType: string | undefined): string {
  return mediaType === undefined ? '' : ` (${mediaType})`;
}

/** The bytes of a `data:` URI are not for reading. */
function shortUri(uri: string): string {
  return uri.startsWith('data:') ? `${uri.slice(0, Math.max(0, uri.indexOf(',')))},…` : uri;
}
