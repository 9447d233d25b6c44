import type { JSONValue, LanguageModelV4Message, SharedV4ProviderOptions } from '@ai-sdk/provider';
import type { JsonObject, JsonValue } from '@rondo/protocol';
import { isJsonObject, stringOf } from '../dialect/json.ts';

type ReplyMessage = Extract<LanguageModelV4Message, { role: 'assistant' }>;
export type ReplyPromptPart = ReplyMessage['content'][number];

/**
 * A part that only its provider understands, as JSON to be kept: a tool that ran on its servers and what came of it, a
 * file that the model made, a source. Bytes become base64.
 */
export function keepOpaque(part: object): JsonObject {
  const kept = JSON.stringify(part, (_key, value: unknown) => {
    if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
    return value;
  });
  return JSON.parse(kept) as JsonObject;
}

/** The part of the prompt that gives it back; nothing for one that providers only send. */
export function readOpaque(raw: JsonValue): readonly ReplyPromptPart[] {
  if (!isJsonObject(raw)) return [];
  const options = optionsOf(raw);
  switch (raw['type']) {
    case 'tool-call':
      return [
        {
          type: 'tool-call',
          toolCallId: stringOf(raw['toolCallId']),
          toolName: stringOf(raw['toolName']),
          input: parsed(stringOf(raw['input'])),
          providerExecuted: true,
          ...options,
        },
      ];
    case 'tool-result':
      return [
        {
          type: 'tool-result',
          toolCallId: stringOf(raw['toolCallId']),
          toolName: stringOf(raw['toolName']),
          output: {
            type: raw['isError'] === true ? 'error-json' : 'json',
            value: (raw['result'] ?? null) as JSONValue,
          },
          ...options,
        },
      ];
    case 'file':
    case 'reasoning-file': {
      const data = dataOf(raw['data']);
      return data === undefined ? [] : [{ type: raw['type'], mediaType: stringOf(raw['mediaType']), data, ...options }];
    }
    case 'text':
      return [{ type: 'text', text: stringOf(raw['text']), ...options }];
    case 'custom': {
      const kind = stringOf(raw['kind']);
      return isKind(kind) ? [{ type: 'custom', kind, ...options }] : [];
    }
    default:
      return [];
  }
}

function optionsOf({ providerMetadata }: JsonObject): { providerOptions?: SharedV4ProviderOptions } {
  return isJsonObject(providerMetadata) ? { providerOptions: providerMetadata as SharedV4ProviderOptions } : {};
}

/** Bytes stand under a tag since AI SDK 7, by themselves before. */
function dataOf(data: JsonValue | undefined) {
  if (typeof data === 'string') return { type: 'data' as const, data };
  if (!isJsonObject(data)) return undefined;
  if (typeof data['data'] === 'string') return { type: 'data' as const, data: data['data'] };
  const url = URL.parse(stringOf(data['url']));
  return url === null ? undefined : { type: 'url' as const, url };
}

function parsed(input: string): JsonValue {
  try {
    return JSON.parse(input) as JsonValue;
  } catch {
    return input;
  }
}

function isKind(kind: string): kind is `${string}.${string}` {
  return kind.includes('.');
}
