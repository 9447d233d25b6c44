import type { JsonObject, JsonValue, ReplyTextBlock } from '@rondo/protocol';
import type { BlockQueue, QueuedBlock } from '../dialect/block-queue.ts';
import { isJsonObject, stringOf } from '../dialect/json.ts';
import { writtenText, type ItemReader, type WrittenText } from './item-reader.ts';
import { readObjects, withoutNulls, type WireItem } from './wire-schema.ts';

interface Part {
  readonly block: QueuedBlock;
  readonly text: WrittenText;
  refused: boolean;
  annotations: readonly JsonValue[];
  /** The whole part, once the server has sent it. */
  whole?: JsonObject;
}

/**
 * A message's parts are blocks of text. A part is handed out whole when the next one begins, the last one with the
 * message, which may say more of itself by then.
 */
export function openMessage(begun: WireItem, queue: BlockQueue): ItemReader {
  const parts = new Map<number, Part>();
  const open = new Set<number>();

  function partAt(index: number): Part {
    const known = parts.get(index);
    if (known !== undefined) return known;
    for (const earlier of open) {
      if (parts.get(earlier)?.whole !== undefined) closePart(earlier, { ...fieldsOf(begun), status: 'completed' });
    }
    const block = queue.open({ block: 'text' });
    const part: Part = { block, text: writtenText(block), refused: false, annotations: [] };
    parts.set(index, part);
    open.add(index);
    return part;
  }

  function takeWhole(part: Part, whole: JsonObject): void {
    part.whole = whole;
    part.refused ||= whole['type'] === 'refusal';
    part.text.complete(stringOf(whole['type'] === 'refusal' ? whole['refusal'] : whole['text']));
  }

  function closePart(index: number, fields: JsonObject): void {
    const part = parts.get(index);
    if (part === undefined || !open.delete(index)) return;
    part.block.end(textBlock(part, fields));
  }

  return {
    addText(contentIndex, added) {
      partAt(contentIndex).text.add(added);
    },
    take(event) {
      const { type, delta, content_index: place } = event;
      const index = typeof place === 'number' ? place : 0;
      switch (type) {
        case 'response.output_text.delta':
          if (typeof delta === 'string') partAt(index).text.add(delta);
          return;
        case 'response.refusal.delta': {
          const part = partAt(index);
          part.refused = true;
          if (typeof delta === 'string') part.text.add(delta);
          return;
        }
        case 'response.output_text.done':
          partAt(index).text.complete(stringOf(event['text']));
          return;
        case 'response.refusal.done': {
          const part = partAt(index);
          part.refused = true;
          part.text.complete(stringOf(event['refusal']));
          return;
        }
        case 'response.output_text.annotation.added': {
          const part = partAt(index);
          part.annotations = [...part.annotations, event['annotation'] ?? null];
          return;
        }
        case 'response.content_part.added':
          partAt(index);
          return;
        case 'response.content_part.done':
          if (isJsonObject(event['part'])) takeWhole(partAt(index), event['part']);
          return;
        default:
          return;
      }
    },
    close(item) {
      readObjects(item['content']).forEach((whole, index) => takeWhole(partAt(index), whole));
      for (const index of open) closePart(index, fieldsOf(item));
    },
  };
}

/** What a message says of itself. */
function fieldsOf({ type: _type, role: _role, content: _content, ...fields }: WireItem): JsonObject {
  return withoutNulls(fields);
}

function textBlock({ text, refused, annotations, whole = {} }: Part, item: JsonObject): ReplyTextBlock {
  const { text: _text, refusal: _refusal, ...rest } = whole;
  const fields = Object.entries({ ...(annotations.length > 0 && { annotations }), ...rest }).filter(
    ([key, value]) => !isPlain(key, value),
  );
  const part: JsonObject = { ...Object.fromEntries(fields), ...(refused && { type: 'refusal' }) };
  const data: JsonObject = {
    ...(Object.keys(item).length > 0 && { item }),
    ...(Object.keys(part).length > 0 && { part }),
  };
  return { type: 'text', text: text.whole, ...(Object.keys(data).length > 0 && { providerData: data }) };
}

/** What nearly every part says of itself is not worth keeping with each. */
function isPlain(key: string, value: JsonValue): boolean {
  if (key === 'type') return value === 'output_text';
  return (key === 'annotations' || key === 'logprobs') && Array.isArray(value) && value.length === 0;
}

/** Whether the model refused to answer in it. */
export function refuses(item: WireItem): boolean {
  return item.type === 'message' && readObjects(item['content']).some((part) => part['type'] === 'refusal');
}
