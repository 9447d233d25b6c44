import type { JsonObject, JsonValue, ModelBlock } from '@rondo/protocol';
import type { ModelPart } from '@rondo/runtime';
import { isJsonObject, stringOf } from '../dialect/json.ts';
import { readToolInput } from '../dialect/tool-input.ts';
import { wholeCharacters } from '../dialect/whole-characters.ts';
import { callOriginData, citationData } from './provider-data.ts';

/** A block of the reply while its deltas come in. */
export interface OpenBlock {
  readonly start: Extract<ModelPart, { type: 'block-start' }>;
  /**
   * Takes a delta of the wire and returns the text to show, if it has any. A block of text or thinking takes what it
   * opened with the same way.
   */
  take(delta: JsonObject): string | undefined;
  /** Of a block of text: the same as `take` for a delta that holds nothing but text. */
  readonly takeText?: (added: string) => string;
  end(): ModelBlock;
}

/** Opens the block that `content_block_start` announces; one of a kind we do not know is kept whole. */
export function openBlock(index: number, raw: JsonObject): OpenBlock {
  switch (raw['type']) {
    case 'text':
      return openText(index, raw);
    case 'thinking':
      return openThinking(index);
    case 'redacted_thinking':
      return {
        start: { type: 'block-start', index, block: 'reasoning' },
        take: () => undefined,
        end: () => ({ type: 'reasoning', text: '', redacted: stringOf(raw['data']) }),
      };
    case 'tool_use':
      return openToolCall(index, raw);
    default:
      return openOpaque(index, raw);
  }
}

function openText(index: number, raw: JsonObject): OpenBlock {
  let text = '';
  const citations: JsonValue[] = Array.isArray(raw['citations']) ? [...raw['citations']] : [];
  const pieces = wholeCharacters();
  const takeText = (added: string): string => {
    text += added;
    return pieces(added);
  };
  return {
    start: { type: 'block-start', index, block: 'text' },
    takeText,
    take(delta) {
      if (delta['type'] === 'citations_delta') {
        if (isJsonObject(delta['citation'])) citations.push(delta['citation']);
        return undefined;
      }
      const added = delta['text'];
      return typeof added === 'string' ? takeText(added) : undefined;
    },
    end: () => ({ type: 'text', text, ...citationData(citations) }),
  };
}

function openThinking(index: number): OpenBlock {
  let text = '';
  let signature = '';
  const pieces = wholeCharacters();
  return {
    start: { type: 'block-start', index, block: 'reasoning' },
    take(delta) {
      if (typeof delta['signature'] === 'string') signature += delta['signature'];
      const added = delta['thinking'];
      if (typeof added !== 'string') return undefined;
      text += added;
      return pieces(added);
    },
    end: () => ({ type: 'reasoning', text, ...(signature !== '' && { signature }) }),
  };
}

function openToolCall(index: number, raw: JsonObject): OpenBlock {
  const toolCallId = stringOf(raw['id']);
  const name = stringOf(raw['name']);
  let json = '';
  return {
    start: { type: 'block-start', index, block: 'tool_call', toolCallId, name },
    take(delta) {
      const added = delta['partial_json'];
      if (typeof added !== 'string') return undefined;
      json += added;
      return added;
    },
    end: () => ({
      type: 'tool_call',
      toolCallId,
      name,
      ...readToolInput(json, raw['input']),
      ...callOriginData(raw),
    }),
  };
}

/**
 * A block that only the vendor understands, e.g. of a tool that runs on its servers. Deltas are joined to the field of
 * the same name, and a streamed `partial_json` becomes `input`, so that the whole goes back as the API would have it.
 */
function openOpaque(index: number, raw: JsonObject): OpenBlock {
  const fields = new Map<string, JsonValue>(Object.entries(raw));
  let json = '';
  return {
    start: { type: 'block-start', index, block: 'opaque' },
    take(delta) {
      for (const [key, value] of Object.entries(delta)) {
        if (key === 'type') continue;
        if (key === 'partial_json' && typeof value === 'string') json += value;
        else fields.set(key, joined(fields.get(key), value));
      }
      return undefined;
    },
    end() {
      if (json.trim() !== '') {
        const { input, malformed } = readToolInput(json);
        fields.set('input', malformed === undefined ? input : malformed.text);
      }
      return { type: 'opaque', provider: 'anthropic', raw: Object.fromEntries(fields) };
    },
  };
}

function joined(before: JsonValue | undefined, added: JsonValue): JsonValue {
  if (added === null) return before ?? null;
  if (typeof before === 'string' && typeof added === 'string') return before + added;
  if (Array.isArray(before) && Array.isArray(added)) return [...before, ...added];
  return added;
}
