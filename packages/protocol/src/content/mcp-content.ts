import type { JsonObject } from '../json/json-value.ts';
import type { ContentAnnotations, ContentBlock } from './content-block.ts';
import { readDataUri } from './data-uri.ts';

interface McpCommon {
  readonly annotations?: ContentAnnotations;
  readonly _meta?: JsonObject;
}

/** A content block as the Model Context Protocol has it. */
export type McpContent = McpCommon &
  (
    | { readonly type: 'text'; readonly text: string }
    | { readonly type: 'image' | 'audio'; readonly data: string; readonly mimeType: string }
    | {
        readonly type: 'resource_link';
        readonly uri: string;
        readonly name: string;
        readonly title?: string;
        readonly description?: string;
        readonly mimeType?: string;
        readonly size?: number;
      }
    | { readonly type: 'resource'; readonly resource: McpResource }
  );

interface McpResource {
  readonly uri: string;
  readonly mimeType?: string;
  readonly text?: string;
  readonly blob?: string;
}

/**
 * The block on an MCP wire; its `meta` is `_meta` there. A picture or a clip that is not in the block itself goes as a link
 * to it. Undefined for what has no form there: a block of a kind this version does not know.
 */
export function toMcpContent(block: ContentBlock): McpContent | undefined {
  if (block.type === 'unknown') return undefined;
  const { annotations, meta } = block;
  const common = {
    ...(annotations === undefined ? {} : { annotations }),
    ...(meta === undefined ? {} : { _meta: meta }),
  };
  const mimeType = 'mediaType' in block && block.mediaType !== undefined ? { mimeType: block.mediaType } : {};
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text, ...common };
    case 'image':
    case 'audio': {
      const inline = readDataUri(block.uri);
      if (inline === undefined)
        return { type: 'resource_link', uri: block.uri, name: block.uri, ...mimeType, ...common };
      const kind = block.mediaType ?? inline.mediaType ?? 'application/octet-stream';
      return { type: block.type, data: inline.base64, mimeType: kind, ...common };
    }
    case 'resource_link': {
      const { uri, name = uri, title, description, size } = block;
      return {
        type: 'resource_link',
        uri,
        name,
        ...(title === undefined ? {} : { title }),
        ...(description === undefined ? {} : { description }),
        ...mimeType,
        ...(size === undefined ? {} : { size }),
        ...common,
      };
    }
    case 'embedded_resource': {
      const { uri, text, blob } = block;
      const held = text === undefined ? { blob: blob ?? '' } : { text };
      return { type: 'resource', resource: { uri, ...mimeType, ...held }, ...common };
    }
  }
}

/** A block of an MCP wire. One of a kind that has no counterpart here is kept whole, as `unknown`. */
export function fromMcpContent(content: McpContent | (JsonObject & { readonly type: string })): ContentBlock {
  const known = content as McpContent;
  const common = {
    ...(known.annotations === undefined ? {} : { annotations: known.annotations }),
    ...(known._meta === undefined ? {} : { meta: known._meta }),
  };
  switch (known.type) {
    case 'text':
      return { type: 'text', text: known.text, ...common };
    case 'image':
    case 'audio': {
      const { type, data, mimeType } = known;
      return { type, uri: `data:${mimeType};base64,${data}`, mediaType: mimeType, ...common };
    }
    case 'resource_link': {
      const { type, uri, name, title, description, mimeType, size } = known;
      return {
        type,
        uri,
        name,
        ...(title === undefined ? {} : { title }),
        ...(description === undefined ? {} : { description }),
        ...(mimeType === undefined ? {} : { mediaType: mimeType }),
        ...(size === undefined ? {} : { size }),
        ...common,
      };
    }
    case 'resource': {
      const { uri, mimeType, text, blob } = known.resource;
      return {
        type: 'embedded_resource',
        uri,
        ...(mimeType === undefined ? {} : { mediaType: mimeType }),
        ...(text === undefined ? {} : { text }),
        ...(blob === undefined ? {} : { blob }),
        ...common,
      };
    }
    default:
      return {
        type: 'unknown',
        originalType: (content as JsonObject & { type: string }).type,
        raw: content as JsonObject,
      };
  }
}
