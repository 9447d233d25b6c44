import type { ContentBlock, JsonObject, ModelBlock, ReplyTextBlock } from '@rondo/protocol';
import type { ModelMessage, ToolResultBlock, ToolSpecification } from '@rondo/runtime';
import { isJsonObject, wellFormedJson } from '../dialect/json.ts';
import { encodeContent, encodeText, type EncodeContentOptions } from './encode-content.ts';
import { callOriginFields, readCitations } from './provider-data.ts';
import { containerType, opaqueBlock } from './server-calls.ts';
import { toolSchema } from './tool-schema.ts';

/** JSON of one message, tool or system block, kept as the bytes that go out. */
export interface EncodedJson {
  readonly bytes: Buffer;
  /** Where `,"cache_control":…` may be spliced in, or -1 when nothing in it takes the mark. */
  readonly markAt: number;
}

/** Encodes for one model. The same object is serialised once in its life. */
export interface MessageEncoder {
  /** A message without anything that the API takes is undefined. Blocks in `leftOut` stay out. */
  message(message: ModelMessage, leftOut: ReadonlySet<JsonObject>): EncodedJson | undefined;
  tool(tool: ToolSpecification): EncodedJson;
}

/** What a tool is called by is the same for every model. */
const tools = new WeakMap<ToolSpecification, EncodedJson>();

export function createMessageEncoder(options: EncodeContentOptions): MessageEncoder {
  const messages = new WeakMap<ModelMessage, EncodedJson>();
  const encode = (message: ModelMessage, leftOut: ReadonlySet<JsonObject>): EncodedJson =>
    message.role === 'user' ? encodeUser(message.content, options) : encodeAssistant(message.content, leftOut);
  return {
    message(message, leftOut) {
      const whole = leftOut.size === 0 || !holdsAny(message, leftOut);
      let encoded = whole ? messages.get(message) : encode(message, leftOut);
      if (encoded === undefined) {
        encoded = encode(message, leftOut);
        messages.set(message, encoded);
      }
      return encoded.bytes.byteLength === 0 ? undefined : encoded;
    },
    tool(tool) {
      let encoded = tools.get(tool);
      if (encoded === undefined) {
        const { name, description, inputSchema } = tool;
        encoded = encodeBlock({ name, description, input_schema: toolSchema(inputSchema) });
        tools.set(tool, encoded);
      }
      return encoded;
    },
  };
}

function holdsAny({ role, content }: ModelMessage, blocks: ReadonlySet<JsonObject>): boolean {
  if (role === 'user') return false;
  return (content as readonly ModelBlock[]).some((block) => {
    const raw = opaqueBlock(block);
    return raw !== undefined && blocks.has(raw);
  });
}

export function encodeBlock(value: object): EncodedJson {
  const bytes = Buffer.from(wellFormedJson(value));
  return { bytes, markAt: bytes.byteLength - 1 };
}

/** The bytes with the mark, made of the same bytes without it. */
export function withCacheMark({ bytes, markAt }: EncodedJson): readonly Buffer[] {
  if (markAt < 0) return [bytes];
  return [bytes.subarray(0, markAt), cacheMark, bytes.subarray(markAt)];
}

const cacheMark = Buffer.from(',"cache_control":{"type":"ephemeral"}');
const nothing: EncodedJson = { bytes: Buffer.alloc(0), markAt: -1 };

function encodeUser(content: readonly (ContentBlock | ToolResultBlock)[], options: EncodeContentOptions): EncodedJson {
  const blocks = content.map((block) =>
    block.type === 'tool_result' ? encodeToolResult(block, options) : encodeContent(block, options),
  );
  // The turn must not vanish: a request that ends with the assistant's own words means something else.
  if (blocks.every((block) => block === undefined)) return assemble('user', [{ type: 'text', text: '(no content)' }]);
  return assemble('user', blocks);
}

function encodeAssistant(content: readonly ModelBlock[], leftOut: ReadonlySet<JsonObject>): EncodedJson {
  return assemble(
    'assistant',
    content.map((block) => encodeModelBlock(block, leftOut)),
  );
}

function assemble(role: 'user' | 'assistant', blocks: readonly (object | undefined)[]): EncodedJson {
  const kept = blocks.filter((block) => block !== undefined);
  if (kept.length === 0) return nothing;
  const texts = kept.map(wellFormedJson);
  const bytes = Buffer.from(`{"role":"${role}","content":[${texts.join(',')}]}`);
  const marked = kept.findLastIndex(takesCacheMark);
  if (marked === -1) return { bytes, markAt: -1 };
  const after = texts.slice(marked + 1).reduce((length, text) => length + 1 + Buffer.byteLength(text), 0);
  return { bytes, markAt: bytes.byteLength - ']}'.length - after - '}'.length };
}

const markable: ReadonlySet<unknown> = new Set(['text', 'image', 'document', 'tool_use', 'tool_result']);

function takesCacheMark(block: object): boolean {
  return 'type' in block && markable.has(block.type) && !('cache_control' in block);
}

function encodeToolResult({ toolCallId, content, isError }: ToolResultBlock, options: EncodeContentOptions): object {
  const blocks = content.map((block) => encodeContent(block, options)).filter((block) => block !== undefined);
  // The API refuses a failure that says nothing.
  if (isError && blocks.length === 0) blocks.push({ type: 'text', text: 'The tool failed without a message.' });
  return {
    type: 'tool_result',
    tool_use_id: toolCallId,
    ...(blocks.length > 0 && { content: blocks }),
    ...(isError && { is_error: true }),
  };
}

/** What goes back to the model that wrote it. Reasoning without its signature would be refused, so it stays out. */
function encodeModelBlock(block: ModelBlock, leftOut: ReadonlySet<JsonObject>): object | undefined {
  switch (block.type) {
    case 'text':
      return encodeReplyText(block);
    case 'reasoning':
      if (block.redacted !== undefined) return { type: 'redacted_thinking', data: block.redacted };
      if (block.signature === undefined) return undefined;
      return { type: 'thinking', thinking: block.text, signature: block.signature };
    case 'tool_call':
      return {
        type: 'tool_use',
        id: block.toolCallId,
        name: block.name,
        input: isJsonObject(block.input) ? block.input : {},
        ...callOrigin(block.providerData),
      };
    case 'opaque': {
      const raw = opaqueBlock(block);
      return raw === undefined || leftOut.has(raw) || raw['type'] === containerType ? undefined : raw;
    }
    case 'image':
      return encodeText(`[image${block.altText === undefined ? '' : `: ${block.altText}`}]`);
    case 'unknown':
      return undefined;
  }
}

/** The text with the places it was taken from, as the API wants them back. */
function encodeReplyText({ text, providerData }: ReplyTextBlock): object | undefined {
  const encoded = encodeText(text);
  const citations = readCitations(providerData);
  return encoded === undefined || citations.length === 0 ? encoded : { ...encoded, citations };
}

/** Who made the call, where it was not the model itself: the API takes a call back as it sent it. */
function callOrigin(data: JsonObject | undefined): object {
  return Object.fromEntries(
    callOriginFields.flatMap((field) => (data?.[field] === undefined ? [] : [[field, data[field]]])),
  );
}
