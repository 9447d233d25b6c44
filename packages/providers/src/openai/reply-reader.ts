import type { JsonObject, JsonValue } from '@rondo/protocol';
import type { StopReason } from '@rondo/runtime';
import { createBlockQueue } from '../dialect/block-queue.ts';
import type { ReplyReader, ReplyReaderOptions } from '../dialect/dialect.ts';
import { isJsonObject } from '../dialect/json.ts';
import { readTypedEvent } from '../dialect/read-typed-event.ts';
import type { ItemReader } from './item-reader.ts';
import { openItem } from './open-item.ts';
import { refuses } from './open-message.ts';
import { plainDelta, plainPlace, type PlainPlace } from './plain-text-delta.ts';
import { outputKey, readItem, readUsage, readWireError, type OutputKey, type WireItem } from './wire-schema.ts';

/** Pieces that come at once in greater number are joined: a reader cannot have them one by one any more. */
const PIECES_APART = 16;
const LONGEST_JOINED = 16 * 1024;

interface Item {
  readonly open: ItemReader;
  /** As it began, then as it ended. */
  wire: WireItem;
  closed: boolean;
}

/** The part whose text comes in now, and how a plain piece of it is spelled. */
interface PlainPart {
  readonly place: PlainPlace;
  readonly contentIndex: number;
  readonly addText: (contentIndex: number, added: string) => void;
}

