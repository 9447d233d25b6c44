import type { LanguageModelV4Message, SharedV4ProviderOptions } from '@ai-sdk/provider';
import type { JsonObject, ModelBlock } from '@rondo/protocol';
import type { ModelMessage } from '@rondo/runtime';
import { isJsonObject } from '../dialect/json.ts';
import type { PromptStyle } from './prompt-style.ts';
import { readOpaque, type ReplyPromptPart } from './opaque-part.ts';

type Reply = Extract<ModelMessage, { role: 'assistant' }>;

/** A reply as it goes back; nothing where it holds nothing that the API takes. */
export function encodeReply(message: Reply, style: PromptStyle): readonly LanguageModelV4Message[] {
  const own = message.model === style.model;
  const content = message.content.flatMap((block) => encodeBlock(block, own, style));
  return content.length === 0 ? [] : [{ role: 'assistant', content }];
}

/** @param own the model that is asked wrote it: what its provider added goes back with it. */
function encodeBlock(block: ModelBlock, own: boolean, { callId }: PromptStyle): readonly ReplyPromptPart[] {
  switch (block.type) {
    case 'text':
      return [{ type: 'text', text: block.text, ...withProviderData(block.providerData) }];
    case 'reasoning':
      if (block.providerData === undefined) return [];
      return [{ type: 'reasoning', text: block.text, ...withProviderData(block.providerData) }];
    case 'tool_call':
      return [
        {
          type: 'tool-call',
          toolCallId: callId?.(block.toolCallId) ?? block.toolCallId,
          toolName: block.name,
          input: isJsonObject(block.input) ? block.input : {},
          ...withProviderData(block.providerData),
        },
      ];
    case 'opaque':
      return own ? readOpaque(block.raw) : [];
    case 'image':
      return [{ type: 'text', text: `[image${block.altText === undefined ? '' : `: ${block.altText}`}]` }];
    case 'unknown':
      return [];
  }
}

/** What came as `providerMetadata` goes back as `providerOptions`, as it came. */
function withProviderData(data: JsonObject | undefined): { providerOptions?: SharedV4ProviderOptions } {
  return data === undefined || !isProviderOptions(data) ? {} : { providerOptions: data };
}

function isProviderOptions(data: JsonObject): data is JsonObject & SharedV4ProviderOptions {
  const values = Object.values(data);
  return values.length > 0 && values.every(isJsonObject);
}
