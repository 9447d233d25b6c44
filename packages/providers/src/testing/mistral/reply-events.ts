import { createHash } from 'node:crypto';
import type { JsonObject } from '@rondo/protocol';
import { cutText } from '../cut-text.ts';
import { defaultInputTokens, defaultOutputTokens } from '../default-usage.ts';
import type { ReplyStep, ReplyUsage, ScriptBlock } from '../script.ts';
import type { ReplyContext, ReplyEvent } from '../server-dialect.ts';

const finishReasons: Readonly<Record<string, string>> = {
  end_turn: 'stop',
  tool_use: 'tool_calls',
  max_tokens: 'length',
};

/** The chunks of a scripted reply, in order. */
export function replyEvents(step: ReplyStep, { requestText, requestModel }: ReplyContext): ReplyEvent[] {
  const conversation = createHash('sha256').update(requestText).digest('hex');
  const id = step.id ?? conversation.slice(0, 32);
  const chunk = (delta: JsonObject, more: JsonObject = {}): JsonObject => ({
    id,
    object: 'chat.completion.chunk',
    created: 1_796_000_000,
    model: step.model ?? requestModel,
    choices: [{ index: 0, delta, finish_reason: null, ...more }],
  });
  const blocks = step.blocks.filter((block) => block.type !== 'hold');
  const events: ReplyEvent[] = [chunk({ role: 'assistant', content: '' })];
  let calls = 0;
  for (const block of step.blocks) {
    events.push(...blockEvents(block, chunk, { index: calls, id: callId(conversation, calls) }));
    if (block.type === 'tool_call') calls += 1;
  }
  const stopReason = step.stopReason ?? (calls > 0 ? 'tool_use' : 'end_turn');
  const usage = usageOf(step.usage ?? {}, requestText, blocks);
  events.push({ ...chunk({ content: '' }, { finish_reason: finishReasons[stopReason] ?? stopReason }), usage });
  return events;
}

/** Nine letters and digits, as Mistral's are. */
function callId(conversation: string, index: number): string {
  return createHash('sha256').update(`${conversation}:${index}`).digest('hex').slice(0, 9);
}

function blockEvents(
  block: ScriptBlock,
  chunk: (delta: JsonObject) => JsonObject,
  call: { readonly index: number; readonly id: string },
): readonly ReplyEvent[] {
  switch (block.type) {
    case 'hold':
      return [block.until];
    case 'text':
      return (block.pieces ?? cutText(block.text, block.pieceLength)).map((piece) =>
        typeof piece === 'string' ? chunk({ content: piece }) : piece,
      );
    case 'thinking':
      return cutText(block.text).map((piece) =>
        chunk({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: piece }] }] }),
      );
    case 'redacted_thinking':
      throw new Error("Mistral's wire has no redacted thinking: leave it out of the script");
    case 'tool_call': {
      const { name, id = call.id } = block;
      const [first = '', ...rest] = cutText(block.json ?? JSON.stringify(block.input));
      const piece = (json: string, head: JsonObject) =>
        chunk({ tool_calls: [{ index: call.index, ...head, function: { name, arguments: json } }] });
      return [piece(first, { id }), ...rest.map((json) => piece(json, { id }))];
    }
    case 'wire':
      return [block.block, ...(block.deltas ?? [])];
  }
}

function usageOf(usage: ReplyUsage, requestText: string, blocks: readonly ScriptBlock[]): JsonObject {
  const cached = usage.cache_read_input_tokens ?? 0;
  const prompt =
    (usage.input_tokens ?? defaultInputTokens(requestText)) + cached + (usage.cache_creation_input_tokens ?? 0);
  const completion = usage.output_tokens ?? defaultOutputTokens(blocks);
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: { cached_tokens: cached },
  };
}
