import { createHash } from 'node:crypto';
import type { JsonObject } from '@rondo/protocol';
import { cutText } from '../cut-text.ts';
import { defaultInputTokens, defaultOutputTokens } from '../default-usage.ts';
import type { ReplyStep, ScriptBlock } from '../script.ts';
import type { ReasoningSigner } from '../reasoning-signature.ts';
import { isWire } from '../request-guards.ts';
import type { ReplyContext, ReplyEvent } from '../server-dialect.ts';
import type { Manner } from './flavour.ts';

/** What a block says, as deltas, or promises to wait for. */
type Said = JsonObject | Promise<unknown>;

/** The chunks of a scripted reply in the manner of a server, in order. */
export function replyChunks(step: ReplyStep, context: ReplyContext, manner: Manner): ReplyEvent[] {
  const conversation = createHash('sha256').update(context.requestText).digest('hex').slice(0, 16);
  const named = { id: step.id ?? `chatcmpl-${conversation}`, model: step.model ?? context.requestModel };
  const chunk = (delta: JsonObject, reason: string | null, extra: JsonObject = {}): JsonObject => ({
    ...manner.chunk([{ index: 0, delta, ...manner.everyChoice, finish_reason: reason }], named),
    ...extra,
  });
  const blocks = step.blocks.filter((block) => block.type !== 'hold');
  const hasCalls = blocks.some(({ type }) => type === 'tool_call');
  const events: ReplyEvent[] = [chunk(manner.opening, null)];
  let calls = 0;
  for (const block of step.blocks) {
    const count = block.type === 'tool_call' ? calls++ : calls;
    const said = say(block, { manner, signer: context.signer, count, id: `call_${conversation}_${count}` });
    events.push(
      ...said.map((delta) => (delta instanceof Promise ? delta : chunk({ ...manner.everyDelta, ...delta }, null))),
    );
  }
  const reason = step.stopReason ?? (hasCalls && manner.alwaysStops !== true ? 'tool_calls' : 'stop');
  const usage = usageOf(step, context, blocks);
  const last = { ...manner.everyDelta };
  if (manner.usage === 'with-reason') return [...events, chunk(last, reason, { usage: usage.counts })];
  if (manner.usage === 'x_groq')
    return [...events, chunk(last, reason, { x_groq: { id: 'req_1', usage: usage.counts } })];
  const asked = isWire(context.requestBody) ? context.requestBody['stream_options'] : undefined;
  const wanted = isWire(asked) && asked['include_usage'] === true;
  const extra = manner.usage === 'timings' && !wanted ? { timings: usage.timings } : {};
  events.push(chunk(last, reason, extra));
  if (manner.usage === 'beside') events.push(chunk(last, null, { usage: usage.counts }));
  else if (wanted) {
    const timings = manner.usage === 'timings' ? { timings: usage.timings } : {};
    events.push({ ...manner.chunk([], named), usage: usage.counts, ...timings });
  }
  return events;
}

interface SayOptions {
  readonly manner: Manner;
  readonly signer: ReasoningSigner;
  readonly count: number;
  readonly id: string;
}

function say(block: ScriptBlock, options: SayOptions): readonly Said[] {
  switch (block.type) {
    case 'hold':
      return [block.until];
    case 'text': {
      const pieces = block.pieces ?? cutText(block.text, block.pieceLength);
      return pieces.map((piece) => (typeof piece === 'string' ? { content: piece } : piece));
    }
    case 'thinking':
      return sayReasoning(block, options);
    case 'redacted_thinking':
      return [{ reasoning_details: [{ type: 'reasoning.encrypted', data: block.data, format: 'rondo-v1', index: 0 }] }];
    case 'tool_call':
      return sayCall(block, options);
    case 'wire':
      return [block.block, ...(block.deltas ?? [])];
  }
}

function sayReasoning(
  { text, signature }: Extract<ScriptBlock, { type: 'thinking' }>,
  { manner: { reasoning }, signer, count }: SayOptions,
): readonly Said[] {
  const pieces = cutText(text);
  if (reasoning === 'tags') return ['<think>', ...pieces, '</think>\n\n'].map((piece) => ({ content: piece }));
  if (reasoning !== 'details') return pieces.map((piece) => ({ [reasoning]: piece }));
  if (signature !== undefined) signer.remember(text, signature);
  const detail = { type: 'reasoning.text', format: 'rondo-v1', index: count };
  return [
    ...pieces.map((piece) => ({ reasoning: piece, reasoning_details: [{ ...detail, text: piece, signature: null }] })),
    { reasoning_details: [{ ...detail, signature: signature ?? signer.sign(text) }] },
  ];
}

function sayCall(
  block: Extract<ScriptBlock, { type: 'tool_call' }>,
  { manner, count, id }: SayOptions,
): readonly Said[] {
  const { name, input, json } = block;
  if (manner.bareCalls) return [{ tool_calls: [{ function: { name, arguments: json ?? input } }] }];
  const text = json ?? JSON.stringify(input);
  const opening = { index: count, id: block.id ?? id, type: 'function' };
  if (manner.wholeCalls) return [{ tool_calls: [{ ...opening, function: { name, arguments: text } }] }];
  return [
    { tool_calls: [{ ...opening, function: { name, arguments: '' } }] },
    ...cutText(text).map((piece) => ({ tool_calls: [{ index: count, function: { arguments: piece } }] })),
  ];
}

function usageOf(
  { usage = {} }: ReplyStep,
  { requestText }: ReplyContext,
  blocks: readonly ScriptBlock[],
): { readonly counts: JsonObject; readonly timings: JsonObject } {
  const read = usage.cache_read_input_tokens ?? 0;
  const written = usage.cache_creation_input_tokens ?? 0;
  const input = usage.input_tokens ?? defaultInputTokens(requestText);
  const output = usage.output_tokens ?? defaultOutputTokens(blocks);
  const prompt = input + read + written;
  return {
    counts: {
      prompt_tokens: prompt,
      completion_tokens: output,
      total_tokens: prompt + output,
      prompt_tokens_details: { cached_tokens: read, ...(written > 0 && { cache_write_tokens: written }) },
    },
    timings: { cache_n: read, prompt_n: input, predicted_n: output },
  };
}
