/** What a conversation is: `calls` tool calls, one a reply, and then an answer in `deltas` pieces. */
export interface Conversation {
  readonly calls: number;
  readonly deltas: number;
}

/** Words of a few letters, as models send them. The last one tells that the answer is whole. */
const words = ['The ', 'notes ', 'say ', 'that ', 'the ', 'wind ', 'turned ', 'north ', 'before ', 'dawn, '];
export const lastWord = 'done.';
/** Pieces in which a tool call's arguments come. */
const argumentPieces = 4;

/**
 * A whole HTTP response, rendered once: each event in an HTTP chunk of its own, as a server sends it that flushes after
 * every event, so that a client pays for events and not for a few large reads.
 */
export function answerBytes({ deltas }: Conversation): Buffer {
  return responseBytes([
    ...opening(),
    blockStart(0, { type: 'text', text: '' }),
    ...Array.from({ length: deltas - 1 }, (_, index) => textDelta(0, words[index % words.length] ?? '')),
    textDelta(0, lastWord),
    { type: 'content_block_stop', index: 0 },
    ...ending('end_turn', deltas),
  ]);
}

/** The reply that says a few words and asks for a file. */
export function callBytes(call: number, filePath: string): Buffer {
  const json = JSON.stringify({ file_path: filePath });
  const size = Math.ceil(json.length / argumentPieces);
  const pieces = Array.from({ length: argumentPieces }, (_, index) => json.slice(index * size, (index + 1) * size));
  return responseBytes([
    ...opening(),
    blockStart(0, { type: 'text', text: '' }),
    ...words.slice(0, 4).map((word) => textDelta(0, word)),
    { type: 'content_block_stop', index: 0 },
    blockStart(1, { type: 'tool_use', id: `toolu_bench${String(call).padStart(6, '0')}`, name: 'Read', input: {} }),
    ...pieces.map((partial_json) => ({
      type: 'content_block_delta',
      index: 1,
      delta: { type: 'input_json_delta', partial_json },
    })),
    { type: 'content_block_stop', index: 1 },
    ...ending('tool_use', 30),
  ]);
}

/** The beginning of an answer that comes by and by. */
export function answerStart(): Buffer {
  return Buffer.from(`${responseHead}${[...opening(), blockStart(0, { type: 'text', text: '' })].map(chunk).join('')}`);
}

/** One piece of an answer that was begun. */
export function answerPiece(text: string): Buffer {
  return Buffer.from(chunk(textDelta(0, text)));
}

/** The end of an answer that was begun. */
export function answerEnd(outputTokens: number): Buffer {
  const events = [{ type: 'content_block_stop', index: 0 }, ...ending('end_turn', outputTokens)];
  return Buffer.from(`${events.map(chunk).join('')}${lastChunk}`);
}

interface WireEvent {
  readonly type: string;
  readonly [name: string]: unknown;
}

function opening(): WireEvent[] {
  const usage = { input_tokens: 1_200, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 1 };
  const message = { id: 'msg_bench', type: 'message', role: 'assistant', model: 'claude-sonnet-4-5', content: [] };
  return [
    { type: 'message_start', message: { ...message, stop_reason: null, stop_sequence: null, usage } },
    { type: 'ping' },
  ];
}

function ending(stopReason: string, outputTokens: number): WireEvent[] {
  const delta = { stop_reason: stopReason, stop_sequence: null };
  return [{ type: 'message_delta', delta, usage: { output_tokens: outputTokens } }, { type: 'message_stop' }];
}

function blockStart(index: number, block: WireEvent): WireEvent {
  return { type: 'content_block_start', index, content_block: block };
}

function textDelta(index: number, text: string): WireEvent {
  return { type: 'content_block_delta', index, delta: { type: 'text_delta', text } };
}

const responseHead =
  'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\ncache-control: no-cache\r\ntransfer-encoding: chunked\r\n\r\n';
const lastChunk = '0\r\n\r\n';

function responseBytes(events: readonly WireEvent[]): Buffer {
  return Buffer.from(`${responseHead}${events.map(chunk).join('')}${lastChunk}`);
}

function chunk(event: WireEvent): string {
  const text = `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
  return `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
}
