import { createHash } from 'node:crypto';
import type { JsonObject } from '@rondo/protocol';
import { defaultInputTokens, defaultOutputTokens } from '../default-usage.ts';
import { isWire } from '../request-guards.ts';
import type { ReplyStep, ScriptBlock } from '../script.ts';
import type { ReplyContext, ReplyEvent } from '../server-dialect.ts';
import { itemEvents, type ItemOptions } from './item-events.ts';

/** The events of a scripted reply, in order and numbered. */
export function replyEvents(step: ReplyStep, context: ReplyContext): ReplyEvent[] {
  const seed = createHash('sha256').update(context.requestText).digest('hex').slice(0, 24);
  const response = responseOf(step, context, seed);
  const output: JsonObject[] = [];
  const events: ReplyEvent[] = [
    { type: 'response.created', response },
    { type: 'response.in_progress', response },
  ];
  const options = itemOptions(step, context, seed);
  const last = step.blocks.findLastIndex(({ type }) => type !== 'hold');
  for (const [place, block] of step.blocks.entries()) {
    if (block.type === 'hold') {
      events.push(block.until);
      continue;
    }
    const cut = options.incomplete && place === last;
    const item = itemEvents(block, { ...options, index: output.length, incomplete: cut });
    output.push(item.item);
    events.push(...item.events);
  }
  events.push(endEvent(step, { ...response, output, usage: usageOf(step, context) }));
  return numbered(events);
}

function itemOptions(step: ReplyStep, context: ReplyContext, seed: string): ItemOptions {
  const include = isWire(context.requestBody) ? context.requestBody['include'] : undefined;
  const calls = step.blocks.some(({ type }) => type === 'tool_call');
  return {
    context,
    seed,
    index: 0,
    phase: calls ? 'commentary' : 'final_answer',
    refuses: step.stopReason === 'refusal' && reasonOf(step) === undefined,
    incomplete: reasonOf(step) !== undefined,
    encrypts: Array.isArray(include) && include.includes('reasoning.encrypted_content'),
  };
}

/** Why the response is incomplete, in the vendor's words; undefined for one that is whole. */
function reasonOf({ stopReason, stopDetails }: ReplyStep): string | undefined {
  const reason = stopDetails?.['reason'];
  if (typeof reason === 'string') return reason;
  return stopReason === 'max_tokens' ? 'max_output_tokens' : undefined;
}

function endEvent(step: ReplyStep, response: JsonObject): JsonObject {
  const reason = reasonOf(step);
  return reason === undefined
    ? { type: 'response.completed', response: { ...response, status: 'completed' } }
    : { type: 'response.incomplete', response: { ...response, status: 'incomplete', incomplete_details: { reason } } };
}

function responseOf(step: ReplyStep, { requestBody, requestModel }: ReplyContext, seed: string): JsonObject {
  const body = isWire(requestBody) ? requestBody : {};
  const limit = body['max_output_tokens'];
  return {
    id: step.id ?? `resp_${seed}`,
    object: 'response',
    created_at: 1_790_000_000,
    status: 'in_progress',
    background: false,
    error: null,
    incomplete_details: null,
    instructions: typeof body['instructions'] === 'string' ? body['instructions'] : null,
    max_output_tokens: typeof limit === 'number' ? limit : null,
    metadata: {},
    model: step.model ?? requestModel,
    output: [],
    parallel_tool_calls: body['parallel_tool_calls'] === true,
    previous_response_id: null,
    store: body['store'] !== false,
    temperature: 1,
    tool_choice: 'auto',
    tools: [],
    top_p: 1,
    truncation: 'disabled',
    usage: null,
  };
}

/** The script counts what was not in the cache; the vendor counts all of the input. */
function usageOf({ usage = {}, blocks }: ReplyStep, { requestText }: ReplyContext): JsonObject {
  const spoken = blocks.filter((block): block is Exclude<ScriptBlock, { type: 'hold' }> => block.type !== 'hold');
  const read = usage.cache_read_input_tokens ?? 0;
  const written = usage.cache_creation_input_tokens ?? 0;
  const input = (usage.input_tokens ?? defaultInputTokens(requestText)) + read + written;
  const output = usage.output_tokens ?? defaultOutputTokens(spoken);
  const reasoning = defaultOutputTokens(spoken.filter(({ type }) => type.endsWith('thinking')));
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: read, ...(written > 0 && { cache_write_tokens: written }) },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: Math.min(output, reasoning) },
    total_tokens: input + output,
  };
}

function numbered(events: readonly ReplyEvent[]): ReplyEvent[] {
  let number = 0;
  return events.map((event) => {
    if (event instanceof Promise) return event;
    const sequenced = { ...event, sequence_number: number };
    number += 1;
    return sequenced;
  });
}
