import type { ContentBlock, JsonObject, JsonValue, ModelBlock } from '@rondo/protocol';
import type { ModelMessage, ToolResultBlock, ToolSpecification } from '@rondo/runtime';
import { isJsonObject, wellFormedJson } from '../dialect/json.ts';
import { reduceSchema } from '../dialect/reduce-schema.ts';
import { shortCallId } from './call-id.ts';
import { asContent, encodeParts, textOf, type ContentPart } from './encode-content.ts';
import { joinDetails } from './reasoning-details.ts';
import type { ServerQuirks } from './server-quirks.ts';

export interface MessageEncoder {
  /**
   * The bytes of a message: of one wire message or, with tool results, of several with commas between them. The same
   * object is serialised once in its life.
   */
  message(message: ModelMessage): Buffer;
  tool(tool: ToolSpecification): Buffer;
  system(text: string): Buffer;
}

export function createMessageEncoder(quirks: ServerQuirks): MessageEncoder {
  const messages = new WeakMap<ModelMessage, Buffer>();
  const tools = new WeakMap<ToolSpecification, Buffer>();
  let lastSystem: { readonly text: string; readonly bytes: Buffer } | undefined;
  return {
    message(message) {
      let bytes = messages.get(message);
      if (bytes === undefined) {
        const wire = message.role === 'user' ? encodeUser(message.content, quirks) : [encodeAssistant(message, quirks)];
        bytes = Buffer.from(wire.map(wellFormedJson).join(','));
        messages.set(message, bytes);
      }
      return bytes;
    },
    tool(tool) {
      let bytes = tools.get(tool);
      if (bytes === undefined) {
        const { name, description } = tool;
        const parameters = reduceSchema(tool.inputSchema, quirks.schema);
        bytes = Buffer.from(wellFormedJson({ type: 'function', function: { name, description, parameters } }));
        tools.set(tool, bytes);
      }
      return bytes;
    },
    system(text) {
      if (lastSystem?.text !== text) {
        lastSystem = { text, bytes: Buffer.from(wellFormedJson({ role: quirks.systemRole, content: text })) };
      }
      return lastSystem.bytes;
    },
  };
}

/** Results first, each a message; what they show, and what the person says, comes in one message behind them. */
function encodeUser(content: readonly (ContentBlock | ToolResultBlock)[], quirks: ServerQuirks): object[] {
  const results = content.filter((block) => block.type === 'tool_result');
  const shown = results.flatMap((result) => pictures(result, quirks));
  const said = encodeParts(
    content.filter((block) => block.type !== 'tool_result'),
    quirks.images,
  );
  const parts = [...shown, ...said];
  // The turn must not vanish: a request that ends with the assistant's own words means something else.
  if (parts.length === 0 && results.length === 0) parts.push({ type: 'text', text: '(no content)' });
  const wire: object[] = results.map((result) => encodeResult(result, quirks));
  if (parts.length === 0) return wire;
  if (wire.length > 0 && quirks.strictTurns) wire.push({ role: 'assistant', content: 'I have the results.' });
  return [...wire, { role: 'user', content: asContent(parts) }];
}

/** A result is text: its images stand in the next user message, and it says so. */
function encodeResult({ toolCallId, content, isError }: ToolResultBlock, quirks: ServerQuirks): object {
  const parts = encodeParts(content, quirks.images);
  const images = parts.filter((part) => part.type === 'image_url').length;
  const note = images === 0 ? [] : [`[${images === 1 ? 'an image' : `${images} images`} in the next user message]`];
  const text = [textOf(parts), ...note].filter((line) => line !== '').join('\n\n');
  const silent = isError ? 'The tool failed without a message.' : '(no output)';
  return { role: 'tool', tool_call_id: callId(toolCallId, quirks), content: text === '' ? silent : text };
}

function pictures({ toolCallId, content }: ToolResultBlock, quirks: ServerQuirks): ContentPart[] {
  const images = encodeParts(content, quirks.images).filter((part) => part.type === 'image_url');
  if (images.length === 0) return [];
  return [{ type: 'text', text: `From the result of ${callId(toolCallId, quirks)}:` }, ...images];
}

function encodeAssistant({ content }: { readonly content: readonly ModelBlock[] }, quirks: ServerQuirks): object {
  const calls = content.flatMap((block) => (block.type === 'tool_call' ? [encodeCall(block, quirks)] : []));
  const text = content
    .flatMap((block) => {
      if (block.type === 'text') return [block.text];
      return block.type === 'image' ? [`[image${block.altText === undefined ? '' : `: ${block.altText}`}]`] : [];
    })
    .filter((part) => /\S/.test(part))
    .join('\n\n');
  return {
    role: 'assistant',
    content: text !== '' ? text : calls.length > 0 ? quirks.emptyContent : '(no content)',
    ...encodeReasoning(content, calls.length > 0, quirks),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}

type ToolCall = Extract<ModelBlock, { type: 'tool_call' }>;

function encodeCall({ toolCallId, name, input }: ToolCall, quirks: ServerQuirks): object {
  const fields = isJsonObject(input) ? input : {};
  return {
    id: callId(toolCallId, quirks),
    type: 'function',
    function: { name, arguments: wellFormedJson(fields) },
  };
}

/** Reasoning goes back to the server that sent it, in the way it came. */
function encodeReasoning(content: readonly ModelBlock[], hasCalls: boolean, quirks: ServerQuirks): object {
  const empty = hasCalls && quirks.reasoningBesideCalls !== undefined ? { [quirks.reasoningBesideCalls]: '' } : {};
  if (quirks.returnsReasoning === 'as-details') {
    const details = joinDetails(content.flatMap(detailsOf));
    return details.length === 0 ? empty : { ...empty, reasoning_details: details };
  }
  if (quirks.returnsReasoning === 'never') return empty;
  const fields: Record<string, string> = { ...empty };
  for (const block of content) {
    const field = block.type === 'reasoning' ? block.providerData?.['field'] : undefined;
    if (block.type === 'reasoning' && isReasoningField(field)) fields[field] = (fields[field] ?? '') + block.text;
  }
  return fields;
}

function isReasoningField(field: JsonValue | undefined): field is 'reasoning' | 'reasoning_content' {
  return field === 'reasoning' || field === 'reasoning_content';
}

function detailsOf(block: ModelBlock): readonly JsonObject[] {
  if (block.type !== 'reasoning' && block.type !== 'text' && block.type !== 'tool_call') return [];
  const details = block.providerData?.['reasoning_details'];
  return Array.isArray(details) ? (details as readonly JsonValue[]).filter(isJsonObject) : [];
}

function callId(id: string, quirks: ServerQuirks): string {
  return quirks.shortCallIds ? shortCallId(id) : id;
}
