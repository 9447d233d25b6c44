import type { ContentBlock, JsonObject, JsonValue, ModelBlock, ReplyTextBlock, ToolCallBlock } from '@rondo/protocol';
import type { ModelMessage, ToolResultBlock, ToolSpecification } from '@rondo/runtime';
import { isJsonObject, wellFormedJson } from '../dialect/json.ts';
import { reduceSchema, type SchemaRules } from '../dialect/reduce-schema.ts';
import { encodeContent, encodeOutput } from './encode-content.ts';

const messages = new WeakMap<ModelMessage, Buffer>();
const tools = new WeakMap<ToolSpecification, Buffer>();

/** The API refuses a function whose schema is not an object with its properties, or whose arrays name no items. */
const rules: SchemaRules = { forbiddenAtTop: ['oneOf', 'anyOf', 'allOf', 'enum', 'not'], namesMembers: true };

/** The items of one message, joined by commas; empty where nothing in it is for the API. Made once in its life. */
export function encodeMessage(message: ModelMessage): Buffer {
  let encoded = messages.get(message);
  if (encoded === undefined) {
    const items = message.role === 'user' ? userItems(message.content) : assistantItems(message.content);
    encoded = Buffer.from(items.map(wellFormedJson).join(','));
    messages.set(message, encoded);
  }
  return encoded;
}

export function encodeTool(tool: ToolSpecification): Buffer {
  let encoded = tools.get(tool);
  if (encoded === undefined) {
    const { name, description, inputSchema } = tool;
    const parameters = reduceSchema(inputSchema, rules);
    encoded = Buffer.from(wellFormedJson({ type: 'function', name, description, parameters, strict: false }));
    tools.set(tool, encoded);
  }
  return encoded;
}

function userItems(content: readonly (ContentBlock | ToolResultBlock)[]): readonly JsonObject[] {
  const items: JsonObject[] = [];
  let parts: JsonObject[] = [];
  const closeMessage = (): void => {
    if (parts.length > 0) items.push({ role: 'user', content: parts });
    parts = [];
  };
  for (const block of content) {
    if (block.type === 'tool_result') {
      closeMessage();
      items.push({ type: 'function_call_output', call_id: block.toolCallId, output: encodeOutput(block) });
    } else {
      const part = encodeContent(block);
      if (part !== undefined) parts.push(part);
    }
  }
  closeMessage();
  // The turn must not vanish: a request that ends with the model's own words means something else.
  return items.length > 0 ? items : [{ role: 'user', content: [{ type: 'input_text', text: '(no content)' }] }];
}

/** What goes back to the model. Reasoning is refused where nothing follows it, so it goes with what it led to. */
function assistantItems(content: readonly ModelBlock[]): readonly JsonObject[] {
  const items: JsonObject[] = [];
  for (const block of content) {
    if (block.type === 'text') addText(items, block);
    else {
      const item = blockItem(block);
      if (item !== undefined) items.push(item);
    }
  }
  while (items.at(-1)?.['type'] === 'reasoning') items.pop();
  return items;
}

function blockItem(block: Exclude<ModelBlock, ReplyTextBlock>): JsonObject | undefined {
  switch (block.type) {
    case 'reasoning':
      return block.providerData === undefined ? undefined : { type: 'reasoning', ...block.providerData };
    case 'tool_call':
      return callItem(block);
    case 'opaque':
      return block.provider === 'openai' && isJsonObject(block.raw) ? block.raw : undefined;
    case 'image':
      return { role: 'assistant', content: `[image${block.altText === undefined ? '' : `: ${block.altText}`}]` };
    case 'unknown':
      return undefined;
  }
}

function callItem({ toolCallId, name, input, providerData }: ToolCallBlock): JsonObject {
  const json = JSON.stringify(isJsonObject(input) ? input : {});
  const written = providerData?.['arguments'];
  return {
    type: 'function_call',
    ...itemFields(providerData),
    call_id: toolCallId,
    name,
    // Spelled as the model spelled it, so that the cache knows it again.
    arguments: typeof written === 'string' && saysSame(written, json) ? written : json,
  };
}

/** Appends the text as a part of the message that it came in, or as a message of its own. */
function addText(items: JsonObject[], { text, providerData }: ReplyTextBlock): void {
  if (text === '') return;
  const fields = itemFields(providerData);
  const { id } = fields;
  if (id === undefined) {
    items.push({ ...fields, role: 'assistant', content: text });
    return;
  }
  const part = textPart(text, providerData?.['part']);
  const last = items.at(-1);
  if (last?.['type'] === 'message' && last['id'] === id && Array.isArray(last['content'])) {
    items[items.length - 1] = { ...last, ...fields, content: [...last['content'], part] };
  } else items.push({ type: 'message', role: 'assistant', status: 'completed', ...fields, content: [part] });
}

function textPart(text: string, written: JsonValue | undefined): JsonObject {
  const fields = isJsonObject(written) ? written : {};
  if (fields['type'] === 'refusal') return { ...fields, refusal: text };
  return { type: 'output_text', annotations: [], ...fields, text };
}

/** What the API gave an item beside what we read of it. */
function itemFields(providerData: JsonObject | undefined): JsonObject {
  const fields = providerData?.['item'];
  return isJsonObject(fields) ? fields : {};
}

function saysSame(written: string, json: string): boolean {
  try {
    return JSON.stringify(JSON.parse(written)) === json;
  } catch {
    return false;
  }
}
