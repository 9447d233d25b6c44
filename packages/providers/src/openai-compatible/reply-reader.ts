import type { JsonObject, JsonValue, TokenUsage } from '@rondo/protocol';
import type { ReplyReader, ReplyReaderOptions } from '../dialect/dialect.ts';
import { isJsonObject, parseJsonObject } from '../dialect/json.ts';
import { plainPiece, readPlainPieces } from '../dialect/plain-pieces.ts';
import { learnPlainShape, readPlainChunk, type PlainShape } from './plain-chunk.ts';
import { createReplyBlocks } from './reply-blocks.ts';
import type { ServerQuirks } from './server-quirks.ts';
import { stopReasonOf } from './stop-reason.ts';
import { mergeUsage } from './token-usage.ts';
import { readUsage, readWireError } from './wire-schema.ts';

/** A stream whose events change around the text is not worth learning from for ever. */
const mostLessons = 4;

/** Turns the chunks of one streamed completion into model parts. */
export function createReplyReader({ emit, broken, failed }: ReplyReaderOptions, quirks: ServerQuirks): ReplyReader {
  const blocks = createReplyBlocks({ emit, broken, quirks });
  let started = false;
  let ended = false;
  let chunks = 0;
  let usage: TokenUsage = { inputTokens: 0, outputTokens: 0 };
  let finishReason: string | undefined;
  let shape: PlainShape | undefined;
  /** How often a shape was learned since one was of use. */
  let lessons = 0;

  function start(chunk: JsonObject): void {
    started = true;
    const { id, model } = chunk;
    const named = typeof model === 'string' && model !== '';
    if (named) usage = { ...usage, model };
    emit({
      type: 'start',
      ...(typeof id === 'string' && id !== '' && { providerMessageId: id }),
      ...(named && { model }),
    });
  }

  function readChunk(chunk: JsonObject): void {
    const choices = chunk['choices'];
    const first = Array.isArray(choices) ? (choices as readonly JsonValue[])[0] : undefined;
    const choice = isJsonObject(first) ? first : undefined;
    const error = readWireError(chunk) ?? (choice && readWireError(choice));
    // Some say of the limit that they stopped at that it is an error, too.
    if (error !== undefined && finishReason !== 'length') throw failed(error);
    const used = readUsage(chunk, choice);
    if (used !== undefined) usage = mergeUsage(usage, used);
    if (choice === undefined) return;
    if (!started) start(chunk);
    const said = isJsonObject(choice['delta']) ? choice['delta'] : wholeMessage(choice);
    if (said !== undefined) blocks.take(said);
    const reason = choice['finish_reason'];
    if (typeof reason === 'string' && reason !== '') finishReason = reason;
  }

  /** Some answer at once, in the shape of a reply that is not streamed. */
  function wholeMessage({ message }: JsonObject): JsonObject | undefined {
    return blocks.isEmpty && isJsonObject(message) ? message : undefined;
  }

  function end(): void {
    const stopped = stopReasonOf(finishReason, blocks.calls > 0);
    if (stopped.error !== undefined) throw failed(stopped.error);
    blocks.end();
    ended = true;
    emit({ type: 'end', stopReason: stopped.reason, usage });
  }

  function read(data: string): void {
    if (ended) return;
    if (data === '[DONE]') {
      if (!started) throw broken('it ends before it says anything');
      end();
      return;
    }
    chunks += 1;
    const known = shape !== undefined && blocks.isPlain(shape.field) ? plainPiece(data, shape.data) : undefined;
    if (known !== undefined) {
      lessons = 0;
      blocks.takeText(known);
      return;
    }
    const chunk = parse(data);
    const plain = lessons < mostLessons ? readPlainChunk(chunk) : undefined;
    readChunk(chunk);
    if (plain === undefined || !blocks.isPlain(plain.field)) return;
    lessons += 1;
    shape = learnPlainShape(data, plain);
  }

  function readAhead(stream: string, from: number): number {
    if (shape === undefined || ended || !blocks.isPlain(shape.field)) return from;
    const { end: at, pieces } = readPlainPieces(stream, from, shape.event, blocks.takeText);
    if (pieces > 0) lessons = 0;
    chunks += pieces;
    return at;
  }

  function parse(data: string): JsonObject {
    let chunk: JsonObject | undefined;
    try {
      chunk = parseJsonObject(data);
    } catch {
      throw broken('an event of it is not JSON');
    }
    if (chunk === undefined) throw broken('an event of it is no object');
    return chunk;
  }

  return {
    read,
    readAhead,
    /** Without a mark at its end a reply is whole when the server said why it stopped. */
    finish() {
      if (!ended && started && finishReason !== undefined) end();
    },
    ended() {
      return ended;
    },
    position() {
      return `after ${chunks} events and ${blocks.whole} whole blocks`;
    },
  };
}
