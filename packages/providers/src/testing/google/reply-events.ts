import { createHash } from 'node:crypto';
import type { JsonObject } from '@rondo/protocol';
import { cutText } from '../cut-text.ts';
import { defaultInputTokens, defaultOutputTokens } from '../default-usage.ts';
import type { ReasoningSigner } from '../reasoning-signature.ts';
import type { ReplyStep, ReplyUsage, ScriptBlock } from '../script.ts';
import type { ReplyContext, ReplyEvent } from '../server-dialect.ts';
import { ownCallId, signedPart } from './signed-part.ts';

const finishReasons: Readonly<Record<string, string>> = {
  end_turn: 'STOP',
  tool_use: 'STOP',
  max_tokens: 'MAX_TOKENS',
  refusal: 'SAFETY',
};

/**
 * The chunks of a scripted reply, in order. Thoughts, texts and the first call are signed, the text by an empty part
 * behind it, as the API streams it.
 */
export function replyEvents(step: ReplyStep, { signer, requestText, requestModel }: ReplyContext): ReplyEvent[] {
  const conversation = createHash('sha256').update(requestText).digest('hex');
  const blocks = step.blocks.filter((block) => block.type !== 'hold');
  const about = { modelVersion: step.model ?? requestModel, responseId: step.id ?? conversation.slice(0, 22) };
  const chunk = (part: JsonObject, more: JsonObject = {}): JsonObject => ({
    candidates: [{ content: { role: 'model', parts: [part] }, index: 0, ...more }],
    ...about,
  });
  const events: ReplyEvent[] = [];
  let calls = 0;
  for (const block of step.blocks) {
    const id = ownCallId({ model: requestModel, signer }, conversation, calls);
    events.push(...blockEvents(block, { chunk, signer, id, isFirstCall: calls === 0 }));
    if (block.type === 'tool_call') calls += 1;
  }
  const stopReason = step.stopReason ?? 'end_turn';
  events.push({
    ...chunk({ text: '' }, { finishReason: finishReasons[stopReason] ?? stopReason, ...step.stopDetails }),
    usageMetadata: usageOf(step.usage ?? {}, requestText, blocks),
  });
  return events;
}

interface Writing {
  readonly chunk: (part: JsonObject) => JsonObject;
  readonly signer: ReasoningSigner;
  readonly id: string;
  readonly isFirstCall: boolean;
}

function blockEvents(block: ScriptBlock, { chunk, signer, id, isFirstCall }: Writing): readonly ReplyEvent[] {
  switch (block.type) {
    case 'hold':
      return [block.until];
    case 'text': {
      const pieces = block.pieces ?? cutText(block.text, block.pieceLength);
      const told = pieces.map((text) => (typeof text === 'string' ? chunk({ text }) : text));
      const signature = signer.sign(signedPart({ text: block.text }));
      return block.text === '' ? told : [...told, chunk({ text: '', thoughtSignature: signature })];
    }
    case 'thinking': {
      const whole = { text: block.text, thought: true };
      const signature = block.signature ?? signer.sign(signedPart(whole));
      if (block.signature !== undefined) signer.remember(signedPart(whole), signature);
      const pieces = cutText(block.text);
      return pieces.map((text, index) =>
        chunk({ text, thought: true, ...(index === pieces.length - 1 && { thoughtSignature: signature }) }),
      );
    }
    case 'redacted_thinking':
      throw new Error("Google's wire has no redacted thinking: leave it out of the script");
    case 'tool_call': {
      // The wire carries objects, so text that is no JSON can only come as what it is.
      const functionCall = { id: block.id ?? id, name: block.name, args: block.json ?? block.input };
      const signature = signer.sign(signedPart({ functionCall }));
      return [chunk({ functionCall, ...(isFirstCall && { thoughtSignature: signature }) })];
    }
    case 'wire':
      return [block.block, ...(block.deltas ?? [])];
  }
}

function usageOf(usage: ReplyUsage, requestText: string, blocks: readonly ScriptBlock[]): JsonObject {
  const cached = usage.cache_read_input_tokens ?? 0;
  const prompt =
    (usage.input_tokens ?? defaultInputTokens(requestText)) + cached + (usage.cache_creation_input_tokens ?? 0);
  const output = usage.output_tokens ?? defaultOutputTokens(blocks);
  const thoughts = usage.output_tokens === undefined ? defaultOutputTokens(blocks.filter(isThinking)) : 0;
  const spoken = Math.max(0, output - thoughts);
  return {
    promptTokenCount: prompt,
    candidatesTokenCount: spoken,
    thoughtsTokenCount: output - spoken,
    totalTokenCount: prompt + output,
    ...(cached > 0 && { cachedContentTokenCount: cached }),
  };
}

function isThinking({ type }: ScriptBlock): boolean {
  return type === 'thinking';
}