/** Turns the events of one streamed response into model parts. */
export function createReplyReader({ emit, broken, failed }: ReplyReaderOptions): ReplyReader {
  const queue = createBlockQueue(emit);
  const items = new Map<OutputKey, Item>();
  const keysById = new Map<OutputKey, OutputKey>();
  let started = false;
  let ended = false;
  let events = 0;
  let plain: PlainPart | undefined;
  let lastKey: OutputKey | undefined;

  function start(response: JsonValue | undefined): void {
    if (started) return;
    started = true;
    const { id, model } = isJsonObject(response) ? response : {};
    emit({
      type: 'start',
      ...(typeof id === 'string' && { providerMessageId: id }),
      ...(typeof model === 'string' && { model }),
    });
  }

  function openAt(key: OutputKey, wire: WireItem): Item {
    start(undefined);
    const item: Item = { open: openItem(wire, queue), wire, closed: false };
    items.set(key, item);
    if (typeof wire['id'] === 'string') keysById.set(wire['id'], key);
    lastKey = key;
    return item;
  }

  function addItem(event: JsonObject): void {
    const key = outputKey(event) ?? items.size;
    if (items.has(key)) throw broken('an item of it begins twice');
    openAt(key, wireItem(event));
  }

  function endItem(event: JsonObject): void {
    const key = keyOf(event);
    const wire = wireItem(event);
    const item = items.get(key) ?? openAt(key, wire);
    if (item.wire.type !== wire.type) throw broken('an item of it ends as one of another kind');
    close(item, wire);
  }

  function wireItem(event: JsonObject): WireItem {
    const wire = readItem(event['item']);
    if (wire === undefined) throw broken('an item of it has no type');
    return wire;
  }

  /** An event that does not say which item it is about is about the last one that began. */
  function keyOf(event: JsonObject): OutputKey {
    const key = outputKey(event);
    if (key === undefined) return lastKey ?? items.size;
    return typeof key === 'string' ? (keysById.get(key) ?? key) : key;
  }

  function close(item: Item, wire: WireItem): void {
    if (item.closed) return;
    plain = undefined;
    item.closed = true;
    item.wire = wire;
    item.open.close(wire);
  }

  function extendItem(event: JsonObject): void {
    const key = keyOf(event);
    const item = items.get(key) ?? openUnannounced(key, event);
    if (item === undefined || item.closed) return;
    item.open.take(event);
    if (event['type'] === 'response.output_text.delta') plain = plainPart(event, item.open);
  }

  /** Some servers say the text of a message without saying that one begins. */
  function openUnannounced(key: OutputKey, { type, item_id: id }: JsonObject): Item | undefined {
    if (typeof type !== 'string' || !/^response\.(output_text|refusal)\./.test(type)) return undefined;
    return openAt(key, { type: 'message', ...(typeof id === 'string' && { id }) });
  }

  function plainPart(event: JsonObject, { addText }: ItemReader): PlainPart | undefined {
    const { item_id: id, output_index: outputIndex, content_index: contentIndex } = event;
    if (addText === undefined || typeof contentIndex !== 'number') return undefined;
    if (plain?.contentIndex === contentIndex && plain.addText === addText) return plain;
    if (typeof id !== 'string' || typeof outputIndex !== 'number') return undefined;
    const place = plainPlace(id, outputIndex, contentIndex);
    return place === undefined ? undefined : { place, contentIndex, addText };
  }

  function end(event: JsonObject): void {
    const response = event['response'];
    if (!isJsonObject(response)) throw broken('its end holds no response');
    start(response);
    closeAll(response, event['type'] === 'response.incomplete');
    const model = typeof response['model'] === 'string' ? response['model'] : undefined;
    ended = true;
    emit({ type: 'end', ...stop(response), usage: readUsage(response['usage'], model) });
  }

  /** Some servers leave out the events of an item, or its last one: the response at the end has them all. */
  function closeAll({ output }: JsonObject, incomplete: boolean): void {
    const whole = Array.isArray(output) ? output.map(readItem) : [];
    for (const [index, wire] of whole.entries()) {
      if (wire !== undefined) close(itemLike(wire, index) ?? openAt(`whole ${index}`, wire), wire);
    }
    for (const item of items.values()) close(item, asBegun(item.wire, incomplete ? 'incomplete' : 'completed'));
  }

  /** The item that came in events, by its ID, else by its place, else by its kind where one of the two has no ID. */
  function itemLike(whole: WireItem, index: number): Item | undefined {
    const { id } = whole;
    const kin = [...items.values()].filter(({ wire }) => wire.type === whole.type);
    const there = items.get(index);
    return (
      kin.find(({ wire }) => id !== undefined && wire['id'] === id) ??
      kin.find((item) => item === there) ??
      kin.find(({ wire }) => id === undefined || wire['id'] === undefined)
    );
  }

  function stop(response: JsonObject): { readonly stopReason: StopReason; readonly stopDetails?: JsonObject } {
    const details = response['incomplete_details'];
    if (isJsonObject(details)) {
      const { reason } = details;
      if (reason === 'max_output_tokens') return { stopReason: 'max_tokens' };
      if (reason === 'content_filter') return { stopReason: 'refusal', stopDetails: details };
      return { stopReason: typeof reason === 'string' ? reason : 'incomplete', stopDetails: details };
    }
    const wires = [...items.values()].map(({ wire }) => wire);
    if (wires.some(({ type }) => type === 'function_call')) return { stopReason: 'tool_use' };
    return { stopReason: wires.some(refuses) ? 'refusal' : 'end_turn' };
  }

  function read(data: string): void {
    if (ended) return;
    const event = readTypedEvent(data, broken);
    events += 1;
    switch (event['type']) {
      case 'response.created':
      case 'response.queued':
      case 'response.in_progress':
        return start(event['response']);
      case 'response.output_item.added':
        return addItem(event);
      case 'response.output_item.done':
        return endItem(event);
      case 'response.completed':
      case 'response.incomplete':
        return end(event);
      case 'response.failed':
      case 'error':
        throw failed(readWireError(event) ?? { type: 'unknown_error', message: '' });
      default:
        // Most are about an item; the rest, and whatever the vendor adds, are passed over.
        return extendItem(event);
    }
  }

  function readAhead(stream: string, from: number): number {
    let at = from;
    if (ended || plain === undefined) return at;
    const { place, contentIndex, addText } = plain;
    let joined = '';
    for (let pieces = 0; ; pieces += 1) {
      const delta = plainDelta(stream, at, place);
      if (delta === undefined) break;
      joined += delta.text;
      at = delta.end;
      events += 1;
      if (pieces < PIECES_APART || joined.length > LONGEST_JOINED) {
        addText(contentIndex, joined);
        joined = '';
      }
    }
    if (joined !== '') addText(contentIndex, joined);
    return at;
  }

  return {
    read,
    readAhead,
    ended() {
      return ended;
    },
    position() {
      return `after ${events} events and ${queue.whole} whole blocks`;
    },
  };
}

/** An item whose whole never came. What it began with may be half of what is to be given back whole or not at all. */
function asBegun({ encrypted_content: _half, ...wire }: WireItem, status: string): WireItem {
  return wire['status'] === undefined ? wire : { ...wire, status };
}
