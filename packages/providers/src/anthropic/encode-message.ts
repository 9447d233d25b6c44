import type { ContentBlock, ModelBlock } from '@rondo/protocol';
import type { ModelMessage, ToolResultBlock, ToolSpecification } from '@rondo/runtime';
import { encodeContent, encodeText } from './encode-content.ts';
import { isJsonObject, wellFormedJson } from '../dialect/json.ts';

/** JSON of one message, tool or system block, kept as the bytes that go out. */
export interface EncodedJson {
  readonly bytes: Buffer;
  /** Where `,"cache_control":…` may be spliced in, or -1 when nothing in it takes the mark. */
  readonly markAt: number;
}

const messages = new WeakMap<ModelMessage, EncodedJson>();
const tools = new WeakMap<ToolSpecification, EncodedJson>();

/** A message without anything that the API takes is undefined. The same object is serialised once in its life. */
export function encodeMessage(message: ModelMessage): EncodedJson | undefined {
  let encoded = messages.get(message);
  if (encoded === undefined) {
    encoded = message.role === 'user' ? encodeUser(message.content) : encodeAssistant(message.content);
    messages.set(message, encoded);
  }
  return encoded.bytes.byteLength === 0 ? undefined : encoded;
}

export function encodeTool(tool: ToolSpecification): EncodedJson {
  let encoded = tools.get(tool);
  if (encoded === undefined) {
    const { name, description, inputSchema } = tool;
    encoded = encodeBlock({ name, description, input_schema: inputSchema });
    tools.set(tool, encoded);
  }
  return encoded;
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

function encodeUser(content: readonly (ContentBlock | ToolResultBlock)[]): EncodedJson {
  const blocks = content.map((block) =>
    block.type === 'tool_result' ? encodeToolResult(block) : encodeContent(block),
  );
  // The turn must not vanish: a request that ends with the assistant's own words means something else.
  if (blocks.every((block) => block === undefined)) return assemble('user', [{ type: 'text', text: '(no content)' }]);
  return assemble('user', blocks);
}

function encodeAssistant(content: readonly ModelBlock[]): EncodedJson {
  return assemble('assistant', content.map(encodeModelBlock));
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

function encodeToolResult({ toolCallId, content, isError }: ToolResultBlock): object {
  const blocks = content.map(encodeContent).filter((block) => block !== undefined);
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
function encodeModelBlock(block: ModelBlock): object | undefined {
  switch (block.type) {
    case 'text':
      return encodeText(block.text);
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
      };
    case 'opaque':
      return block.provider === 'anthropic' && isJsonObject(block.raw) ? block.raw : undefined;
    case 'image':
      return encodeText(`[image${block.altText === undefined ? '' : `: ${block.altText}`}]`);
    case 'unknown':
      return undefined;
  }
}
