import type { JsonObject, TokenUsage } from '@rondo/protocol';
import type { ReplyReader, ReplyReaderOptions } from '../dialect/dialect.ts';
import { isJsonObject, stringOf } from '../dialect/json.ts';
import { readTypedEvent } from '../dialect/read-typed-event.ts';
import { openBlock, type OpenBlock } from './open-block.ts';
import { plainDeltaStart, readPlainDeltas } from './plain-text-delta.ts';
import { containerType } from './server-calls.ts';
import { mergeUsage } from './token-usage.ts';
import { readWireError, readWireUsage } from './wire-schema.ts';

/** Pieces that come at once in greater number are joined: a reader cannot have them one by one any more. */
const PIECES_APART = 16;
const LONGEST_JOINED = 16 * 1024;

/** Turns the events of one streamed message into model parts. */
export function createReplyReader({ emit, broken, failed }: ReplyReaderOptions): ReplyReader {
  let started = false;
  let ended = false;
  let events = 0;
  let open: { readonly wireIndex: unknown; readonly block: OpenBlock } | undefined;
  /** How a plain delta of the open block of text begins; undefined while no such block is open. */
  let plainStart: string | undefined;
  let blocks = 0;
  let usage: TokenUsage = { inputTokens: 0, outputTokens: 0 };
  let stopReason: string | undefined;
  let stopDetails: JsonObject | undefined;
  let container: JsonObject | undefined;

  function start(event: JsonObject): void {
    const message = event['message'];
    if (started || !isJsonObject(message)) throw broken('its message_start is out of place');
    started = true;
    const model = typeof message['model'] === 'string' ? message['model'] : undefined;
    usage = mergeUsage({ ...usage, ...(model !== undefined && { model }) }, readWireUsage(message['usage']));
    emit({
      type: 'start',
      ...(typeof message['id'] === 'string' && { providerMessageId: message['id'] }),
      ...(model !== undefined && { model }),
      usage,
    });
  }

  function startBlock(event: JsonObject): void {
    const raw = event['content_block'];
    if (!started || open !== undefined || !isJsonObject(raw)) throw broken('its content_block_start is out of place');
    const wireIndex = event['index'];
    open = { wireIndex, block: openBlock(blocks, raw) };
    const takesText = open.block.takeText !== undefined && typeof wireIndex === 'number';
    plainStart = takesText ? plainDeltaStart(wireIndex) : undefined;
    emit(open.block.start);
    const initial = raw['type'] === 'text' || raw['type'] === 'thinking' ? open.block.take(raw) : undefined;
    if (initial !== undefined && initial !== '') emit({ type: 'delta', index: blocks, text: initial });
  }

  function extendBlock(event: JsonObject): void {
    const delta = event['delta'];
    if (open === undefined || open.wireIndex !== event['index'] || !isJsonObject(delta)) {
      throw broken('its content_block_delta belongs to no open block');
    }
    const text = open.block.take(delta);
    if (text !== undefined && text !== '') emit({ type: 'delta', index: blocks, text });
  }

  function endBlock(event: JsonObject): void {
    if (open === undefined || open.wireIndex !== event['index'])
      throw broken('its content_block_stop belongs to no open block');
    emit({ type: 'block-end', index: blocks, block: open.block.end() });
    open = undefined;
    plainStart = undefined;
    blocks += 1;
  }

  function updateMessage(event: JsonObject): void {
    const delta = event['delta'];
    if (!started) throw broken('its message_delta comes before message_start');
    if (isJsonObject(delta)) {
      if (typeof delta['stop_reason'] === 'string') stopReason = delta['stop_reason'];
      if (isJsonObject(delta['stop_details'])) stopDetails = delta['stop_details'];
      if (isJsonObject(delta['container'])) container = delta['container'];
    }
    usage = mergeUsage(usage, readWireUsage(event['usage']));
  }

  function stop(): void {
    if (!started || open !== undefined || stopReason === undefined) throw broken('its message_stop comes too early');
    if (container !== undefined) keepContainer(container);
    ended = true;
    emit({ type: 'end', stopReason, usage, ...(stopDetails !== undefined && { stopDetails }) });
  }

  /** The API names it beside the content, and wants it named again when the conversation goes on. */
  function keepContainer({ id, expires_at: expiry }: JsonObject): void {
    const raw = { type: containerType, id: stringOf(id), expires_at: stringOf(expiry) };
    emit({ type: 'block-start', index: blocks, block: 'opaque' });
    emit({ type: 'block-end', index: blocks, block: { type: 'opaque', provider: 'anthropic', raw } });
    blocks += 1;
  }

  function read(data: string): void {
    if (ended) return;
    const event = readTypedEvent(data, broken);
    events += 1;
    switch (event['type']) {
      case 'content_block_delta':
        return extendBlock(event);
      case 'content_block_start':
        return startBlock(event);
      case 'content_block_stop':
        return endBlock(event);
      case 'message_start':
        return start(event);
      case 'message_delta':
        return updateMessage(event);
      case 'message_stop':
        return stop();
      case 'error':
        throw failed(readWireError(event) ?? { type: 'unknown_error', message: '' });
      default:
        // `ping`, and whatever the vendor adds.
        return;
    }
  }

  function readAhead(stream: string, from: number): number {
    if (ended || plainStart === undefined) return from;
    const { texts, next } = readPlainDeltas(stream, from, plainStart);
    events += texts.length;
    for (const text of texts.slice(0, PIECES_APART)) extendText(text);
    const joined = texts.slice(PIECES_APART).join('');
    for (let at = 0; at < joined.length; at += LONGEST_JOINED) extendText(joined.slice(at, at + LONGEST_JOINED));
    return next;
  }

  function extendText(added: string): void {
    const text = open?.block.takeText?.(added);
    if (text !== undefined && text !== '') emit({ type: 'delta', index: blocks, text });
  }

  return {
    read,
    readAhead,
    ended() {
      return ended;
    },
    position() {
      return `after ${events} events and ${blocks} whole blocks`;
    },
  };
}
