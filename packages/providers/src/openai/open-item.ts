import type { JsonObject, JsonValue } from '@rondo/protocol';
import type { BlockQueue } from '../dialect/block-queue.ts';
import { parseJsonObject, stringOf } from '../dialect/json.ts';
import { readToolInput, type ToolInput } from '../dialect/tool-input.ts';
import { wholeCharacters } from '../dialect/whole-characters.ts';
import { writtenText, type ItemReader } from './item-reader.ts';
import { openMessage } from './open-message.ts';
import { readObjects, withoutNulls, type WireItem } from './wire-schema.ts';

/** Opens the item that `response.output_item.added` announces; one of a kind we do not know is kept whole. */
export function openItem(item: WireItem, queue: BlockQueue): ItemReader {
  switch (item.type) {
    case 'message':
      return openMessage(item, queue);
    case 'reasoning':
      return openReasoning(queue);
    case 'function_call':
      return openCall(item, queue);
    default:
      return openOpaque(queue);
  }
}

function placeOf(list: 'summary' | 'content', index: JsonValue | undefined): string {
  return `${list} ${typeof index === 'number' ? index : 0}`;
}

/** Between two parts of a summary, which are paragraphs. */
const partBreak = '\n\n';

function openReasoning(queue: BlockQueue): ItemReader {
  const block = queue.open({ block: 'reasoning' });
  const pieces = wholeCharacters();
  let text = '';
  let part: string | undefined;
  const add = (place: string, added: string): void => {
    const piece = part !== undefined && part !== place ? partBreak + added : added;
    part = place;
    text += piece;
    block.delta(pieces(piece));
  };
  return {
    take(event) {
      const { type, delta } = event;
      if (typeof delta !== 'string' || delta === '') return;
      if (type === 'response.reasoning_summary_text.delta') add(placeOf('summary', event['summary_index']), delta);
      else if (type === 'response.reasoning_text.delta') add(placeOf('content', event['content_index']), delta);
    },
    close(item) {
      const whole = [...readObjects(item['summary']), ...readObjects(item['content'])].map((each) =>
        stringOf(each['text']),
      );
      if (text === '') add('whole', whole.filter((each) => each !== '').join(partBreak));
      block.end({ type: 'reasoning', text, ...returned(item) });
    },
  };
}

/**
 * The item as it came, for it is refused when a byte of it changes. One without anything in it is no use to the model,
 * and the API, which keeps nothing, would look for it in vain.
 */
function returned({ type: _type, ...item }: WireItem): { readonly providerData?: JsonObject } {
  const { encrypted_content: encrypted, content } = item;
  const holdsReasoning = (typeof encrypted === 'string' && encrypted !== '') || readObjects(content).length > 0;
  if (!holdsReasoning) return {};
  return { providerData: withoutNulls(item) };
}

function openCall(item: WireItem, queue: BlockQueue): ItemReader {
  const toolCallId = stringOf(item['call_id']) || stringOf(item['id']);
  const name = stringOf(item['name']);
  const block = queue.open({ block: 'tool_call', toolCallId, name });
  const json = writtenText(block);
  return {
    take(event) {
      const { type, delta } = event;
      if (type === 'response.function_call_arguments.delta' && typeof delta === 'string') json.add(delta);
      else if (type === 'response.function_call_arguments.done') json.complete(stringOf(event['arguments']));
    },
    close(whole) {
      const { type: _type, call_id: _id, name: _name, arguments: last, ...rest } = whole;
      json.complete(stringOf(last));
      const text = json.whole;
      const input =
        rest['status'] === 'completed' || rest['status'] === undefined ? readToolInput(text) : readCut(text);
      const asWritten = input.malformed !== undefined || text === '' || text === JSON.stringify(input.input);
      const mended = input.repaired !== undefined;
      const data: JsonObject = {
        ...(Object.keys(rest).length > 0 && { item: withoutNulls(rest) }),
        ...(!asWritten && !mended && { arguments: text }),
      };
      block.end({
        type: 'tool_call',
        toolCallId,
        name,
        ...input,
        ...(Object.keys(data).length > 0 && { providerData: data }),
      });
    },
  };
}

/** Arguments that the limit of a reply cut off: whatever could be mended in them, they are not what was meant. */
function readCut(text: string): ToolInput {
  const malformed = (error: string): ToolInput => ({ input: {}, malformed: { text, error } });
  try {
    const input = parseJsonObject(text);
    return input === undefined ? malformed('the input is not a JSON object') : { input };
  } catch {
    return malformed('the input was cut off before its end');
  }
}

function openOpaque(queue: BlockQueue): ItemReader {
  const block = queue.open({ block: 'opaque' });
  return {
    take: () => undefined,
    close: (item) => block.end({ type: 'opaque', provider: 'openai', raw: item }),
  };
}
