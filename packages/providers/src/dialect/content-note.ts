import type { ContentBlock } from '@rondo/protocol';

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
