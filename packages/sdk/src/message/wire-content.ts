import type {
  BetaContentBlock,
  ContentBlock,
  JsonObject,
  JsonValue,
  ModelBlock,
  UserContentBlock,
} from '@rondo/protocol';

/** Content blocks in the shape of the messages API. What that API has no block for is named in words. */
export function wireContent(content: readonly ContentBlock[]): UserContentBlock[] {
  return content.map(wireContentBlock);
}

/** A tool result's content: one text is a string, as most programs read it. */
export function wireResultContent(content: readonly ContentBlock[]): string | UserContentBlock[] {
  const only = content.length === 1 ? content[0] : undefined;
  if (content.length === 0) return '';
  return only?.type === 'text' ? only.text : wireContent(content);
}

/** The text of all text blocks. */
export function plainText(content: readonly (ContentBlock | ModelBlock)[]): string {
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
}

function wireContentBlock(block: ContentBlock): UserContentBlock {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text };
    case 'image':
      return wireImage(block.uri, block.mediaType);
    case 'audio':
      return { type: 'text', text: `[audio: ${shortUri(block.uri)}]` };
    case 'resource_link':
      return { type: 'text', text: `[resource: ${block.title ?? block.name ?? block.uri} (${shortUri(block.uri)})]` };
    case 'embedded_resource':
      if (block.text !== undefined) return { type: 'text', text: block.text };
      if (block.mediaType === 'application/pdf' && block.blob !== undefined) {
        return { type: 'document', source: { type: 'base64', media_type: block.mediaType, data: block.blob } };
      }
      return { type: 'text', text: `[resource: ${shortUri(block.uri)}]` };
    case 'unknown':
      return { type: 'text', text: `[${block.originalType}]` };
  }
}

function wireImage(uri: string, mediaType: string | undefined): UserContentBlock {
  const data = /^data:([^;,]+);base64,/.exec(uri);
  if (data !== null) {
    const source = {
      type: 'base64' as const,
      media_type: mediaType ?? data[1] ?? 'image/png',
      data: uri.slice(data[0].length),
    };
    return { type: 'image', source };
  }
  if (/^https?:/.test(uri)) return { type: 'image', source: { type: 'url', url: uri } };
  return { type: 'text', text: `[image: ${shortUri(uri)}]` };
}

function shortUri(uri: string): string {
  return uri.length > 200 ? `${uri.slice(0, 200)}…` : uri;
}

/** A block of a reply as the messages API shapes it; undefined for a block that another API alone understands. */
export function wireReplyBlock(block: ModelBlock): BetaContentBlock | undefined {
  switch (block.type) {
    case 'text': {
      const citations = citationsOf(block);
      return { type: 'text', text: block.text, ...(citations.length > 0 && { citations: [...citations] }) };
    }
    case 'reasoning':
      if (block.redacted !== undefined) return { type: 'redacted_thinking', data: block.redacted };
      return { type: 'thinking', thinking: block.text, signature: block.signature ?? '' };
    case 'tool_call':
      return { type: 'tool_use', id: block.toolCallId, name: block.name, input: inputObject(block.input) };
    case 'image':
    case 'opaque':
    case 'unknown':
      return undefined;
  }
}

/** Where the model took a text from, as the messages API says it; other APIs' words for it stay out. */
export function citationsOf(block: ModelBlock): readonly JsonObject[] {
  const found = block.type === 'text' ? block.providerData?.['citations'] : undefined;
  if (!Array.isArray(found)) return [];
  return (found as readonly JsonValue[]).filter(isCitation);
}

function isCitation(value: JsonValue): value is JsonObject {
  if (typeof value !== 'object' || value === null || !('type' in value)) return false;
  return typeof value.type === 'string' && value.type.endsWith('_location');
}

/** A call's arguments as an object, which they are unless the model wrote something else. */
export function inputObject(input: JsonValue | undefined): JsonObject {
  return typeof input === 'object' && input !== null && !Array.isArray(input) ? (input as JsonObject) : {};
}
