import { createHash } from 'node:crypto';
import type { JsonObject } from '@rondo/protocol';
import type { ReplyStep, ScriptBlock } from '../script.ts';
import { cutText } from '../cut-text.ts';
import { defaultInputTokens, defaultOutputTokens } from '../default-usage.ts';
import type { ReasoningSigner } from '../reasoning-signature.ts';
import { isWire } from '../request-guards.ts';
import type { ReplyContext, ReplyEvent } from '../server-dialect.ts';
import { bindsThinking, createThinkingPrefix, signThinking, type ThinkingPrefix } from './bound-thinking.ts';

/** The events of a scripted reply, in order. */
export function replyEvents(step: ReplyStep, context: ReplyContext): ReplyEvent[] {
  const conversation = createHash('sha256').update(context.requestText).digest('hex').slice(0, 16);
  const blocks = step.blocks.filter((block) => block.type !== 'hold');
  const { output_tokens: outputTokens = defaultOutputTokens(blocks), ...usage } = {
    input_tokens: defaultInputTokens(context.requestText),
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
  const prefix = prefixOf(context);
  let index = 0;
  for (const block of step.blocks) {
    if (block.type === 'hold') {
      events.push(block.until);
      continue;
    }
    const opened = openBlock(block, {
      callId: `toolu_${conversation}_${index}`,
      sign: (text) => signThinking(text, prefix?.digest(), context.signer),
      remember: context.signer.remember,
    });
    prefix?.add('assistant', asReplayed(block, opened.start));
    events.push(...blockEvents(opened, index));
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

/** What stands before the reply, where its model binds its thinking to that. */
function prefixOf({ requestBody, requestModel }: ReplyContext): ThinkingPrefix | undefined {
  if (!bindsThinking(requestModel) || !isWire(requestBody)) return undefined;
  const prefix = createThinkingPrefix(requestBody);
  const messages = Array.isArray(requestBody['messages']) ? requestBody['messages'].filter(isWire) : [];
  for (const { role, content } of messages) {
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
    if (Array.isArray(blocks)) for (const block of blocks.filter(isWire)) prefix.add(role, block);
  }
  return prefix;
}

/** The block as it comes back in a request. */
function asReplayed(block: SpokenBlock, start: JsonObject): JsonObject {
  if (block.type === 'text') return { ...start, text: block.text };
  return block.type === 'thinking' ? { ...start, thinking: block.text } : start;
}

type SpokenBlock = Exclude<ScriptBlock, { type: 'hold' }>;

interface OpenedBlock {
  readonly start: JsonObject;
  readonly deltas: readonly ReplyEvent[];
}

function blockEvents({ start, deltas }: OpenedBlock, index: number): ReplyEvent[] {
  return [
    { type: 'content_block_start', index, content_block: start },
    ...deltas.map(
      (delta): ReplyEvent => (delta instanceof Promise ? delta : { type: 'content_block_delta', index, delta }),
    ),
    { type: 'content_block_stop', index },
  ];
}

interface OpenBlockOptions {
  readonly callId: string;
  readonly sign: (text: string) => string;
  readonly remember: ReasoningSigner['remember'];
}

function openBlock(block: SpokenBlock, { callId, sign, remember }: OpenBlockOptions): OpenedBlock {
  switch (block.type) {
    case 'text': {
      const pieces = block.pieces ?? cutText(block.text, block.pieceLength);
      const deltas = pieces.map((piece) => (typeof piece === 'string' ? { type: 'text_delta', text: piece } : piece));
      return { start: { type: 'text', text: '' }, deltas };
    }
    case 'thinking': {
      const signature = block.signature ?? sign(block.text);
      if (block.signature !== undefined) remember(block.text, block.signature);
      const deltas: ReplyEvent[] = cutText(block.text).map((piece) => ({ type: 'thinking_delta', thinking: piece }));
      return {
        start: { type: 'thinking', thinking: '', signature: '' },
        deltas: [...deltas, { type: 'signature_delta', signature }],
      };
    }
    case 'redacted_thinking':
      return { start: { type: 'redacted_thinking', data: block.data }, deltas: [] };
    case 'tool_call': {
      const json = block.json ?? (Object.keys(block.input).length === 0 ? '' : JSON.stringify(block.input));
      const deltas = ['', ...cutText(json)].map((piece) => ({ type: 'input_json_delta', partial_json: piece }));
      return { start: { type: 'tool_use', id: block.id ?? callId, name: block.name, input: {} }, deltas };
    }
    case 'wire':
      return { start: block.block, deltas: block.deltas ?? [] };
  }
}
