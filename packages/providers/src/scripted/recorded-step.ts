import type { JsonObject, ModelBlock, TokenUsage } from '@rondo/protocol';
import { isRondoError } from '@rondo/protocol/values';
import type { ModelPart } from '@rondo/runtime';

/** Gathers one reply as it streams by, and says it as a script does. */
export interface ReplyRecorder {
  take(part: ModelPart): void;
  /** The step, without its request. `thrown` is what ended the reply, if anything did. */
  step(
    end: { readonly type: 'whole' | 'interrupted' } | { readonly type: 'failed'; readonly thrown: unknown },
  ): JsonObject;
}

export function createReplyRecorder(): ReplyRecorder {
  const blocks: ModelBlock[] = [];
  /** The text of the block that is being written; undefined for a block of another kind. */
  let open: string | undefined;
  let end: Extract<ModelPart, { type: 'end' }> | undefined;
  return {
    take(part) {
      if (part.type === 'block-start') open = part.block === 'text' ? '' : undefined;
      else if (part.type === 'delta' && open !== undefined) open += part.text;
      else if (part.type === 'block-end') {
        blocks.push(part.block);
        open = undefined;
      } else if (part.type === 'end') end = part;
    },
    step(how) {
      if (how.type === 'failed') return { error: saidError(how.thrown) };
      if (how.type === 'interrupted') {
        const text = blocks.flatMap((block) => (block.type === 'text' ? [block.text] : []));
        if (open !== undefined) text.push(open);
        const said = text.join('');
        return { ...(said.trim() !== '' && { text: said }), interrupted: true };
      }
      return { ...saidReply(blocks), ...(end && saidEnd(end, blocks)) };
    },
  };
}

function saidEnd(
  { stopReason, usage, stopDetails }: Extract<ModelPart, { type: 'end' }>,
  blocks: readonly ModelBlock[],
): JsonObject {
  const usual = blocks.some((block) => block.type === 'tool_call') ? 'tool_use' : 'end_turn';
  return {
    ...(stopReason !== usual && { stop: stopReason }),
    ...(stopDetails && { stopDetails }),
    usage: saidUsage(usage),
  };
}

function saidUsage(usage: TokenUsage): JsonObject {
  const { inputTokens, outputTokens, cacheReadInputTokens, cacheCreationInputTokens, cacheCreationOneHourInputTokens } =
    usage;
  return {
    inputTokens,
    outputTokens,
    ...(cacheReadInputTokens !== undefined && { cacheReadInputTokens }),
    ...(cacheCreationInputTokens !== undefined && { cacheCreationInputTokens }),
    ...(cacheCreationOneHourInputTokens !== undefined && { cacheCreationOneHourInputTokens }),
  };
}

/** In the step's own keys where reasoning, a text and a call come in that order, once each at most; else as a list. */
function saidReply(blocks: readonly ModelBlock[]): JsonObject {
  const said = blocks.flatMap(saidBlock);
  const ranks = said.map((block) => ('reasoning' in block ? 0 : 'text' in block ? 1 : 'call' in block ? 2 : -1));
  const direct = ranks.every((rank, index) => rank > (ranks[index - 1] ?? -1));
  return direct && said.length > 0 ? Object.assign({}, ...said) : { reply: said.length > 0 ? said : [{ text: '' }] };
}

/** Calls lose their IDs and reasoning its signature: a script makes its own, the same in every run. */
function saidBlock(block: ModelBlock): JsonObject[] {
  switch (block.type) {
    case 'text':
      return [{ text: block.text }];
    case 'reasoning':
      return [block.redacted === undefined ? { reasoning: block.text } : { redacted: block.redacted }];
    case 'tool_call': {
      const written = block.malformed?.text ?? block.repaired?.text;
      return [{ call: block.name, ...(written === undefined ? { input: asObject(block.input) } : { json: written }) }];
    }
    case 'opaque':
      return [{ opaque: asObject(block.raw), provider: block.provider }];
    case 'image':
    case 'unknown':
      return [];
  }
}

function asObject(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}

function saidError(thrown: unknown): JsonObject {
  if (!isRondoError(thrown))
    return { code: 'internal', message: thrown instanceof Error ? thrown.message : String(thrown) };
  const { status, retryAfterMs, type } = thrown.details;
  return {
    ...(typeof status === 'number' && { status }),
    code: thrown.code,
    ...(typeof type === 'string' && { type }),
    message: thrown.message,
    ...(typeof retryAfterMs === 'number' && { retryAfter: retryAfterMs / 1000 }),
  };
}
