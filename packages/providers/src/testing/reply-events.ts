import { createHash } from 'node:crypto';
import type { JsonObject } from '@rondo/protocol';
import type { ReplyStep, ScriptBlock } from './script.ts';
import type { ThinkingSigner } from './thinking-signature.ts';

/** One event of the stream, or a promise to wait for before the next. */
export type ReplyEvent = JsonObject | Promise<unknown>;

export interface ReplyContext {
  readonly signer: ThinkingSigner;
  /** The request's body as it came; IDs and default counts follow from it. */
  readonly requestText: string;
  readonly requestModel: string;
}

const defaultPieceLength = 24;

/** The events of a scripted reply, in order. */
export function replyEvents(step: ReplyStep, context: ReplyContext): ReplyEvent[] {
  const conversation = createHash('sha256').update(context.requestText).digest('hex').slice(0, 16);
  const blocks = step.blocks.filter((block) => block.type !== 'hold');
  const { output_tokens: outputTokens = outputLength(blocks), ...usage } = {
    input_tokens: Math.ceil(context.requestText.length / 4),
    ...step.usage,
  };
  const message = {
    id: step.id ?? `msg_${conversation}`,
    type: 'message',
    role: 'assistant',
    model: step.model ?? context.requestModel,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { ...usage, output_tokens: 1 },
  };
  const events: ReplyEvent[] = [{ type: 'message_start', message }];
  let index = 0;
  for (const block of step.blocks) {
    if (block.type === 'hold') {
      events.push(block.until);
      continue;
    }
    events.push(...blockEvents(block, index, { context, callId: `toolu_${conversation}_${index}` }));
    index += 1;
  }
  const stopReason = step.stopReason ?? (blocks.some(({ type }) => type === 'tool_call') ? 'tool_use' : 'end_turn');
  const delta = {
    stop_reason: stopReason,
    stop_sequence: null,
    ...(step.stopDetails && { stop_details: step.stopDetails }),
  };
  events.push({ type: 'message_delta', delta, usage: { output_tokens: outputTokens } }, { type: 'message_stop' });
  return events;
}

function blockEvents(
  block: Exclude<ScriptBlock, { type: 'hold' }>,
  index: number,
  { context, callId }: { readonly context: ReplyContext; readonly callId: string },
): ReplyEvent[] {
  const { start, deltas } = openBlock(block, context.signer, callId);
  return [
    { type: 'content_block_start', index, content_block: start },
    ...deltas.map(
      (delta): ReplyEvent => (delta instanceof Promise ? delta : { type: 'content_block_delta', index, delta }),
    ),
    { type: 'content_block_stop', index },
  ];
}

function openBlock(
  block: Exclude<ScriptBlock, { type: 'hold' }>,
  signer: ThinkingSigner,
  callId: string,
): { readonly start: JsonObject; readonly deltas: readonly ReplyEvent[] } {
  switch (block.type) {
    case 'text': {
      const pieces = block.pieces ?? cut(block.text, block.pieceLength);
      const deltas = pieces.map((piece) => (typeof piece === 'string' ? { type: 'text_delta', text: piece } : piece));
      return { start: { type: 'text', text: '' }, deltas };
    }
    case 'thinking': {
      const signature = block.signature ?? signer.sign(block.text);
      if (block.signature !== undefined) signer.remember(block.text, block.signature);
      const deltas: ReplyEvent[] = cut(block.text).map((piece) => ({ type: 'thinking_delta', thinking: piece }));
      return {
        start: { type: 'thinking', thinking: '', signature: '' },
        deltas: [...deltas, { type: 'signature_delta', signature }],
      };
    }
    case 'redacted_thinking':
      return { start: { type: 'redacted_thinking', data: block.data }, deltas: [] };
    case 'tool_call': {
      const json = block.json ?? (Object.keys(block.input).length === 0 ? '' : JSON.stringify(block.input));
      const deltas = ['', ...cut(json)].map((piece) => ({ type: 'input_json_delta', partial_json: piece }));
      return { start: { type: 'tool_use', id: block.id ?? callId, name: block.name, input: {} }, deltas };
    }
    case 'wire':
      return { start: block.block, deltas: block.deltas ?? [] };
  }
}

/** Cuts by characters, never inside one. */
function cut(content: string, length = defaultPieceLength): string[] {
  const pieces: string[] = [];
  let piece = '';
  let count = 0;
  for (const character of content) {
    piece += character;
    count += 1;
    if (count < length) continue;
    pieces.push(piece);
    piece = '';
    count = 0;
  }
  return piece === '' ? pieces : [...pieces, piece];
}

function outputLength(blocks: readonly ScriptBlock[]): number {
  const length = blocks.reduce((sum, block) => sum + lengthOf(block), 0);
  return Math.max(1, Math.ceil(length / 4));
}

function lengthOf(block: ScriptBlock): number {
  switch (block.type) {
    case 'text':
    case 'thinking':
      return block.text.length;
    case 'tool_call':
      return block.name.length + (block.json ?? JSON.stringify(block.input)).length;
    case 'redacted_thinking':
      return block.data.length;
    case 'wire':
      return JSON.stringify(block.block).length;
    case 'hold':
      return 0;
  }
}

export function isHold(event: ReplyEvent): event is Promise<unknown> {
  return event instanceof Promise;
}
